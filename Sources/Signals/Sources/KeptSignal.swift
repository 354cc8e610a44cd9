/// A signal whose subscriptions keep an object alive that is needed for sending.
package struct KeptSignal<Upstream: Signal>: Signal {
  package typealias Element = Upstream.Element
  package typealias Failure = Upstream.Failure

  let upstream: Upstream
  let owner: any AnyObject & Sendable

  package init(upstream: Upstream, owner: any AnyObject & Sendable) {
    self.upstream = upstream
    self.owner = owner
  }

  package func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(subscriber).keepAlive(owner)
  }
}
