import Signals

/// What other processes have committed, beginning with what has waited.
struct IncomingChanges: Signal {
  typealias Element = ChangeSet
  typealias Failure = Never

  let feed: ShareFeed

  func subscribe<Subscriber: SignalSubscriber<ChangeSet, Never>>(_ subscriber: Subscriber) -> SignalSubscription {
    defer { feed.begin() }
    return feed.incoming.subscribe(subscriber)
  }
}
