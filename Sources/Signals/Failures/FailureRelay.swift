import Synchronization

/// The signal of an object's failures, which also reports each of them to the program.
package final class FailureRelay<Reason: Error>: Signal {
  package typealias Element = Reason
  package typealias Failure = Never

  private let core: EmitterCore<Reason, Never>
  private let source: String
  private let subject: String
  private let isKept: Bool

  /// Creates a relay.
  ///
  /// - Parameters:
  ///   - source: The type of the object.
  ///   - subject: The path or the name of what the failures concern.
  ///   - count: The number of failures that are replayed to later subscribers.
  ///   - isKept: A Boolean value that indicates whether the object itself keeps failures for later subscribers.
  package init(of source: String, _ subject: String, replay count: Int = 0, isKept: Bool = false) {
    (self.source, self.subject) = (source, subject)
    self.isKept = isKept || count > 0
    core = EmitterCore(replay: count)
  }

  deinit {
    core.end(.finished)
  }

  /// Sends a failure to the subscribers, and reports it.
  package func send(_ error: Reason) {
    let isObserved = isObserved
    core.send(error)
    report(error) { isObserved }
  }

  /// Sends a failure to the subscribers only, because another relay has reported it, or because it is to be expected.
  package func deliver(_ error: Reason) { core.send(error) }

  /// Reports a failure without sending it to the subscribers.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - isObserved: Returns whether the failure has been observed in another way.
  package func report(_ error: Reason, isObserved: @escaping @Sendable () -> Bool = { false }) {
    let isReceived = isObserved() || self.isObserved
    FailureLog.shared.report(FailureReport(source, subject, error), isObserved: isReceived) { [isKept, weak self] in
      isKept && (isObserved() || self?.isObserved == true)
    }
  }

  /// Writes a failure about which subscribers are informed later, if it lasts until then or until the program ends.
  ///
  /// - Parameters:
  ///   - error: The failure.
  ///   - isOver: Returns whether the failure has ended.
  package func announce(_ error: Reason, unless isOver: @escaping @Sendable () -> Bool) {
    FailureLog.shared.wait(for: FailureReport(source, subject, error)) { [weak self] in
      isOver() || self?.isObserved == true
    }
  }

  package var hasSubscribers: Bool { core.subscriberCount > 0 }

  /// A Boolean value that indicates whether a failure reaches a subscriber that does not merely pass it on.
  package var isObserved: Bool {
    let count = core.subscriberCount
    guard count > 0 else { return false }
    let forwarders = FailureForwarder.links(of: ObjectIdentifier(self))
    return count > forwarders.count || forwarders.contains { $0.isObserved() }
  }

  package func subscribe(_ subscriber: some SignalSubscriber<Reason, Never>) -> SignalSubscription {
    guard let forwarder = FailureForwarder.current.get() else { return core.subscribe(subscriber) }
    let link = forwarder.link(to: ObjectIdentifier(self))
    let subscription = core.subscribe(subscriber)
    return SignalSubscription {
      subscription.cancel()
      withExtendedLifetime(link) {}
    }
  }
}

/// An object that passes failures of other objects on to its own subscribers.
///
/// Its subscriptions do not count as observers. A failure is observed if one of the subscribers to whom it is passed on
/// is an observer.
package final class FailureForwarder: Sendable {
  static let current = TaskLocal<FailureForwarder?>(wrappedValue: nil)

  private static let all = Guarded<[ObjectIdentifier: [FailureForwarder]]>([:])

  let isObserved: @Sendable () -> Bool
  private let hasLinks = Atomic(false)

  /// Creates a forwarder.
  ///
  /// - Parameter isObserved: Returns whether a failure that is passed on is observed.
  package init(isObserved: @escaping @Sendable () -> Bool) {
    self.isObserved = isObserved
  }

  /// Runs a closure whose subscriptions to failures pass them on.
  package func attach<Result>(_ subscribe: () -> Result) -> Result {
    Self.current.withValue(self, operation: subscribe)
  }

  /// A Boolean value that indicates whether the failures come from objects that report them themselves.
  package var isLinked: Bool { hasLinks.load(ordering: .relaxed) }

  package static func links(of relay: ObjectIdentifier) -> [FailureForwarder] { all.withLock { $0[relay] ?? [] } }

  /// Records that this object is a subscriber of a relay until the token is released.
  fileprivate func link(to relay: ObjectIdentifier) -> SignalSubscription {
    hasLinks.store(true, ordering: .relaxed)
    Self.all.withLock { $0[relay, default: []].append(self) }
    return SignalSubscription { [self] in
      Self.all.replace { all -> [FailureForwarder]? in
        guard var links = all[relay], let index = links.firstIndex(where: { $0 === self }) else { return nil }
        links.remove(at: index)
        return exchange(&all[relay], with: links.isEmpty ? nil : links)
      }
    }
  }
}
