public import Signals
public import Stores

/// The result of a query in a database of the current context, as returned by ``StandardAppContext/query(_:in:)`` and
/// ``StandardAppContext/live(_:id:in:)``.
///
/// The query never ends, and never shows the rows of a previous user. If the next context's database cannot be read,
/// subscribers receive the value for an empty database.
///
/// - **One change.** The rows of the next context are read before it is shown, and change together with
///   ``StandardAppContext/current`` and, in a scope, with the environment.
/// - **Failure.** If a database cannot be opened or read, subscribers keep the last value of the same context, and
///   ``status`` and ``failures`` report the error. The read is tried again after the next change, and after pauses that
///   grow to five seconds.
/// - **Other processes.** Commits of processes with the same session are observed.
/// - **Subscribers.** All subscribers share one read. A late one receives the last value first.
/// - **Threads.** Subscribers are called on the thread that has read.
public final class ContextQuery<Element: Sendable>: Signal, PropertyConvertible, Sendable {
  /// The failure type.
  ///
  /// A query never fails; ``failures`` reports errors.
  public typealias Failure = Never

  private let query: LiveQuery<Element>

  init(
    _ board: any ContextBoard, _ kind: Store.Kind, empty: Element,
    _ read: @escaping @Sendable (Database) throws(DatabaseError) -> AnySignal<ContextReadEvent<Element>, Never>
  ) {
    query = LiveQuery { health in ContextReads(board, kind, health, empty: empty, read) }
  }

  /// The relation of the last value to the current context's database.
  ///
  /// It is ``/Signals/SharedValueStatus/connecting`` until the first read, and then reports the result of the last
  /// read.
  public var status: Property<SharedValueStatus<DatabaseError>> { query.status }

  /// Sends each failure to open or read a database while there are subscribers of the values.
  public var failures: some Signal<DatabaseError, Never> { query.failures }

  /// Opens the current context's database, sends its rows, and follows changes.
  ///
  /// - Parameter subscriber: Receives the values.
  /// - Returns: A token that ends the observation when it is cancelled or released.
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Never>) -> SignalSubscription {
    query.subscribe(subscriber)
  }

  /// A property with the query's last value, or `nil` before the first read.
  ///
  /// The query is observed for as long as the property or a subscription to it lives.
  public var property: Property<Element?> { query.property }

  /// Returns a property with the query's last value, which can be read at any time.
  ///
  /// A value derived from it, ``StandardAppContext/current`` and other values of a ``/AppGroups/Scope`` never mixes two
  /// contexts.
  ///
  /// - Parameter initial: The value before the first read.
  /// - Returns: A property that observes the query for as long as the property or a subscription to it lives.
  public func property(initial: Element) -> Property<Element> { query.property(initial: initial) }
}

/// An event in the database of one context.
enum ContextReadEvent<Element: Sendable>: Sendable {
  case status(SharedValueStatus<DatabaseError>)
  case failure(DatabaseError)
  case value(Element)

  static func merged(
    _ failures: some Signal<DatabaseError, Never>, _ status: Property<SharedValueStatus<DatabaseError>>,
    _ values: some Signal<Element, Never>
  ) -> AnySignal<ContextReadEvent, Never> {
    // The values come last, because subscribing to them starts the read.
    merge(failures.map { .failure($0) }, status.map { .status($0) }, values.map { .value($0) }).eraseToAnySignal()
  }
}
