/// One live subscription of a source: the operators its values pass, and who receives them in the end.
///
/// ```swift
/// import Signals
///
/// let keys = Emitter<Character, Never>()
/// let subscription = keys.filter(\.isLetter).named("letters").sink { _ in }
/// print(await keys.subscriptions())  // Prints "[filter → "letters" → sink]"
/// ```
public struct SubscriptionTrace: Sendable, Hashable, CustomStringConvertible {
  /// The operators in the order in which a value passes them, and at the end what consumes it; names given with
  /// ``Signal/named(_:)`` stand in quotes.
  public let steps: [String]

  /// The steps with arrows between them.
  public var description: String { steps.joined(separator: " → ") }

  /// The place in the code where the consumer subscribed, such as `App/Settings.swift:12`; `nil` if it is not a `sink`.
  public let place: String?

  package init(steps: [String], place: String? = nil) {
    self.steps = steps
    self.place = place
  }

  /// The names on the way, without quotes.
  public var names: [String] {
    steps.filter { $0.first == "\"" }.map { String($0.dropFirst().dropLast()) }
  }
}

extension Emitter {
  /// How many subscriptions are live, or about to be.
  ///
  /// - Complexity: O(1).
  public var subscriberCount: Int { core.subscriberCount }

  /// Lists the live subscriptions, in the order in which they began: for tests and debugging, to find leaks.
  ///
  /// It waits for the delivery that is under way, if there is one, and changes nothing. Values that are sent meanwhile
  /// are never delivered by the caller.
  ///
  /// - Returns: One trace for each way that a value takes to a consumer.
  public func subscriptions() async -> [SubscriptionTrace] {
    await core.traces()
  }
}

extension Property {
  /// How many subscriptions are live, or about to be; derived values are not counted.
  ///
  /// - Complexity: O(1).
  public var subscriberCount: Int { core.subscriberCount }

  /// Lists the live subscriptions, in the order in which they began, and then those of the derived values that depend
  /// on the property: for tests and debugging, to find leaks.
  ///
  /// It waits for the delivery that is under way, if there is one, and changes nothing. Values that are sent meanwhile
  /// are never delivered by the caller.
  ///
  /// - Returns: One trace for each way that a value takes to a consumer.
  public func subscriptions() async -> [SubscriptionTrace] {
    await core.traces()
  }
}
