public import Dispatch

extension Signal {
  /// Delivers the values on a dispatch queue, in order.
  ///
  /// Values that come while the queue is busy are delivered together, by one block. The subscriber is never called
  /// concurrently with itself, even on a concurrent queue. What waits when the subscription is cancelled is dropped.
  /// See laws 1, 2 and 4 of <doc:/Docs/TheLaws>.
  ///
  /// - Parameter queue: Where the subscriber will run.
  /// - Returns: A signal that delivers on the queue.
  public func receive(on queue: DispatchQueue) -> ReceiveOnSignal<Self> {
    ReceiveOnSignal(upstream: self) { work in
      queue.async(execute: work)
      return true
    }
  }

  /// Delivers the values on the main actor, in order.
  ///
  /// Values that come while the main actor is busy are delivered together, in one hop. What waits when the subscription
  /// is cancelled is dropped.
  ///
  /// - Parameter actor: `MainActor.shared`.
  /// - Returns: A signal that delivers on the main actor.
  public func receive(on actor: MainActor) -> ReceiveOnSignal<Self> {
    ReceiveOnSignal(upstream: self) { work in
      Task.detached { await run(work, on: actor) }
      return true
    }
  }

  /// Delivers the values on an actor, in order.
  ///
  /// Values that come while the actor is busy are delivered together, in one hop. What waits when the subscription is
  /// cancelled is dropped. The actor is not kept alive: when it is gone, nothing more is delivered.
  ///
  /// - Parameter actor: Where the subscriber will run.
  /// - Returns: A signal that delivers on the actor.
  public func receive(on actor: some Actor) -> ReceiveOnSignal<Self> {
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

/// A signal that delivers elsewhere; made by ``Signal/receive(on:)-(DispatchQueue)`` and its twin for actors.
public struct ReceiveOnSignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let schedule: Schedule

  init(upstream: Upstream, schedule: @escaping Schedule) {
    self.upstream = upstream
    self.schedule = schedule
  }

  /// Attaches a subscriber that will be called there.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let carrier = Carrier(to: ErasedSubscriber(subscriber), schedule: schedule)
    // The token closes the carrier first: from then on nothing is delivered, whichever thread gets there first.
    carrier.hold(upstream.subscribe(CarrierStage(carrier: carrier)))
    return SignalSubscription(owner: carrier)
  }
}
