import Signals

/// A signal of errors that keeps them while there is no subscriber.
final class TweakFailureQueue: Signal {
  typealias Element = TweakError
  typealias Failure = Never

  let relay: FailureRelay<TweakError>
  private let outbox = Outbox<TweakError>()

  /// The errors that no subscriber has received, without duplicates.
  private let waiting = Guarded<[TweakError]>([])

  private static let limit = 100

  init(manager name: String) {
    relay = FailureRelay(of: "TweakManager", name, isKept: true)
  }

  /// Sends an error, and reports it.
  ///
  /// - Parameters:
  ///   - error: The error.
  ///   - isReported: A Boolean value that indicates whether a provider reports the error itself.
  ///   - isLogged: A Boolean value that indicates whether a log has received the error.
  func send(_ error: TweakError, isReported: Bool, isLogged: Bool) {
    let isNews = waiting.withLock { waiting in
      if waiting.contains(error) { return false }
      if waiting.count == Self.limit { waiting.removeFirst() }
      waiting.append(error)
      return true
    }
    let isObserved = isLogged || relay.isObserved
    deliver()
    if isNews, !isReported { relay.report(error) { isObserved } }
  }

  private func deliver() {
    // A subscriber that is added after this check delivers them itself.
    guard relay.hasSubscribers else { return }
    waiting.withLock { waiting in
      outbox.add(contentsOf: waiting)
      waiting = []
    }
    outbox.deliver { relay.deliver($0) }
  }

  func subscribe(_ subscriber: some SignalSubscriber<TweakError, Never>) -> SignalSubscription {
    let subscription = relay.subscribe(subscriber)
    deliver()
    return subscription
  }
}

extension Signal where Element == TweakError, Failure == Never {
  /// Returns a signal that sends a new subscriber the current errors, and then every later one.
  func beginning(with present: @escaping @Sendable () -> [TweakError]) -> AnySignal<TweakError, Never> {
    // The later errors come first, so that none is missed in between.
    merge(with: DeferredSignal { present().signal }).eraseToAnySignal()
  }
}
