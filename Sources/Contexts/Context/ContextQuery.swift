import Dispatch
import FileSignals
public import Signals
public import Stores

/// What a read gives in a database of the current context, whichever that is; made by
/// ``StandardAppContext/query(_:in:)`` and ``StandardAppContext/live(_:id:in:)``.
///
/// It never ends, and never shows what belongs to a user who is gone: if the next context's database cannot be read,
/// subscribers receive what an empty one would give.
///
/// - **Failure.** If a database cannot be opened or read, subscribers keep the last value of the same context, and
///   ``status`` and ``failures`` say what is wrong. It is tried again after the next change, and after pauses that grow
///   to five seconds.
/// - **Other processes.** Commits of processes with the same session are followed.
/// - **Subscribers.** All subscribers share one read. A late one receives the last value first.
/// - **Threads.** Subscribers are called on the thread that has read.
public final class ContextQuery<Element: Sendable>: Signal, Sendable {
  /// It cannot fail; ``failures`` tells what keeps it from being read.
  public typealias Failure = Never

  private let reads: ContextReads<Element>
  private let values: AnySignal<Element, Never>

  init<User: SessionUser>(
    _ current: Property<AppContext<User>>, _ kind: Store.Kind, empty: Element,
    _ read: @escaping @Sendable (Database) throws(DatabaseError) -> AnySignal<ContextReadEvent<Element>, Never>
  ) {
    let reads = ContextReads(empty: empty)
    self.reads = reads
    let events = Signals.combineLatest(current, reads.attempts).flatMapLatest {
      context, _ -> AnySignal<ContextReadEvent<Element>, Never> in
      // Whoever is busy with the last switch on another thread may learn of this one after its databases are closed.
      let isWanted = { @Sendable (event: ContextReadEvent<Element>) in !event.isClosed || current.value == context }
      do throws(DatabaseError) {
        let events = try read(context.store.database(kind))
        reads.didOpen()
        return JustSignal(.began).append(events.filter(isWanted)).eraseToAnySignal()
      } catch {
        guard isWanted(.failure(error)) else { return .never() }
        reads.retryLater()
        return [.began, .status(.stale(error, since: .now)), .failure(error)].signal.append(.never()).eraseToAnySignal()
      }
    }
    values = AnySignal(events.compactMap { reads.take($0) }.share(replay: 1))
  }

  /// How the last value relates to the current context's database: ``/Signals/SharedValueStatus/connecting`` until the
  /// first read, and from then on what has become of the last one.
  public var status: Property<SharedValueStatus<DatabaseError>> { Property(reads.status, keeping: reads) }

  /// Sends each failure to open or read a database while there are subscribers of the values.
  public var failures: some Signal<DatabaseError, Never> { KeptSignal(upstream: reads.failures, owner: reads) }

  /// Opens the current context's database, delivers what there is, and follows from then on.
  ///
  /// - Parameter subscriber: Receives the values.
  /// - Returns: A token that ends the observation when it is cancelled or released.
  public func subscribe<Subscriber: SignalSubscriber<Element, Never>>(_ subscriber: Subscriber) -> SignalSubscription {
    values.subscribe(subscriber)
  }
}

/// What happens in the database of one context.
enum ContextReadEvent<Element: Sendable>: Sendable {
  case began
  case status(SharedValueStatus<DatabaseError>)
  case failure(DatabaseError)
  case value(Element)

  /// Whether it says that the database is closed, or was when the environment was switched.
  var isClosed: Bool {
    switch self {
    case .status(.stale(.closed, _)), .failure(.closed), .status(.stale(.swapped, _)), .failure(.swapped): true
    default: false
    }
  }
}

/// What has become of the reads of one query, in one context after the other.
final class ContextReads<Element: Sendable>: Sendable {
  let status = MutableProperty(SharedValueStatus<DatabaseError>.connecting)
  let failures = Emitter<DatabaseError, Never>()
  /// The number of attempts to open a database that have failed.
  let attempts = MutableProperty(0)
  private let empty: Element
  private let state = Guarded(State())

  private struct State {
    var pauses = Backoff.exponential(from: .milliseconds(250), upTo: .seconds(5)).pauses()
    /// Whether subscribers have what belongs to an earlier context.
    var hasOld = false
    var hasValue = false
  }

  init(empty: Element) {
    self.empty = empty
  }

  func didOpen() {
    state.withLock { $0.pauses.reset() }
  }

  func retryLater() {
    guard let pause = state.withLock({ $0.pauses.next() }) else { return }
    DispatchQueue.global(qos: .userInitiated).async(after: pause) { [weak attempts] in attempts?.modify { $0 += 1 } }
  }

  /// Notes an event.
  ///
  /// - Returns: What subscribers receive; `nil` if they do not.
  func take(_ event: ContextReadEvent<Element>) -> Element? {
    switch event {
    case .began:
      state.withLock { state in
        state.hasOld = state.hasOld || state.hasValue
        state.hasValue = false
      }
      return nil
    case .value(let value):
      state.withLock { ($0.hasOld, $0.hasValue) = (false, true) }
      return value
    case .failure(let error):
      failures.send(error)
      return nil
    case .status(let new):
      if status.value != new { status.value = new }
      guard new.failure != nil else { return nil }
      let isDue = state.withLock { state in
        defer { state.hasOld = false }
        return state.hasOld
      }
      return isDue ? empty : nil
    }
  }
}
