import Foundation
import Signals
import Synchronization

/// The only writing connection of a database, and the lock that serializes writes.
final class DatabaseWriter: @unchecked Sendable {  // Sound: all is guarded by the lock.
  let path: String
  private let lock = OwnedLock()
  /// The connection; `nil` while the file is being swapped, or if writing is refused for a reason.
  private var open: Open?
  private var refusal: DatabaseError?
  /// The error of a write to a sound file that this process may not write.
  private let unwritable: DatabaseError
  private var pause: DatabasePause?
  private let over = Atomic(false)
  private let newSchema = Atomic(false)
  private let delivery: ChangeDelivery
  /// The number of the last change.
  ///
  /// Changes by other databases of the file are counted without holding `lock`.
  private let sequence = Guarded<Int64>(0)
  /// The number of commits.
  let commits = FileSiblings.Commits()
  private var recorder: (any CommitRecorder)?
  private var isSuspended = false
  /// A Boolean value that indicates whether the connection is closed until this process is resumed.
  private(set) var isFileSuspended = false
  /// The state of the file when the first connection was opened.
  let firstState: ForeignWrites.FileState?
  /// A Boolean value that indicates whether the file must be at its path to be written.
  private let isBoundToPath: Bool
  /// A Boolean value that indicates whether a new file has yet to be announced, because it is not usable yet.
  private var isOtherDue = false
  /// The prepared state, which takes effect after a pause.
  private var next: Next?
  /// The transaction in progress, which only its own thread accesses.
  private var transaction: WriteTransaction?
  /// The read in progress of a database without another connection, which only its own thread accesses.
  private var reading: ReadTransaction?

  /// A connection with the hooks that observe its changes.
  private struct Open {
    let connection: SQLiteConnection
    let log: ChangeLog

    init(_ connection: SQLiteConnection, version: Int?) throws(DatabaseError) {
      self.connection = connection
      log = ChangeLog(connection: connection)
      log.expectedVersion = version
      connection.changes = log
      try log.refresh()
    }
  }

  /// A connection that is not in use yet, or the reason why there is none.
  private struct Next {
    var open: Open?
    var refusal: DatabaseError?
    var isUsable: Bool
    /// The tables of a read-only file.
    var tables: [String] = []
  }

  /// Creates the writer of a connection.
  ///
  /// Without a connection, it refuses to write for the given reason.
  init(
    path: String, connection: SQLiteConnection?, version: Int?, refusal: DatabaseError, delivery: ChangeDelivery,
    isBoundToPath: Bool
  ) throws(DatabaseError) {
    self.path = path
    self.delivery = delivery
    self.isBoundToPath = isBoundToPath
    unwritable = refusal
    if let connection {
      firstState = try Self.state(of: connection, isShared: false)
      open = try Open(connection, version: version)
    } else {
      firstState = nil
      self.refusal = refusal
    }
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
      if isBoundToPath, connection.hasLeftItsPath { throw DatabaseError.fileRemoved(path: path) }
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
      if isBoundToPath, open.connection.hasLeftItsPath { throw DatabaseError.fileRemoved(path: path) }
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
  func setRecorder(_ recorder: any CommitRecorder) -> Bool {
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

  /// Acquires the lock, and closes the connection; later writes throw an error until ``resume(observed:)``.
  func suspendFile() {
    lock.withLock {
      guard !isClosed, refusal == nil || open != nil else { return }
      open?.connection.close()
      open = nil
      isFileSuspended = true
    }
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

  /// Closes the connection with the lock held; later writes throw the reason.
  func close(_ reason: DatabaseError) {
    lock.withLock {
      open?.connection.close()
      open = nil
      refusal = reason
      over.store(true, ordering: .releasing)
    }
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
  private func withTurn<Result>(_ body: (Open) throws -> Result) throws -> Result {
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
      if isFileSuspended { throw .suspended(path: path, operation: "write") }
      if let refusal { throw refusal }
      guard let pause else { throw .closed(path: path) }
      try pause.wait(path)
      lock.lock()
    }
  }

  // MARK: Another file in the same place

  /// Acquires the lock, and closes the connection; later writes wait until ``resume(observed:)``.
  func pause(_ pause: DatabasePause) {
    lock.withLock {
      guard let connection = open?.connection, !isClosed else { return }
      // This moves the content of the log into the file. If another process uses the database, the log is swapped along
      // with the file. Waiting for it could take as long as others read and write without a gap.
      connection.refuseWaiting()
      do { try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)") } catch {}
      connection.close()
      open = nil
      self.pause = pause
    }
  }

  /// Prepares a connection, or a reason to refuse, for the time after the pause.
  ///
  /// - Parameters:
  ///   - opened: The opened file, without a connection if it is read-only; or the error of opening it.
  ///   - version: The version that the file must have.
  ///   - isOther: Pass `true` for another file, which is reported as changed as soon as it is usable.
  /// - Returns: The reason why the file is unusable, if it is.
  func prepare(
    with opened: Result<DatabaseFile.Opened, DatabaseError>, version: Int?, isOther: Bool
  ) -> DatabaseError? {
    lock.withLock {
      if isClosed { return refusal }
      isOtherDue = isOtherDue || isOther
      do throws(DatabaseError) {
        let opened = try opened.get()
        var next = Next(isUsable: true, tables: opened.tables)
        if let connection = opened.writer {
          let open = try Open(connection, version: version)
          if isOtherDue {
            let newest = try recorder?.fileDidChange(on: connection) ?? 0
            sequence.withLock { $0 = newest }
          }
          next.open = open
        } else {
          next.refusal = unwritable
        }
        self.next = next
        return nil
      } catch {
        next = Next(refusal: error, isUsable: false)
        return error
      }
    }
  }

  /// Continues with the prepared state.
  ///
  /// - Parameter observed: The observed tables, which are reported as changed even if they no longer exist.
  func resume(observed: Set<String>) {
    lock.withLock {
      pause = nil
      isFileSuspended = false
      guard !isClosed, let next = next.take() else { return }
      (open, refusal) = (next.open, next.refusal)
      guard next.isUsable, isOtherDue else { return }
      enqueueEverything(.swap, sequence: sequence.withLock { $0 }, observed: observed, read: next.tables)
      isOtherDue = false
    }
  }

  /// Enqueues a change of everything.
  func tellEverything(_ origin: ChangeOrigin, sequence: Int64, observed: Set<String>) {
    lock.withLock { enqueueEverything(origin, sequence: sequence, observed: observed) }
  }

  /// Enqueues a change of everything by a program that does not announce its changes.
  func tellForeignWrite(observed: Set<String>) {
    lock.withLock { tell(everything(observed: observed), .foreign) }
  }

  /// Numbers and enqueues a change in one step, so that numbers increase in the order of the queue.
  ///
  /// - Parameters:
  ///   - tables: The changes by table.
  ///   - origin: The origin of the change.
  ///   - recorded: The number of the change in all processes, or `nil` if other processes do not receive it.
  func tell(_ tables: [String: TableChanges], _ origin: ChangeOrigin, recorded: Int64? = nil) {
    sequence.withLock { sequence in
      sequence = max(ChangeSet.sequence(after: sequence), recorded ?? 0)
      delivery.enqueue(ChangeSet(sequence: sequence, origin: origin, tables: tables))
    }
  }

  /// The state of the file as this connection sees it; `nil` while there is no connection.
  func fileState() throws(DatabaseError) -> ForeignWrites.FileState? {
    lock.lock()
    defer { lock.unlock() }
    guard let connection = open?.connection else { return nil }
    return try Self.state(of: connection, isShared: recorder.map { !$0.isOver } ?? false)
  }

  private static func state(
    of connection: SQLiteConnection, isShared: Bool
  ) throws(DatabaseError) -> ForeignWrites.FileState? {
    // A single statement returns both values of the same moment.
    let row = try connection.rows(isShared ? ShareTables.state : "SELECT data_version, NULL FROM pragma_data_version")
    guard let state = row.first else { return nil }
    return ForeignWrites.FileState(connection: ObjectIdentifier(connection), version: state[0], shared: state[1])
  }

  private func enqueueEverything(
    _ origin: ChangeOrigin, sequence: Int64, observed: Set<String>, read: [String] = []
  ) {
    delivery.enqueue(
      ChangeSet(sequence: sequence, origin: origin, tables: everything(observed: observed, read: read)))
  }

  /// Returns a change of every table.
  private func everything(observed: Set<String>, read: [String] = []) -> [String: TableChanges] {
    let there = Set((open?.log.tables.tables.keys).map(Array.init) ?? read).filter { !TableCatalog.isOwn($0) }
    let names = there.union(observed.subtracting(there.map { $0.lowercased() }))
    return Dictionary(uniqueKeysWithValues: names.map { ($0, TableChanges(isEverything: true)) })
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

  /// The record of a transaction.
  private struct Record {
    let tables: [String: TableChanges]
    let sequence: Int64?
  }

  /// Records the changes that are about to be committed, if there are any and there is a recorder.
  private func record(_ open: Open) throws(DatabaseError) -> Record? {
    guard let recorder, !open.log.entries.isEmpty, !recorder.isOver else { return nil }
    let tables = open.log.changes()
    if tables.isEmpty { return nil }
    return Record(tables: tables, sequence: try recorder.record(tables, on: open.connection))
  }

  /// Enqueues the changes of the last commit, if there are any and there is an observer.
  ///
  /// An observer that subscribes after this check reads the committed content.
  @inline(__always)
  private func publish(_ record: Record?, _ log: ChangeLog) {
    if record != nil { recorder?.didCommit() }
    if log.hasChangedSchema { newSchema.store(true, ordering: .releasing) }
    if !log.entries.isEmpty, delivery.emitter.hasSubscribers {
      let tables = record?.tables ?? log.changes()
      if !tables.isEmpty { tell(tables, .here, recorded: record?.sequence) }
    }
    log.end(isCommitted: true)
  }
}
