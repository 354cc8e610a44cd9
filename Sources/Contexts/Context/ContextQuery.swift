public import Signals
public import Stores

/// The result of a read in a database of the current context, whichever that is; made by
/// ``StandardAppContext/query(_:in:)`` and ``StandardAppContext/live(_:id:in:)``.
///
/// It never ends, and never shows what belongs to a user who is gone: if the next context's database cannot be read,
/// subscribers receive what an empty one would give.
///
/// - **One change.** The rows of the next context are read before it is shown, and change together with
///   ``StandardAppContext/current`` and, in a scope, with the environment.
/// - **Failure.** If a database cannot be opened or read, subscribers keep the last value of the same context, and
///   ``status`` and ``failures`` say what is wrong. It is tried again after the next change, and after pauses that grow
///   to five seconds.
/// - **Other processes.** Commits of processes with the same session are followed.
/// - **Subscribers.** All subscribers share one read. A late one receives the last value first.
/// - **Threads.** Subscribers are called on the thread that has read.
public final class ContextQuery<Element: Sendable>: Signal, Sendable {
  /// It cannot fail; ``failures`` tells what keeps it from being read.
  public typealias Failure = Never

  private let makeReads: @Sendable () -> ContextReads<Element>
  private let health: ContextReadHealth
  private let state = Guarded(State())

  private struct State {
    /// The reads that present subscribers share, from the first to come until the last to leave.
    var reads: ContextReads<Element>?
    var members = 0
  }

  init(
    _ board: any ContextBoard, _ kind: Store.Kind, empty: Element,
    _ read: @escaping @Sendable (Database) throws(DatabaseError) -> AnySignal<ContextReadEvent<Element>, Never>
  ) {
    let health = ContextReadHealth()
    self.health = health
    makeReads = { ContextReads(board, kind, health, empty: empty, read) }
  }

  /// How the last value relates to the current context's database: ``/Signals/SharedValueStatus/connecting`` until the
  /// first read, and from then on what has become of the last one.
  public var status: Property<SharedValueStatus<DatabaseError>> { Property(health.status, keeping: health) }

  /// Sends each failure to open or read a database while there are subscribers of the values.
  public var failures: some Signal<DatabaseError, Never> { KeptSignal(upstream: health.failures, owner: health) }

  /// Opens the current context's database, delivers what there is, and follows from then on.
  ///
  /// - Parameter subscriber: Receives the values.
  /// - Returns: A token that ends the observation when it is cancelled or released.
  public func subscribe<Subscriber: SignalSubscriber<Element, Never>>(_ subscriber: Subscriber) -> SignalSubscription {
    let reads = join()
    let subscription = reads.values.compactMap { $0 }.subscribe(subscriber)
    return SignalSubscription { [self] in
      subscription.cancel()
      leave()
    }
  }

  /// Makes a property of the query: its last value, to be read at any time.
  ///
  /// A value derived from it, ``StandardAppContext/current`` and other values of a ``/AppGroups/Scope`` never mixes two
  /// contexts.
  ///
  /// - Parameter initial: The value until there is a first one.
  /// - Returns: A property that observes the query for as long as the property or a subscription to it lives.
  public func property(initial: Element) -> Property<Element> {
    let reads = join()
    let membership = SignalSubscription { [self] in leave() }
    return Property(.derived(reads.values) { $0 ?? initial }, keeping: membership)
  }

  private func join() -> ContextReads<Element> {
    let (reads, isFirst) = state.withLock { state in
      state.members += 1
      if let reads = state.reads { return (reads, false) }
      let reads = makeReads()
      state.reads = reads
      return (reads, true)
    }
    if isFirst { reads.start() }
    return reads
  }

  private func leave() {
    let ended = state.withLock { state -> ContextReads<Element>? in
      state.members -= 1
      return state.members == 0 ? state.reads.take() : nil
    }
    ended?.end()
  }
}

/// An event in the database of one context.
enum ContextReadEvent<Element: Sendable>: Sendable {
  case status(SharedValueStatus<DatabaseError>)
  case failure(DatabaseError)
  case value(Element)
}

/// The status and the failures of one query, in one context after the other.
final class ContextReadHealth: Sendable {
  let status = MutableProperty(SharedValueStatus<DatabaseError>.connecting)
  let failures = Emitter<DatabaseError, Never>()
}
