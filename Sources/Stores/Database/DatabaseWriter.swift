import Foundation
import Signals
import Synchronization

/// The one connection of a database that writes, and whose turn it is.
final class DatabaseWriter: @unchecked Sendable {  // Sound: all but the holder is guarded by the lock.
  let path: String
  private let lock = Lock()
  /// The thread whose turn it is; 0 if it is nobody's.
  private let holder = Atomic<UInt>(0)
  private var connection: SQLiteConnection?
  private let log: ChangeLog
  private let delivery: ChangeDelivery
  private var sequence: Int64 = 0
  private var recorder: (any CommitRecorder)?
  private var isSuspended = false
  /// The transaction in progress; only its own thread asks.
  private var transaction: WriteTransaction?
  /// The read in progress, of a database that has no other connection; only its own thread asks.
  private var reading: ReadTransaction?

  init(connection: SQLiteConnection, delivery: ChangeDelivery) throws(DatabaseError) {
    path = connection.path
    self.connection = connection
    self.delivery = delivery
    log = ChangeLog(connection: connection)
    connection.changes = log
    try log.refresh()
  }

  /// Whether the calling thread is in a turn.
  @inline(__always)
  var isHeldByThisThread: Bool { holder.load(ordering: .relaxed) == ThreadIdentity.current.address }

  /// The transaction that the calling thread is in, if it is in one.
  var transactionOfThisThread: WriteTransaction? { isHeldByThisThread ? transaction : nil }

  /// The read that the calling thread is in, if it is in one.
  var readingOfThisThread: ReadTransaction? { isHeldByThisThread ? reading : nil }

  /// Waits for the turn, and runs a closure in a transaction; what it has changed waits for ``ChangeDelivery/flush()`` then.
  func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try withTurn { connection in
      if isSuspended { throw DatabaseError.suspended(path: path) }
      try connection.begin()
      do {
        try log.begin()
        let result = try run(body, on: connection)
        if connection.hasLostTransaction {
          throw DatabaseError.transactionLost(path: path, statement: connection.lastFailed)
        }
        let record = try record(on: connection)
        try connection.commit()
        publish(record)
        return result
      } catch {
        connection.rollBack()
        log.end(isCommitted: false)
        throw error
      }
    }
  }

  /// Has all later transactions recorded.
  ///
  /// - Returns: Whether nobody else is recording.
  func setRecorder(_ recorder: any CommitRecorder) -> Bool {
    lock.withLock {
      guard self.recorder?.isOver ?? true else { return false }
      self.recorder = recorder
      return true
    }
  }

  /// Waits for the turn, and refuses to write from then on, or allows it again.
  func setSuspended(_ isSuspended: Bool) {
    lock.withLock { self.isSuspended = isSuspended }
  }

  /// Waits for the turn, and reads with this very connection: for a database that has no other.
  func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    try withTurn { connection in
      let transaction = ReadTransaction(connection: connection)
      reading = transaction
      defer {
        reading = nil
        transaction.end()
      }
      return try body(transaction)
    }
  }

  /// Closes the connection, in its turn.
  func close() {
    lock.withLock {
      connection?.close()
      connection = nil
    }
  }

  @inline(__always)
  private func withTurn<Result>(_ body: (SQLiteConnection) throws -> Result) throws -> Result {
    lock.lock()
    holder.store(ThreadIdentity.current.address, ordering: .relaxed)
    defer {
      holder.store(0, ordering: .relaxed)
      lock.unlock()
    }
    guard let connection else { throw DatabaseError.closed(path: path) }
    return try body(connection)
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

  /// What has been recorded of a transaction.
  private struct Record {
    let tables: [String: TableChanges]
    let sequence: Int64?
  }

  /// Has what is about to be committed recorded, if there is anything and somebody records.
  private func record(on connection: SQLiteConnection) throws(DatabaseError) -> Record? {
    guard let recorder, !log.entries.isEmpty, !recorder.isOver else { return nil }
    let tables = log.changes()
    if tables.isEmpty { return nil }
    return Record(tables: tables, sequence: try recorder.record(tables, on: connection))
  }

  /// Queues what has just been committed, if there is anything and somebody cares.
  ///
  /// Whoever subscribes after this look reads what has been committed.
  @inline(__always)
  private func publish(_ record: Record?) {
    if record != nil { recorder?.didCommit() }
    if !log.entries.isEmpty, delivery.emitter.hasSubscribers {
      let tables = record?.tables ?? log.changes()
      if !tables.isEmpty {
        sequence = max(sequence + 1, record?.sequence ?? 0)
        delivery.enqueue(ChangeSet(sequence: sequence, tables: tables))
      }
    }
    log.end(isCommitted: true)
  }
}
