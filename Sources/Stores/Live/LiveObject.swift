public import Signals

/// The current model of one row, or `nil` if no row has its key, as returned by ``Database/live(_:id:)``.
///
/// ```swift
/// import Stores
///
/// struct Counter: StoreModel, Equatable {
///   static let table = TableSpec("counter")
///   var id: Int
///   var count = 0
/// }
///
/// let database = try Database(.memory, schema: Schema(version: 1, models: [Counter.self]))
/// let counter = try database.live(Counter.self, id: 7)
/// let subscription = counter.sink { print($0?.count as Any) }  // Prints "nil"
/// try database.write { try $0.put(Counter(id: 7)) }  // Prints "Optional(0)"
/// try counter.update { $0.count += 1 }  // Prints "Optional(1)"
/// try database.write { try $0.delete(Counter.self, id: 7) }  // Prints "nil"
/// subscription.cancel()
/// ```
///
/// - **Deletion** is a value like any other: the object stays. If a row with its key appears again, the object has a
///   value again.
/// - **Reads.** The row is read after each commit that changes it, before the write returns. If several threads or
///   another program write at once, one thread may read for all of them. Reading ``value`` takes a few nanoseconds.
/// - **Threads.** Subscribers are called on the thread that has read, one at a time, with no lock held. They may write.
/// - **Switches.** If the database follows a ``/AppGroups/Scope``, the row changes together with all other live values
///   of the scope. If the new contents cannot be read, it is `nil`.
/// - **Transactions.** An object that is created inside a transaction starts with the row as the transaction sees it.
///   The row is read again when the transaction ends.
public final class LiveObject<Model: StoreModel>: Signal, PropertyConvertible, Sendable {
  /// The model, or `nil` if there is no such row.
  public typealias Element = Model?

  /// The failure type.
  ///
  /// A row never fails; ``status`` and ``failures`` report errors.
  public typealias Failure = Never

  /// The key of the row.
  public let id: Model.ID

  private let database: Database
  private let health: ReadHealth
  // The database retains the read, which does not retain this object.
  private let tracked: TrackedRead<Model>

  /// Reads the row, and follows its changes.
  init(_ database: Database, id: Model.ID) throws(DatabaseError) {
    (self.database, self.id) = (database, id)
    health = ReadHealth(of: "LiveObject", database.writer.path)
    let body = TrackedRead<Model>.Body(read: { try $0.find(Model.self, id: id) }, empty: { _ in nil })
    tracked = TrackedRead(database, health, on: nil, body)
    tracked.start(.immediate)
    if let failure = health.status.value.failure {
      tracked.end()
      throw failure
    }
  }

  deinit {
    tracked.end()
  }

  /// The model as an observable property.
  public var property: Property<Model?> { Property(tracked.values, keeping: self) }

  /// The model as of the last commit that changed it, or `nil` if there is no such row.
  public var value: Model? { tracked.values.value }

  /// The relation of ``value`` to the database.
  ///
  /// It is stale while the row cannot be read.
  public var status: Property<SharedValueStatus<DatabaseError>> { Property(health.status, keeping: self) }

  /// Sends each failure to read the row after a change.
  ///
  /// ``value`` stays the last one that could be read.
  ///
  /// The row is read again after the next change, when the database is resumed or opened again, and after pauses that
  /// grow to five seconds. If that fails for the same reason, it is not reported again.
  public var failures: some Signal<DatabaseError, Never> {
    KeptSignal(upstream: health.failures, owner: self)
  }

  /// Reads the row, changes it, and stores it in one transaction, so that no concurrent change is lost.
  ///
  /// - Parameter body: A closure that changes its argument, the current row. The key must stay the same.
  /// - Returns: The result of `body`, or `nil` if there is no such row; then `body` was not called.
  /// - Throws: The error that `body` threw, or ``DatabaseError``; then nothing has changed.
  @discardableResult
  public func update<Result>(_ body: (inout Model) throws -> Result) throws -> Result? {
    try database.write { transaction in
      guard var model = try transaction.find(Model.self, id: id) else { return nil }
      let result = try body(&model)
      let connection = try transaction.connection
      let layout = try ModelStatements<Model>.of(connection).layout
      guard try layout.isSameKey(id.sqliteValue, model.id.sqliteValue, on: connection) else {
        stop(
          because: "An update changed the key of a live object; put a model with the new key, and delete this one")
      }
      try transaction.put(model)
      return result
    }
  }
}
