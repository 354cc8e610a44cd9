public import AppGroups
public import FileSignals
package import Foundation
public import Signals

/// An SQLite database whose changes are a signal.
///
/// One connection writes, and others read at the same time. Each transaction runs as if it were alone:
///
/// ```swift
/// import Stores
///
/// let database = try Database(.memory)
/// let subscription = database.changes.sink { print($0["person"].inserted.count, "more") }
/// try database.write { transaction in
///   try transaction.execute("CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
///   for name in ["Ada", "Grace"] { try transaction.execute("INSERT INTO person (name) VALUES (?)", name) }
/// }
/// // Prints "2 more"
/// print(try database.read { try $0.value("SELECT count(*) FROM person") })  // Prints "2"
/// subscription.cancel()
/// ```
///
/// - **Writes** are transactions. A write takes effect as a whole or, if its closure throws, not at all. Writes of all
///   threads and processes are serialized. A read never sees a change that is made while it runs.
/// - **Changes.** Each commit is sent once, as one ``ChangeSet``, in the order of commits, after it can be read, and
///   with no lock held: a subscriber may read and write. It names the changed rows, whatever statement changed them.
/// - **Nested calls.** Inside a write, a read on the same thread sees the changes made so far. A read inside a read
///   sees the same content as the outer one. A write inside either throws
///   ``DatabaseError/nestedAccess(path:inner:outer:)``.
/// - **Threads.** All methods may be called from any thread. Methods that block have an asynchronous form for tasks.
///
/// The file is closed when the last reference to this object is released, or by ``close()``.
public final class Database: Sendable {
  /// The location of the database.
  public let location: DatabaseLocation

  /// The failures that a committed transaction survives.
  package var durability: Durability { file.durability }

  /// The result of comparing the file with the schema, each time a file was opened; `nil` without a schema.
  public var schemaOutcome: SchemaOutcome? { lastOutcome.value }

  /// The status of the database: open, or closed for a reason.
  public var status: Property<DatabaseStatus> { mutableStatus }

  let file: DatabaseFile
  let scope: Scope?
  let scopePolicy: ScopePolicy
  let lastOutcome: MutableProperty<SchemaOutcome?>
  let mutableStatus = MutableProperty(DatabaseStatus.open)
  let pauses = DatabasePauses()
  let writer: DatabaseWriter
  /// The readers; `nil` for a database in memory, which has only one connection.
  let readers: ReaderPool?
  let delivery: ChangeDelivery
  /// The observers, by the parts that they observe.
  let regions: RegionRegistry
  let objects = SharedObjects<LiveRow, any AnyObject & Sendable>()
  let sharing = DatabaseSharing()
  /// The observer of writes by other programs; `nil` for a database that no other program can write.
  let foreignWrites: ForeignWrites?
  /// The other objects of this process with the file; `nil` for a database that no other object can write.
  let siblings: FileSiblings?
  let asyncWrites = BlockingCalls(width: 1)
  let asyncReads: BlockingCalls
  let ends = TransactionEnds()
  private let enrolment = Guarded<SignalSubscription?>(nil)
  let suspension = Guarded(Suspension())
  /// Opens a database, and creates it if it is missing and `access` allows that.
  ///
  /// A file that is damaged, belongs to another program, or is not a database is left unchanged.
  ///
  /// - Parameters:
  ///   - location: The location of the database. Symbolic links in its path are followed now, and after a switch of a
  ///     scope. Where they lead at other times does not matter.
  ///   - access: The access of this process. A process that only reads opens only a file that matches the schema,
  ///     whatever the policy.
  ///   - schema: The contents of the database; an older file is migrated. Without a schema, you manage the tables.
  ///   - policy: The rule for a file that does not match the schema or is damaged. Without a schema it is never
  ///     emptied.
  ///   - durability: The failures that a committed transaction survives; by default the crash of any process. After a
  ///     power failure the last transactions may then be missing, but none is ever partial.
  ///   - busyTimeout: The longest wait for writes of other processes, before ``DatabaseError/busy(_:)`` is thrown. The
  ///     wait for a migration by another process continues as long as the migration makes progress.
  ///   - maximumReaderCount: The largest number of concurrent reads in this process, at least 1; others wait.
  ///   - applicationID: A number in the file's header that identifies the application; 0 for none. A file with another
  ///     number is refused.
  ///   - functions: Functions in Swift that SQL can call.
  ///   - collations: Collations in Swift with which SQL compares and sorts text.
  ///   - scope: The scope that contains the file, if its contents may be switched; see ``DatabaseStatus``. A file
  ///     outside throws ``DatabaseError/outsideScope(path:root:)``. A database in memory ignores it.
  ///   - onSwitch: The policy for a switch.
  /// - Throws: ``DatabaseError`` if it cannot be opened.
  public convenience init(
    _ location: DatabaseLocation,
    access: DatabaseAccess = .readWrite,
    schema: Schema? = nil,
    policy: DatabasePolicy = .persistence,
    durability: Durability = .process,
    busyTimeout: Duration = .seconds(5),
    maximumReaderCount: Int = 4,
    applicationID: Int32 = 0,
    functions: [DatabaseFunction] = [],
    collations: [DatabaseCollation] = [],
    scope: Scope? = nil,
    onSwitch: ScopePolicy = .follows
  ) throws(DatabaseError) {
    let resolved = location.resolved
    if let url = resolved.url {
      if let scope {
        guard scope.contains(url) else { throw .outsideScope(path: location.path, root: scope.root.path) }
      } else if let root = try DatabaseError.examining(url.path, SwitchedRoots.root(switching: url)) {
        throw .switchedDirectory(path: location.path, root: root.path)
      }
    }
    // A database in memory contains only what this object wrote.
    let file = DatabaseFile(
      location: resolved, access: location == .memory ? .readWrite : access, schema: schema, policy: policy,
      durability: durability, busyTimeout: busyTimeout, applicationID: applicationID,
      extensions: ConnectionExtensions(functions: functions, collations: collations))
    try self.init(location, file, maximumReaderCount: maximumReaderCount, scope: scope, onSwitch: onSwitch)
  }

  /// Opens a database in the root of a scope for a caller that uses it only inside `Scope.steadily(_:)`, and closes it
  /// before the contents are switched.
  package convenience init(steadily url: URL, schema: Schema, durability: Durability) throws(DatabaseError) {
    let location = DatabaseLocation.file(url)
    try self.init(location, DatabaseFile(location: location.resolved, schema: schema, durability: durability))
  }

  private init(
    _ location: DatabaseLocation, _ file: DatabaseFile, maximumReaderCount: Int = 4, scope: Scope? = nil,
    onSwitch: ScopePolicy = .follows
  ) throws(DatabaseError) {
    try Self.checkSuspension(file.location, file.access)
    self.location = location
    self.file = file
    scopePolicy = onSwitch
    delivery = ChangeDelivery()
    regions = RegionRegistry(delivery.emitter, sharing)
    if let url = file.location.url, file.access != .immutable {
      let siblings = FileSiblings.of(url)
      self.siblings = siblings
      // It is created before the file is read for the first time, so that the count of commits is complete.
      foreignWrites = ForeignWrites(beside: url, siblings: siblings)
    } else {
      (siblings, foreignWrites) = (nil, nil)
    }
    let (opened, epoch) = try Self.steadily(scope, location) { () throws(DatabaseError) in
      (try file.open(), scope?.switchCount.value)
    }
    lastOutcome = MutableProperty(opened.outcome)
    writer = try DatabaseWriter(
      path: location.path, connection: opened.writer, version: file.schema?.version,
      delivery: delivery,
      // In a scope, the file is switched on purpose, and the scope reports it. A cache may also have been replaced.
      isBoundToPath: location != .memory && (scope == nil || file.policy == .cache))
    let readerCount = max(1, maximumReaderCount)
    readers = location == .memory ? nil : ReaderPool(file, limit: readerCount, scope: scope)
    self.scope = scope
    asyncReads = BlockingCalls(width: location == .memory ? 1 : readerCount)
    siblings?.join(self, writer.commits)
    if let scope, let epoch, location != .memory { try join(scope, since: epoch) }
    try joinSuspensions()
  }

  /// Follows a scope from now on, including a switch since the file was opened.
  private func join(_ scope: Scope, since epoch: Int) throws(DatabaseError) {
    try Self.steadily(scope, location) { () throws(DatabaseError) in
      let subscription = scope.enrol(self)
      enrolment.withLock { $0 = subscription }
      guard scope.switchCount.value != epoch else { return }
      try beginSwitch()
      endSwitch(.switched)
    }
  }

  deinit {
    shutDown(.closed(path: location.path))
  }

  /// The changes of each transaction, sent when it is committed.
  ///
  /// - **Threads.** Subscribers are called on the writing thread, after the commit and before the write returns. If
  ///   another thread is calling them, that thread delivers this change too.
  /// - **Lifetime.** A subscription does not keep the database open. The signal finishes when the database is closed.
  /// - **Other writers.** Commits of other objects of this process with the same file have the origin
  ///   ``ChangeOrigin/sameProcess``, and are sent before their write returns. Commits of other programs, and of
  ///   processes that do not share the database, are sent some hundredths of a second later, as changes of everything
  ///   with the origin ``ChangeOrigin/foreign``. They are detected from the first subscription on.
  public var changes: some Signal<ChangeSet, Never> {
    DeferredSignal { [self] in
      followOthers()
      return delivery.emitter
    }
  }

  /// Observes the commits of other programs, and of other objects with the same file, from now on.
  func followOthers() {
    foreignWrites?.start(self)
    siblings?.follow(self)
  }
}

/// The status of a database: open, or closed for a reason.
///
/// A database in a ``/AppGroups/Scope`` follows its switches. A switch waits for running transactions and closes the
/// file, and later transactions wait. Then the file at the path is opened, and created or migrated if necessary. Live
/// rows and queries are read before the switch ends, and change together with all other live values of the scope.
/// ``Database/changes`` sends a change of everything in every table, with the origin ``ChangeOrigin/switch``.
///
/// With ``/AppGroups/ScopePolicy/closes`` the database is closed instead.
@nonexhaustive
public enum DatabaseStatus: Hashable, Sendable {
  /// It can be read, and written unless it was opened for reading only.
  case open

  /// The database is closed.
  ///
  /// It stays closed after ``Database/close()`` and with ``DatabaseError/switched(path:)``. Any other error is the
  /// reason why the file of the new contents could not be opened, and the next switch may open one. After a suspension
  /// of the container, it is the reason why the file could not be opened again, and the next `resume()` may open it.
  case closed(DatabaseError)
}

extension Database: CustomStringConvertible {
  /// The path and the status, such as `Database(/tmp/list.sqlite, open)`.
  public var description: String {
    let state =
      switch status.value {
      case .open: file.access == .readWrite ? "open" : "open for reading only"
      case .closed(let reason): "closed: \(reason)"
      }
    return "Database(\(location.path), \(state))"
  }
}
