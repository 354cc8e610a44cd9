import Dispatch
public import Signals

/// What a read gives, now and after each change of what it depends on; made by ``Database/query(_:)-22c9v``.
///
/// - **The current value comes first**, before the subscription is returned. After that comes what the read gives after
///   a change, unless it is the same: no change is missed, and the last value is that of the last change. Changes that
///   come while a value is being read or delivered are taken together. Inside a transaction of the same
///   thread the current value is what that sees, and read again when it is over.
/// - **A value is one moment's**: never half of a transaction. Values come in the order of commits.
/// - **Threads.** Reading and delivering happen on a serial queue of the subscription's own, but for the first value. A
///   slow subscriber delays no writer, and nobody else.
/// - **Failure.** If the read fails, the signal does, with the error that says why;
///   ``/Signals/Signal/retry(_:when:)`` begins anew.
///
/// Each subscription reads for itself; with ``/Signals/Signal/share(replay:)``, many have one between them.
public struct LiveQuery<Element: Sendable>: Signal {
  /// Why a read failed.
  public typealias Failure = DatabaseError

  let database: Database
  let region: @Sendable (Database) throws(DatabaseError) -> ObservedRegion
  let read: @Sendable (ReadTransaction) throws(DatabaseError) -> Element
  let isSame: @Sendable (Element, Element) -> Bool

  /// Reads, hands over what there is, and observes from then on.
  ///
  /// - Parameter subscriber: Receives the values.
  /// - Returns: A token that ends the observation when it is cancelled or released.
  public func subscribe<Subscriber: SignalSubscriber<Element, DatabaseError>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let follower = QueryFollower(self)
    let subscription = follower.emitter.subscribe(subscriber)
    follower.start()
    return SignalSubscription {
      subscription.cancel()
      follower.end()
    }
  }
}

/// One subscription to a query.
private final class QueryFollower<Element: Sendable>: RegionObserver {
  let emitter = Emitter<Element, DatabaseError>()
  private let query: LiveQuery<Element>
  private let refreshing = Refreshing()
  private let queue = DispatchQueue(label: "org.signals.query", qos: .userInitiated)
  private let state = Guarded(State())

  private struct State {
    /// The last value that was sent.
    var last: Element?
    var region: ObservedRegion?
  }

  init(_ query: LiveQuery<Element>) {
    self.query = query
  }

  func start() {
    let region: ObservedRegion
    do throws(DatabaseError) {
      region = try query.region(query.database)
    } catch {
      return emitter.fail(error)
    }
    state.withLock { $0.region = region }
    // Before the first look: what is committed after that is then told of.
    _ = refreshing.demand()
    query.database.follow(region, self)
    if refreshing.runOnce(look) { queue.async { [self] in refreshing.run(look) } }
    // What a transaction sees may be older than the last commit, or never be committed.
    query.database.afterTransaction { [self] in regionDidChange() }
  }

  func end() {
    refreshing.end()
    if let region = state.withLock({ $0.region }) { query.database.regions.remove(self, region) }
  }

  func regionDidChange() {
    if refreshing.demand() { queue.async { [self] in refreshing.run(look) } }
  }

  private func look() {
    do throws(DatabaseError) {
      let value = try query.database.readValue(query.read)
      // One thread at a time refreshes.
      if let last = state.withLock({ $0.last }), query.isSame(last, value) { return }
      let old = state.withLock { state in
        defer { state.last = value }
        return state.last
      }
      withExtendedLifetime(old) {}
      emitter.send(value)
    } catch {
      end()
      emitter.fail(error)
    }
  }
}
