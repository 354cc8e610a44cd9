import Foundation
import Signals
import Synchronization

/// The only writing connection of a database, and the lock that serializes writes.
final class DatabaseWriter: @unchecked Sendable {  // Sound: all is guarded by the lock.
  let path: String
  let lock = OwnedLock()
  /// The connection; `nil` while the file is being switched, or if writing is refused for a reason.
  var open: WriterConnection?
  var refusal: DatabaseError?
  /// The error of a write to a sound file that this process may not write.
  var unwritable: DatabaseError { .openedReadOnly(path: path) }
  var pause: DatabasePause?
  let over = Atomic(false)
  private let newSchema = Atomic(false)
  let changes: ChangeDelivery
  /// The number of commits.
  let commits = FileSiblings.Commits()
  private(set) var recorder: ShareRecorder?
  private var isSuspended = false
  /// A Boolean value that indicates whether the connection is closed until this process is resumed.
  var isFileSuspended = false
  /// The state of the file when the first connection was opened.
  let firstState: ForeignWrites.FileState?
  /// A Boolean value that indicates whether the file must be at its path to be written.
  private let isBoundToPath: Bool
  /// A Boolean value that indicates whether a new file has yet to be announced, because it is not usable yet.
  var isOtherDue = false
  /// The number of files that have taken the place of the first one; inside a transaction, it cannot change.
  let replacements = Atomic(0)
  /// The transaction in progress, which only its own thread accesses.
  private var transaction: WriteTransaction?
  /// The read in progress of a database without another connection, which only its own thread accesses.
  private var reading: ReadTransaction?

  /// Creates the writer of a connection.
  ///
  /// Without a connection, it refuses to write.
  init(
    path: String, connection: SQLiteConnection?, version: Int?, delivery: ChangeDelivery, isBoundToPath: Bool
  ) throws(DatabaseError) {
    // First, because an initializer that throws later leaks what it has stored, in Swift 6.3.
    firstState = try connection.flatMap { (connection) throws(DatabaseError) in
      try WriterConnection.state(of: connection, isShared: false)
    }
    open = try connection.map { (connection) throws(DatabaseError) in
      try WriterConnection(connection, version: version)
    }
    self.path = path
    changes = delivery
    self.isBoundToPath = isBoundToPath
    if connection == nil { refusal = unwritable }
  }

  /// A Boolean value that indicates whether the calling thread holds the lock.
  @inline(__always)
  var isHeldByThisThread: Bool { lock.isHeldByThisThread }

  /// The transaction of the calling thread, if there is one.
  var transactionOfThisThread: WriteTransaction? { isHeldByThisThread ? transaction : nil }

  /// The read of the calling thread, if there is one.
  var readingOfThisThread: ReadTransaction? { isHeldByThisThread ? reading : nil }

  /// Runs a closure in a transaction with the lock held, and enqueues its changes for ``ChangeDelivery/flush()``.
  func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try withTurn { open in
      let (connection, log) = (open.connection, open.log)
      if isSuspended { throw DatabaseError.suspended(path: path, operation: "write") }
      if isBoundToPath, connection.hasLeftItsPath { throw Database.FileHasLeft() }
      try connection.begin()
      do {
        try log.begin()
        let result = try run(body, on: connection)
        if connection.hasLostTransaction {
          throw DatabaseError.transactionLost(path: path, statement: connection.lastFailed)
        }
        let record = try record(open)
        try commit(connection)
        publish(record, log)
        return result
      } catch {
        connection.rollBack()
        log.end(isCommitted: false)
        throw error
      }
    }
  }

  @inline(__always)
  private func commit(_ connection: SQLiteConnection) throws(DatabaseError) {
    commits.begun.add(1, ordering: .sequentiallyConsistent)
    defer { commits.ended.add(1, ordering: .sequentiallyConsistent) }
    try connection.commit()
  }

  /// Runs a closure with the lock held, and without a transaction.
  func withoutTransaction<Result>(_ body: (DatabaseConnection) throws -> Result) throws -> Result {
    try withTurn { open in
      if isSuspended { throw DatabaseError.suspended(path: path, operation: "write") }
      if isBoundToPath, open.connection.hasLeftItsPath { throw Database.FileHasLeft() }
      let outside = DatabaseConnection(open.connection)
      commits.begun.add(1, ordering: .sequentiallyConsistent)
      defer {
        commits.ended.add(1, ordering: .sequentiallyConsistent)
        outside.end()
        // A vacuumed file has other pages, and a setting may have changed.
        open.log.needsRefresh = true
        open.log.clear()
      }
      return try body(outside)
    }
  }

  /// Copies the write-ahead log into the file, and empties it.
  ///
  /// - Returns: `true` if the log is empty, or `false` if another connection reads older content.
  func emptyLog() throws -> Bool {
    try withTurn { try $0.connection.value("PRAGMA wal_checkpoint(TRUNCATE)") == 0 }
  }

  /// Records all later transactions.
  ///
  /// - Returns: `true` unless there is another recorder.
  func setRecorder(_ recorder: ShareRecorder) -> Bool {
    lock.withLock {
      guard self.recorder?.isOver ?? true else { return false }
      self.recorder = recorder
      return true
    }
  }

  /// Acquires the lock, and refuses or allows later writes.
  func setSuspended(_ isSuspended: Bool) {
    lock.withLock { self.isSuspended = isSuspended }
  }

  /// Reads with the writing connection, for a database that has no other.
  func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    try withTurn { open in
      let transaction = ReadTransaction(connection: open.connection)
      reading = transaction
      defer {
        reading = nil
        transaction.end()
      }
      return try body(transaction)
    }
  }

  /// A Boolean value that indicates whether the file is no longer at its path; `nil` if a write is in progress.
  var hasLeftItsPath: Bool? {
    if isHeldByThisThread { return open?.connection.hasLeftItsPath ?? false }
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return open?.connection.hasLeftItsPath ?? false
  }

  /// Returns whether a transaction has changed the schema since the last call.
  @inline(__always)
  func takeNewSchema() -> Bool {
    newSchema.load(ordering: .relaxed) && newSchema.exchange(false, ordering: .acquiring)
  }

  /// A Boolean value that indicates whether the writer is closed permanently; reading it does not wait for a write.
  var isClosed: Bool { over.load(ordering: .acquiring) }

  /// The reason why the writer is closed permanently, if it is; reading it does not wait for a write.
  var closedReason: DatabaseError? { isClosed ? lock.withLock { refusal } : nil }

  @inline(__always)
  private func withTurn<Result>(_ body: (WriterConnection) throws -> Result) throws -> Result {
    lock.lock()
    if open == nil { try waitForFile() }
    defer { lock.unlock() }
    guard let open else { throw DatabaseError.closed(path: path) }
    return try body(open)
  }

  /// Waits until there is a connection.
  ///
  /// The lock is held when this returns, but not when it throws.
  @inline(never)
  private func waitForFile() throws(DatabaseError) {
    while open == nil {
      let (refusal, pause, isFileSuspended) = (refusal, pause, isFileSuspended)
      lock.unlock()
      if let refusal { throw refusal }
      if isFileSuspended { throw .suspended(path: path, operation: "write") }
      guard let pause else { throw .closed(path: path) }
      try pause.wait(path)
      lock.lock()
    }
  }

  /// The state of the file as this connection sees it; `nil` while there is no connection.
  func fileState() throws(DatabaseError) -> ForeignWrites.FileState? {
    lock.lock()
    defer { lock.unlock() }
    guard let connection = open?.connection else { return nil }
    return try WriterConnection.state(of: connection, isShared: recorder.map { !$0.isOver } ?? false)
  }

  @inline(__always)
  private func run<Result>(
    _ body: (WriteTransaction) throws -> Result, on connection: SQLiteConnection
  ) throws -> Result {
    let transaction = WriteTransaction(connection: connection)
    self.transaction = transaction
    defer {
      self.transaction = nil
      transaction.end()
    }
    return try body(transaction)
  }

  private typealias Record = (tables: [String: TableChanges], sequence: Int64?)

  /// Records the changes that are about to be committed, if there are any and there is a recorder.
  private func record(_ open: WriterConnection) throws(DatabaseError) -> Record? {
    guard let recorder, !open.log.entries.isEmpty, !recorder.isOver else { return nil }
    let tables = open.log.changes()
    if tables.isEmpty { return nil }
    return (tables, try recorder.record(tables, on: open.connection))
  }

  /// Enqueues the changes of the last commit, if there are any and there is an observer.
  ///
  /// An observer that subscribes after this check reads the committed content.
  @inline(__always)
  private func publish(_ record: Record?, _ log: ChangeLog) {
    if record != nil { recorder?.didCommit() }
    if log.hasChangedSchema { newSchema.store(true, ordering: .releasing) }
    if !log.entries.isEmpty, changes.emitter.hasSubscribers {
      let tables = record?.tables ?? log.changes()
      if !tables.isEmpty { changes.add(tables, .here, recorded: record?.sequence) }
    }
    log.end(isCommitted: true)
  }
}

/// A writing connection, with the log that collects its changes.
struct WriterConnection {
  let connection: SQLiteConnection
  let log: ChangeLog

  init(_ connection: SQLiteConnection, version: Int?) throws(DatabaseError) {
    self.connection = connection
    log = ChangeLog(connection: connection)
    log.expectedVersion = version
    connection.changes = log
    try log.refresh()
  }

  /// The names of the tables, without the tables of this module.
  var tableNames: [String] { log.tables.tables.keys.filter { !TableCatalog.isOwn($0) } }

  /// Returns the state of the file as a connection sees it.
  static func state(
    of connection: SQLiteConnection, isShared: Bool
  ) throws(DatabaseError) -> ForeignWrites.FileState? {
    // A single statement returns both values of the same moment.
    let row = try connection.rows(isShared ? ShareTables.state : "SELECT data_version, NULL FROM pragma_data_version")
    guard let state = row.first else { return nil }
    return ForeignWrites.FileState(connection: ObjectIdentifier(connection), version: state[0], shared: state[1])
  }
}
