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

  private let path: String
  private let busyTimeout: Duration
  private let limit: Int
  private let permits: DispatchSemaphore
  private let lock = Lock()
  private var idle: [Reader] = []
  private var busy: [Reader] = []
  private var isClosed = false

  init(path: String, busyTimeout: Duration, limit: Int) {
    self.path = path
    self.busyTimeout = busyTimeout
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
    permits.wait()
    defer { permits.signal() }
    let reader = try enter()
    defer { leave(reader) }
    try reader.connection.begin()
    defer { reader.connection.endReading() }
    let transaction = ReadTransaction(connection: reader.connection)
    lock.withLock { reader.transaction = transaction }
    defer { transaction.end() }
    return try body(transaction)
  }

  /// Waits for all who read, and closes the connections.
  func close() {
    for _ in 0..<limit { permits.wait() }
    lock.withLock {
      isClosed = true
      for reader in idle { reader.connection.close() }
      idle = []
    }
    for _ in 0..<limit { permits.signal() }
  }

  private func enter() throws(DatabaseError) -> Reader {
    let thread = ThreadIdentity.current
    let found: Reader? = try lock.withLock { () throws(DatabaseError) in
      if isClosed { throw .closed(path: path) }
      guard let reader = idle.popLast() else { return nil }
      reader.owner = thread
      busy.append(reader)
      return reader
    }
    if let found { return found }
    let reader = Reader(
      connection: try SQLiteConnection(path: path, access: .reading, busyTimeout: busyTimeout))
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
