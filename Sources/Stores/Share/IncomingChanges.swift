public import Signals

/// What other processes have committed, beginning with what has waited; made by ``DatabaseShare/incoming``.
public struct IncomingChanges: Signal {
  /// One transaction of another process.
  public typealias Element = ChangeSet

  /// The signal cannot fail; see ``DatabaseShare/failures``.
  public typealias Failure = Never

  let engine: ShareEngine

  /// Attaches a subscriber, and delivers what has waited if it is the first.
  ///
  /// - Parameter subscriber: Receives the changes, on a serial queue of the share's own.
  /// - Returns: A token that cancels the subscription when it is released. It keeps the share alive.
  public func subscribe<Subscriber: SignalSubscriber<ChangeSet, Never>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    defer { engine.feed.begin() }
    return engine.feed.incoming.subscribe(subscriber).keepAlive(engine)
  }

  /// The number of subscriptions that are live, or about to be.
  ///
  /// - Complexity: O(1).
  public var subscriberCount: Int { engine.feed.incoming.subscriberCount }

  /// Lists the live subscriptions, for tests and debugging, to find leaks.
  ///
  /// It waits for the delivery that is under way, if there is one, and changes nothing.
  ///
  /// - Returns: One trace for each way that a value takes to a consumer.
  public func subscriptions() async -> [SubscriptionTrace] { await engine.feed.incoming.subscriptions() }
}
