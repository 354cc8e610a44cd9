/// A description of one active subscription: the operators that its values pass through, and its consumer.
///
/// ```swift
/// import Signals
///
/// let keys = Emitter<Character, Never>()
/// let subscription = keys.filter(\.isLetter).named("letters").sink { _ in }
/// print(await keys.subscriptions())  // Prints "[filter → "letters" → sink]"
/// ```
public struct SubscriptionTrace: Sendable, Hashable, CustomStringConvertible {
  /// The operators in the order in which a value passes through them, and then the consumer.
  ///
  /// Names given with ``Signal/named(_:)`` are in quotes. A path that leads in a circle ends with `…` instead of a
  /// consumer.
  public let steps: [String]

  /// The steps with arrows between them.
  public var description: String { steps.joined(separator: " → ") }

  /// The place in the code where the consumer subscribed, such as `App/Settings.swift:12`; `nil` if the consumer is not
  /// a `sink`.
  public let place: String?

  package init(steps: [String], place: String? = nil) {
    (self.steps, self.place) = (steps, place)
  }

  /// The names along the path, without quotes.
  public var names: [String] {
    steps.filter { $0.first == "\"" }.map { String($0.dropFirst().dropLast()) }
  }
}

extension Emitter {
  /// The number of subscriptions that are active or being started.
  ///
  /// - Complexity: O(1).
  public var subscriberCount: Int { core.subscriberCount }

  /// Lists the active subscriptions, in the order in which they began.
  ///
  /// Use this method in tests and while debugging, to find leaks. It waits for a delivery that is in progress, and
  /// changes nothing. The caller never delivers values that are sent during the call.
  ///
  /// - Returns: One trace for each path from the source to a consumer. A path that leads back to a source on it ends
  ///   there, with the step `…`. Beyond 10,000 traces, or 100,000 sources on the way, the list is incomplete.
  public func subscriptions() async -> [SubscriptionTrace] {
    await core.traces()
  }
}

extension Property {
  /// The number of subscriptions that are active or being started; derived values are not counted.
  ///
  /// - Complexity: O(1).
  public var subscriberCount: Int { core.subscriberCount }

  /// Lists the active subscriptions, in the order in which they began, and then the subscriptions of derived values
  /// that depend on the property.
  ///
  /// Use this method in tests and while debugging, to find leaks. It waits for a delivery that is in progress, and
  /// changes nothing. The caller never delivers values that are sent during the call.
  ///
  /// - Returns: One trace for each path from the source to a consumer. A path that leads back to a source on it ends
  ///   there, with the step `…`. Beyond 10,000 traces, or 100,000 sources on the way, the list is incomplete.
  public func subscriptions() async -> [SubscriptionTrace] {
    await core.traces()
  }
}
