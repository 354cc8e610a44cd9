public import Signals

/// A signal of the changes of each transaction of a database; the result of ``Database/changes``.
public struct DatabaseChanges: Signal {
  /// The type of the changes of one transaction.
  public typealias Element = ChangeSet

  /// `Never`: the signal cannot fail.
  public typealias Failure = Never

  let database: Database

  /// Attaches a subscriber.
  ///
  /// Commits of other programs are detected from the first subscription on.
  ///
  /// - Parameter subscriber: The subscriber. It receives the changes.
  /// - Returns: A token that cancels the subscription when it is released. It does not keep the database open.
  public func subscribe(_ subscriber: some SignalSubscriber<ChangeSet, Never>) -> SignalSubscription {
    database.followOthers()
    return database.delivery.emitter.subscribe(subscriber)
  }

  /// The number of subscriptions that are active or being started.
  ///
  /// All live queries and rows together count as one.
  ///
  /// - Complexity: O(1).
  public var subscriberCount: Int { database.delivery.emitter.subscriberCount }

  /// Lists the active subscriptions.
  ///
  /// Use this method in tests and while debugging, to find leaks. It waits for a delivery that is in progress, and
  /// changes nothing. All live queries and rows of the database together are one entry, `"live queries"`.
  ///
  /// - Returns: One trace for each path from the database to a consumer.
  public func subscriptions() async -> [SubscriptionTrace] { await database.delivery.emitter.subscriptions() }
}
