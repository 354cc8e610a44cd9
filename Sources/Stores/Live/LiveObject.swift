public import Signals

/// One row, as it is now: a model, or `nil` if there is no row with this key; made by ``Database/live(_:id:)-1nq2m``.
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
/// Deletion is a value like any other: the object stays, and if a row with its key appears again, it has a value again.
///
/// ``value`` is read after each commit that touches the row, before the write returns that made it; if several threads
/// write at once, or another program does, one thread may read for all. Reading it costs a few nanoseconds. Subscribers
/// are called on the thread that has read, one at a time, with no lock held; they may write.
///
/// If the database follows a ``/AppGroups/Scope``, the row changes together with all other live values of the scope. If
/// the new contents cannot be read, it is `nil`.
///
/// An object that is made inside a transaction begins with what that sees; the row is read again when it is over.
public final class LiveObject<Model: StoreModel>: Signal, Sendable {
  /// The model, or `nil` if there is no such row.
  public typealias Element = Model?

  /// A row cannot fail; ``status`` and ``failures`` tell what keeps it from being read.
  public typealias Failure = Never

  /// The key of the row.
  public let id: Model.ID

  /// The model as an observable property, which reads and sends what this object does.
  public let property: Property<Model?>

  private let follower: ObjectFollower<Model>

  init(_ database: Database, id: Model.ID, isSame: @escaping @Sendable (Model, Model) -> Bool) throws(DatabaseError) {
    self.id = id
    follower = try ObjectFollower(database, id: id, isSame: isSame)
    // Who subscribes keeps the follower, not this object.
    property = Property(follower.model, keeping: follower)
  }

  /// The model as of the last commit that touched it; `nil` if there is no such row.
  public var value: Model? { follower.model.value }

  /// How ``value`` relates to the database: it is stale while the row cannot be read.
  public var status: Property<SharedValueStatus<DatabaseError>> { Property(follower.health.status, keeping: follower) }

  /// Sends each failure to read the row after a change; ``value`` is the last that could be read.
  ///
  /// The row is read again after the next change, when the database is resumed or opened again, and after pauses that
  /// grow to five seconds. If that fails for the same reason, it is not reported again.
  public var failures: some Signal<DatabaseError, Never> {
    KeptSignal(upstream: follower.health.failures, owner: follower)
  }

  /// Attaches a subscriber, and returns the token that keeps it attached, and the row observed.
  ///
  /// - Parameter subscriber: Receives the model before this returns, and then after every change.
  /// - Returns: A token that cancels the subscription when it is released.
  public func subscribe<Subscriber: SignalSubscriber<Model?, Never>>(_ subscriber: Subscriber) -> SignalSubscription {
    property.subscribe(subscriber)
  }

  /// Reads the row, changes it, and stores it, in one transaction: no change that others make is lost.
  ///
  /// - Parameter body: Changes its argument, which is the row at this moment; its key must stay as it is.
  /// - Returns: What `body` returned; `nil` if there is no such row, and `body` was not called.
  /// - Throws: What `body` threw, or ``DatabaseError``; nothing has changed then.
  @discardableResult
  public func update<Result>(_ body: (inout Model) throws -> Result) throws -> Result? {
    try follower.update(body)
  }
}
