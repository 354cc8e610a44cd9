public import Signals

/// A signal of the transactions of other processes, beginning with those waiting; the result of
/// ``DatabaseShare/incoming``.
public struct IncomingChanges: Signal {
  /// The type of the changes of one transaction of another process.
  public typealias Element = ChangeSet

  /// `Never`: the signal cannot fail; see ``DatabaseShare/failures``.
  public typealias Failure = Never

  let engine: ShareEngine

  /// Attaches a subscriber.
  ///
  /// The first one also receives the waiting changes. The first subscription under the author's name writes the
  /// position into the database before it returns, so that a process that is killed afterwards misses nothing; it
  /// waits for another writer, at most for the database's `busyTimeout`.
  ///
  /// - Parameter subscriber: The subscriber. It receives the changes, on a serial queue of the share.
  /// - Returns: A token that cancels the subscription when it is released. It keeps the share alive.
  public func subscribe<Subscriber: SignalSubscriber<ChangeSet, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    defer { engine.feed.join() }
    return engine.feed.incoming.subscribe(subscriber).keepAlive(engine)
  }

  /// The number of subscriptions that are active or being started.
  ///
  /// - Complexity: O(1).
  public var subscriberCount: Int { engine.feed.incoming.subscriberCount }

  /// Lists the active subscriptions.
  ///
  /// Use this method in tests and while debugging, to find leaks. It waits for a delivery that is in progress, and
  /// changes nothing.
  ///
  /// - Returns: One trace for each path from the signal to a consumer.
  public func subscriptions() async -> [SubscriptionTrace] { await engine.feed.incoming.subscriptions() }
}
