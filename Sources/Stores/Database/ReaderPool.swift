import Dispatch
import Signals

/// The connections of a database that only read, made as they are needed, up to a number.
final class ReaderPool: @unchecked Sendable {
  // Sound: what changes is guarded by the lock, and a reader is used by its owner only.

  /// One connection, and whose it is.
  final class Reader {
    let connection: SQLiteConnection
    var owner: ThreadIdentity?
    var transaction: ReadTransaction?

    init(connection: SQLiteConnection) {
      self.connection = connection
    }
  }

  private let file: DatabaseFile
  private let limit: Int
  private let permits: DispatchSemaphore
  private let lock = Lock()
  private var idle: [Reader] = []
  private var busy: [Reader] = []
  /// Why there is nothing to read.
  private var refusal: DatabaseError?
  private var pause: DatabasePause?

  init(_ file: DatabaseFile, limit: Int) {
    self.file = file
    self.limit = limit
    permits = DispatchSemaphore(value: limit)
  }

  /// The transaction that the calling thread is reading in, if it is reading.
  var transactionOfThisThread: ReadTransaction? {
    let thread = ThreadIdentity.current
    return lock.withLock {
      for reader in busy where reader.owner == thread { return reader.transaction }
      return nil
    }
  }

  /// Waits for a connection, and runs a closure in a transaction of it.
  func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    if permits.wait(timeout: .now()) == .timedOut {
      try lock.withLock { pause }?.refuse(file.location.path)
      permits.wait()
    }
    defer { permits.signal() }
    let reader = try enter()
    defer { leave(reader) }
    try reader.connection.begin()
    defer { reader.connection.endReading() }
    if let version = file.schema?.version { try reader.connection.checkVersion(version) }
    let transaction = ReadTransaction(connection: reader.connection)
    lock.withLock { reader.transaction = transaction }
    defer { transaction.end() }
    return try body(transaction)
  }

  /// Waits for all who read, and closes the connections; whoever comes later is told why.
  func close(_ reason: DatabaseError) {
    for _ in 0..<limit { permits.wait() }
    closeIdle()
    lock.withLock { refusal = reason }
    for _ in 0..<limit { permits.signal() }
  }

  /// Waits for all who read, and closes the connections; whoever comes then waits, until ``resume(_:)``.
  func pause(_ pause: DatabasePause) {
    lock.withLock { self.pause = pause }
    for _ in 0..<limit { permits.wait() }
    closeIdle()
  }

  /// Goes on with the file that is there now, or refuses to for a reason.
  func resume(_ reason: DatabaseError?) {
    lock.withLock {
      pause = nil
      refusal = reason
    }
    for _ in 0..<limit { permits.signal() }
  }

  private func closeIdle() {
    lock.withLock {
      for reader in idle { reader.connection.close() }
      idle = []
    }
  }

  private func enter() throws(DatabaseError) -> Reader {
    let thread = ThreadIdentity.current
    let found: Reader? = try lock.withLock { () throws(DatabaseError) in
      if let refusal { throw refusal }
      guard let reader = idle.popLast() else { return nil }
      reader.owner = thread
      busy.append(reader)
      return reader
    }
    if let found { return found }
    let reader = Reader(connection: try file.reader())
    reader.owner = thread
    lock.withLock { busy.append(reader) }
    return reader
  }

  private func leave(_ reader: Reader) {
    lock.withLock {
      reader.owner = nil
      reader.transaction = nil
      if let index = busy.firstIndex(where: { $0 === reader }) { busy.remove(at: index) }
      idle.append(reader)
    }
  }
}
