import Signals

/// A signal of the changes of each transaction of a database.
struct DatabaseChanges: Signal {
  typealias Element = ChangeSet
  typealias Failure = Never

  let database: Database

  func subscribe(_ subscriber: some SignalSubscriber<ChangeSet, Never>) -> SignalSubscription {
    database.followOthers()
    return database.delivery.emitter.subscribe(subscriber)
  }
}
