import FileSignals
import Signals

extension Database {
  /// Reads in one transaction, which sees no change by others.
  ///
  /// It never waits for a write, unless the database is in memory. If the maximum number of readers is reading, it
  /// waits for one of them.
  ///
  /// - Parameter body: Reads, on this thread. Its argument is invalid after it has returned.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``DatabaseError``.
  public func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    if let transaction = writer.transactionOfThisThread {
      let reading = ReadTransaction(connection: try transaction.connection)
      defer { reading.end() }
      return try body(reading)
    }
    guard let readers else {
      if let transaction = writer.readingOfThisThread { return try body(transaction) }
      defer { ends.run() }
      return try writer.read(body)
    }
    if let transaction = readers.transactionOfThisThread { return try body(transaction) }
    defer { ends.run() }
    return try following { try readers.read(body) }
  }

  /// Reads with a closure that throws only a ``DatabaseError``.
  func readValue<Result>(
    _ body: (ReadTransaction) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try DatabaseError.only { try read(body) }
  }

  /// Changes the database in one transaction: completely or, if the closure throws, not at all.
  ///
  /// One thread of one process writes at a time, and others wait. When the method returns, the change is in the file.
  ///
  /// - Parameter body: Reads and writes, on this thread. Its argument is invalid after it has returned. Keep it short,
  ///   because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``DatabaseError``; then nothing has changed.
  @discardableResult
  public func write<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    try refuseNesting("write")
    defer { ends.run() }
    let result = try following { try writer.write(body) }
    delivery.flush()
    // A statement that creates, alters or renames a table changes no row, but it changes the result of reads.
    if writer.takeNewSchema() { regions.tellAll() }
    return result
  }

  // MARK: Nesting

  /// Throws an error if the calling thread is already in a transaction, because it would wait for itself.
  @inline(__always)
  func refuseNesting(_ inner: String) throws(DatabaseError) {
    if writer.isHeldByThisThread {
      let outer =
        writer.transactionOfThisThread != nil
        ? "write" : writer.readingOfThisThread != nil ? "read" : "withoutTransaction"
      throw .nestedAccess(path: location.path, inner: inner, outer: outer)
    }
    if readers?.transactionOfThisThread != nil {
      throw .nestedAccess(path: location.path, inner: inner, outer: "read")
    }
  }

  /// Throws an error if the calling thread is in a transaction or switches the file, because other threads may wait for
  /// it.
  func refuseWaiting(_ inner: String) throws(DatabaseError) {
    try refuseNesting(inner)
    if pauses.isHeldByThisThread { throw .nestedAccess(path: location.path, inner: inner, outer: "switch") }
  }

  /// A Boolean value that indicates whether the calling thread is in a transaction.
  var isInTransactionOfThisThread: Bool {
    writer.isHeldByThisThread || readers?.transactionOfThisThread != nil
  }

  /// Calls a closure when the transaction of the calling thread ends; does nothing if there is none.
  func afterTransaction(_ body: @escaping @Sendable () -> Void) {
    if isInTransactionOfThisThread { ends.add(body) }
  }

  /// Reads without blocking the threads that tasks run on.
  ///
  /// - Parameter body: Reads, on a thread of the database. It cannot suspend.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, ``DatabaseError``, or `CancellationError` if the task was cancelled before `body`
  ///   began.
  public func read<Result: Sendable>(
    _ body: @escaping @Sendable (ReadTransaction) throws -> Result
  ) async throws -> Result {
    try await asyncReads.run { [self] in try read(body) }
  }

  /// Changes the database without blocking the threads that tasks run on.
  ///
  /// The closure runs on a thread of the database and cannot suspend. A lock that is held across an `await` could keep
  /// every thread waiting for a task that has no thread to run on.
  ///
  /// - Parameter body: Reads and writes. Keep it short, because other writers wait.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, ``DatabaseError``, or `CancellationError` if the task was cancelled before `body`
  ///   began; then nothing has changed.
  @discardableResult
  public func write<Result: Sendable>(
    _ body: @escaping @Sendable (WriteTransaction) throws -> Result
  ) async throws -> Result {
    try await asyncWrites.run { [self] in try write(body) }
  }
}

extension Database {
  /// Returns the names of all tables except the package's own, in order.
  func userTables() throws(DatabaseError) -> [String] {
    try readValue { transaction throws(DatabaseError) in
      try transaction.connection.tableNames().filter { !TableCatalog.isOwn($0) }.sorted()
    }
  }

  /// Returns the names of some tables as the file spells them.
  ///
  /// - Throws: ``DatabaseError/noSuchTable(_:path:known:)`` if one does not exist.
  func spelling(of names: Set<String>) throws(DatabaseError) -> Set<String> {
    if names.isEmpty { return [] }
    let known = try userTables()
    let spellings = Dictionary(known.map { ($0.lowercased(), $0) }) { first, _ in first }
    var found: Set<String> = []
    for name in names.sorted() {
      guard let spelling = spellings[name.lowercased()] else {
        throw .noSuchTable(name, path: location.path, known: known)
      }
      found.insert(spelling)
    }
    return found
  }
}
