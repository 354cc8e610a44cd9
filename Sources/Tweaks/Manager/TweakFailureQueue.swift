import Signals

/// A signal of errors that keeps them while there is no subscriber.
final class TweakFailureQueue: Signal {
  typealias Element = TweakError
  typealias Failure = Never

  private let emitter = Emitter<TweakError, Never>()
  private let outbox = Outbox<TweakError>()

  /// The errors that no subscriber has received, without duplicates.
  private let waiting = Guarded<[TweakError]>([])

  private static let limit = 100

  func send(_ error: TweakError) {
    waiting.withLock { waiting in
      if waiting.contains(error) { return }
      if waiting.count == Self.limit { waiting.removeFirst() }
      waiting.append(error)
    }
    deliver()
  }

  private func deliver() {
    // A subscriber that is added after this check delivers them itself.
    guard emitter.hasSubscribers else { return }
    waiting.withLock { waiting in
      outbox.add(contentsOf: waiting)
      waiting = []
    }
    outbox.deliver { emitter.send($0) }
  }

  func subscribe(_ subscriber: some SignalSubscriber<TweakError, Never>) -> SignalSubscription {
    let subscription = emitter.subscribe(subscriber)
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
