/// A signal whose subscriptions keep an object alive that is needed for sending.
package struct KeptSignal<Upstream: Signal>: Signal {
  package typealias Element = Upstream.Element
  package typealias Failure = Upstream.Failure

  let upstream: Upstream
  let owner: any AnyObject & Sendable

  package init(upstream: Upstream, owner: any AnyObject & Sendable) {
    (self.upstream, self.owner) = (upstream, owner)
  }

  package func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    upstream.subscribe(subscriber).keepAlive(owner)
  }
}
