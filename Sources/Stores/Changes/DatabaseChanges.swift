public import Signals

/// What each transaction of a database has changed; made by ``Database/changes``.
public struct DatabaseChanges: Signal {
  /// One transaction.
  public typealias Element = ChangeSet

  /// The signal cannot fail.
  public typealias Failure = Never

  let database: Database

  /// Attaches a subscriber; commits of other programs are noticed from the first subscription on.
  ///
  /// - Parameter subscriber: Receives the changes.
  /// - Returns: A token that cancels the subscription when it is released. It does not keep the database open.
  public func subscribe<Subscriber: SignalSubscriber<ChangeSet, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    database.followOthers()
    return database.delivery.emitter.subscribe(subscriber)
  }

  /// The number of subscriptions that are live, or about to be; all live queries and rows together are one.
  ///
  /// - Complexity: O(1).
  public var subscriberCount: Int { database.delivery.emitter.subscriberCount }

  /// Lists the live subscriptions, for tests and debugging, to find leaks.
  ///
  /// It waits for the delivery that is under way, if there is one, and changes nothing. All live queries and rows of the
  /// database together are one entry, `"live queries"`.
  ///
  /// - Returns: One trace for each way that a value takes to a consumer.
  public func subscriptions() async -> [SubscriptionTrace] { await database.delivery.emitter.subscriptions() }
}
