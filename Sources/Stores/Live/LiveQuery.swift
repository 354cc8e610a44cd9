import Dispatch
public import Signals

/// The result of a read, now and after each change of the data that it has read.
///
/// ``Database/observe(scheduling:_:)`` and ``Database/query(_:scheduling:)`` return it.
///
/// It never ends. If a read fails, subscribers keep the last value, and ``status`` and ``failures`` report the error.
///
/// ```swift
/// import Stores
///
/// struct Person: StoreModel, Equatable {
///   static let table = TableSpec("person")
///   var id: Int
/// }
///
/// let database = try Database(.memory, schema: Schema(version: 1, models: [Person.self]))
/// let people = database.query(Query<Person>())
/// let subscription = people.sink { print($0.count) }  // Prints "0"
/// print(people.status.value)  // Prints "current"
/// subscription.cancel()
/// ```
///
/// - **The current value comes first**, before the subscription is returned. It comes later if it cannot be read, if
///   another thread is reading it for the first time, or with ``LiveQueryScheduling/async``. Inside a transaction of
///   the same thread, the first subscriber receives the value that the transaction sees, which is read again when the
///   transaction ends.
/// - **Changes.** After that, subscribers receive the result of each later read, unless it is equal. Changes during a
///   read or a delivery are combined. The last value always includes the last change.
/// - **Consistency.** A value shows one moment, and never a part of a transaction. Values come in the order of commits.
/// - **Failure.** The read is repeated after the next change, when the database is resumed or opened again, and after
///   pauses that grow to five seconds. It is not repeated once the database is closed for good.
/// - **Switches.** If the database follows a ``/AppGroups/Scope``, new rows are read before a switch is complete, and
///   sent with all other changes of the switch. If they cannot be read, the query shows the value of an empty database,
///   since the last value belongs to other contents.
/// - **Threads.** The query reads and delivers on its own serial queue, except for the first value and the first one
///   after a switch. A slow subscriber delays no writer, and no other query.
/// - **Cancellation.** When the last subscription ends, a read in progress is interrupted.
/// - **Subscribers.** All subscribers of one query share its reads, from the first subscription to the end of the last.
/// - **Lifetime.** A subscription keeps the query and its database alive, and a ``DatabaseShare`` of the database.
public final class LiveQuery<Element: Sendable>: Signal, PropertyConvertible, Sendable {
  /// The failure type.
  ///
  /// A query never fails; ``failures`` reports errors.
  public typealias Failure = Never

  /// The relation of the last value to the database.
  ///
  /// It is ``/Signals/SharedValueStatus/connecting`` until the first read, and then reports the result of the last
  /// read.
  public var status: Property<SharedValueStatus<DatabaseError>> { Property(health.status, keeping: self) }

  private let scheduling: LiveQueryScheduling
  private let makeRound: @Sendable (ReadHealth) -> any QueryRound<Element>
  private let health: ReadHealth
  private let state = Guarded(State())

  private struct State {
    var round: (any QueryRound<Element>)?
    var members = 0
  }

  package init(
    of path: String,
    scheduling: LiveQueryScheduling = .immediate,
    _ makeRound: @escaping @Sendable (ReadHealth) -> any QueryRound<Element>
  ) {
    health = ReadHealth(of: "LiveQuery", path)
    self.scheduling = scheduling
    self.makeRound = makeRound
  }

  convenience init(_ database: Database, _ scheduling: LiveQueryScheduling, _ body: TrackedRead<Element>.Body) {
    self.init(of: database.writer.path, scheduling: scheduling) { health in
      TrackedRead(database, health, on: DispatchQueue(label: "org.signals.query", qos: .userInitiated), body)
    }
  }

  /// Sends each failure of a read while the values have subscribers.
  ///
  /// If a repeated read fails for the same reason, it is not reported again.
  public var failures: some Signal<DatabaseError, Never> { KeptSignal(upstream: health.failures, owner: self) }

  /// Reads, delivers the current value, and observes later changes.
  ///
  /// - Parameter subscriber: Receives the values.
  /// - Returns: A token that ends the observation when it is cancelled or released.
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Never>) -> SignalSubscription {
    let round = joined()
    // There is no value before the first read.
    let subscription = round.values.compactMap { $0 }.subscribe(subscriber)
    return SignalSubscription { [self] in
      subscription.cancel()
      leave()
    }
  }

  /// A property with the query's last value, or `nil` before the first read.
  ///
  /// The query is observed for as long as the property or a subscription to it lives. Other values can be derived from
  /// the query itself:
  ///
  /// ```swift
  /// import Signals
  /// import Stores
  ///
  /// struct Errand: StoreModel, Equatable {
  ///   static let table = TableSpec("errand")
  ///   var id: Int
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Errand.self]))
  /// try database.write { try $0.put(Errand(id: 1)) }
  /// let title = Property.derived(database.query(Query<Errand>())) { "\($0?.count ?? 0) errands" }
  /// print(title.value)  // Prints "1 errands"
  /// ```
  public var property: Property<Element?> {
    let round = joined()
    let membership = SignalSubscription { [self] in leave() }
    return Property(round.values, keeping: membership)
  }

  /// Returns a property with the query's last value, which can be read at any time.
  ///
  /// A value derived from it and from other values of a ``/AppGroups/Scope`` never mixes old and new contents.
  ///
  /// - Parameter initial: The value before the first read.
  /// - Returns: A property that observes the query for as long as the property or a subscription to it lives.
  public func property(initial: Element) -> Property<Element> {
    let round = joined()
    let membership = SignalSubscription { [self] in leave() }
    return Property(.derived(round.values) { $0 ?? initial }, keeping: membership)
  }

  /// Reads again on the query's queue, because something other than the database has changed.
  func refresh() {
    state.withLock { $0.round }?.refresh()
  }

  /// Adds a member to the round, and begins to read for the first one.
  private func joined() -> any QueryRound<Element> {
    let (round, isFirst) = state.withLock { state -> (any QueryRound<Element>, Bool) in
      state.members += 1
      if let round = state.round { return (round, false) }
      let round = makeRound(health)
      state.round = round
      return (round, true)
    }
    if isFirst { round.start(scheduling) }
    return round
  }

  private func leave() {
    let ended = state.withLock { state -> (any QueryRound<Element>)? in
      state.members -= 1
      return state.members == 0 ? state.round.take() : nil
    }
    ended?.end()
  }
}

/// The reads that all subscribers of a query share, from the first subscription to the end of the last.
package protocol QueryRound<Element>: Sendable {
  associatedtype Element: Sendable

  /// The last value, or `nil` before the first.
  var values: MutableProperty<Element?> { get }

  func start(_ scheduling: LiveQueryScheduling)

  /// Reads again, because something other than the database has changed.
  func refresh()

  /// Ends all reads, including the one in progress.
  func end()
}

extension LiveQuery {
  /// The number of subscribers that receive the values, or are about to.
  ///
  /// - Complexity: O(1).
  package var subscriberCount: Int { state.withLock { $0.members } }

  /// Lists the subscribers of the values, for tests and debugging, to find leaks.
  ///
  /// It waits for a delivery in progress, and changes nothing.
  ///
  /// - Returns: One trace for each path from the query to a consumer.
  package func subscriptions() async -> [SubscriptionTrace] {
    await state.withLock { $0.round }?.values.subscriptions() ?? []
  }
}

/// The time and place of the first read of a ``LiveQuery``.
@nonexhaustive
public enum LiveQueryScheduling: Hashable, Sendable {
  /// The subscribing thread reads the current value, and receives it before the subscription is returned.
  case immediate

  /// The query's own queue reads and delivers the current value, so the subscribing thread never reads.
  ///
  /// Choose this for reads that take long, or for a main thread that must not wait for a disk. If the database follows a
  /// ``/AppGroups/Scope``, the thread that switches its contents still reads once.
  case async
}
