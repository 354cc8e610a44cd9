public import Dispatch

extension Signal {
  /// Delivers values on a dispatch queue, in order.
  ///
  /// Values that arrive while the queue is busy are delivered together, in one block. The subscriber is never called
  /// concurrently with itself, even on a concurrent queue. Cancelling the subscription drops the values that still
  /// wait. See laws 1, 2 and 4 of <doc:/Docs/TheLaws>.
  ///
  /// A source that sends an endless sequence at once stops after a block in which the subscriber needs no more. Do not
  /// subscribe to it on the queue itself, which would then never run the block.
  ///
  /// - Parameter queue: The queue on which the subscriber runs.
  /// - Returns: A signal that delivers on the queue.
  public func receive(on queue: DispatchQueue) -> some Signal<Element, Failure> {
    ReceiveOnSignal(upstream: self) { work in
      queue.async(execute: work)
      return true
    }
  }

  /// Delivers values on the main actor, in order.
  ///
  /// Values that arrive while the main actor is busy are delivered together, in one hop. Cancelling the subscription
  /// drops the values that still wait.
  ///
  /// - Parameter actor: `MainActor.shared`.
  /// - Returns: A signal that delivers on the main actor.
  public func receive(on actor: MainActor) -> some Signal<Element, Failure> {
    ReceiveOnSignal(upstream: self) { work in
      Task.detached { await run(work, on: actor) }
      return true
    }
  }

  /// Delivers values on an actor, in order.
  ///
  /// Values that arrive while the actor is busy are delivered together, in one hop. Cancelling the subscription drops
  /// the values that still wait. The signal does not keep the actor alive. After the actor has been released, nothing
  /// more is delivered.
  ///
  /// - Parameter actor: The actor on which the subscriber runs.
  /// - Returns: A signal that delivers on the actor.
  public func receive(on actor: some Actor) -> some Signal<Element, Failure> {
    ReceiveOnSignal(upstream: self) { [weak actor] work in
      guard let actor else { return false }
      Task.detached { await run(work, on: actor) }
      return true
    }
  }
}

private func run(_ work: @Sendable () -> Void, on actor: isolated some Actor) {
  work()
}

/// A signal that delivers elsewhere; the result of ``Signal/receive(on:)-(DispatchQueue)`` and its overloads for
/// actors.
@usableFromInline
struct ReceiveOnSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  @usableFromInline typealias Element = Upstream.Element

  /// The error of the upstream signal.
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let schedule: Schedule

  /// Attaches a subscriber that is called on the queue or actor.
  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    let carrier = Carrier(to: ErasedSubscriber(subscriber), schedule: schedule)
    // The token closes the carrier first: from then on nothing is delivered, on any thread.
    carrier.hold(upstream.subscribe(HubInput(carrier)))
    return SignalSubscription(owner: carrier)
  }
}
