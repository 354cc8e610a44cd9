import Signals

/// A signal whose subscriptions keep an object alive, because without it nothing would be sent.
struct KeptSignal<Upstream: Signal>: Signal {
  typealias Element = Upstream.Element
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let owner: any AnyObject & Sendable

  func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(_ subscriber: Subscriber) -> SignalSubscription {
    upstream.subscribe(subscriber).keepAlive(owner)
  }
}
