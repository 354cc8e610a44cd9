import Signals
import Synchronization

/// A transaction that changes a database during a closure, completely or not at all.
///
/// Its own statements see the changes at once. Other transactions see them after the closure has returned.
public final class WriteTransaction: ReadTransaction {
  private var depth = 0

  override var mayWrite: Bool { true }

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument. Never insert values into the text.
  ///   - arguments: The values of the parameters, in order.
  /// - Returns: The number of rows that the statement itself inserted, updated or deleted.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails; then it has changed nothing.
  @discardableResult
  public func execute(_ sql: String, _ arguments: (any SQLiteConvertible)?...) throws(DatabaseError) -> Int {
    try execute(sql, arguments: arguments.map { $0?.sqliteValue ?? .null })
  }

  /// Runs a statement.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each argument.
  ///   - arguments: The values of the parameters, in order.
  /// - Returns: The number of rows that the statement itself inserted, updated or deleted.
  /// - Throws: ``DatabaseError`` if the statement is invalid or fails; then it has changed nothing.
  @discardableResult
  public func execute(_ sql: String, arguments: [SQLiteValue]) throws(DatabaseError) -> Int {
    try connection.change(sql, arguments)
  }

  /// Runs all statements of a script, which have no parameters.
  ///
  /// - Parameter script: The statements, separated by semicolons.
  /// - Throws: The ``DatabaseError`` of the first statement that fails. The statements before it have been run.
  public func execute(script: String) throws(DatabaseError) {
    try connection.execute(script)
  }

  /// The key of the row that was inserted last, in a table with an integer key.
  public var lastInsertedRowID: Int64 {
    get throws(DatabaseError) { try connection.lastInsertedRowID }
  }

  /// Runs a closure whose changes are undone if it throws; earlier changes stay.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Unwanted: Error {}
  /// let database = try Database(.memory)
  /// try database.write { transaction in
  ///   try transaction.execute("CREATE TABLE word (text TEXT)")
  ///   try transaction.execute("INSERT INTO word VALUES ('kept')")
  ///   do {
  ///     try transaction.savepoint {
  ///       try transaction.execute("INSERT INTO word VALUES ('undone')")
  ///       throw Unwanted()
  ///     }
  ///   } catch is Unwanted {}
  /// }
  /// print(try database.read { try $0.rows("SELECT text FROM word").map(\.values) })  // Prints "[['kept']]"
  /// ```
  ///
  /// - Parameter body: The changes that belong together. It may call this method again.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``DatabaseError``.
  @discardableResult
  public func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
    let connection = try connection
    depth += 1
    defer { depth -= 1 }
    let name = "signals_\(depth)"
    try connection.run("SAVEPOINT \(name)")
    do {
      let result = try body()
      try connection.run("RELEASE \(name)")
      return result
    } catch {
      // If SQLite has rolled back the whole transaction, there is no savepoint left.
      if connection.isInTransaction {
        try connection.run("ROLLBACK TO \(name)")
        try connection.run("RELEASE \(name)")
      }
      throw error
    }
  }
}

/// The closures that threads run when their transactions end.
final class TransactionEnds: Sendable {
  private let jobs = Guarded<[UInt: [@Sendable () -> Void]]>([:])
  /// The number of threads with closures.
  ///
  /// Each thread sees at least its own, and needs no lock if the number is 0.
  private let count = Atomic(0)

  /// Adds a closure that the calling thread, which must be in a transaction, runs when that ends.
  func add(_ job: @escaping @Sendable () -> Void) {
    jobs.withLock { jobs in
      jobs[ThreadIdentity.current.address, default: []].append(job)
      count.store(jobs.count, ordering: .relaxed)
    }
  }

  /// Runs the closures of the calling thread, whose transaction has ended.
  @inline(__always)
  func run() {
    if count.load(ordering: .relaxed) != 0 { runAll() }
  }

  @inline(never)
  private func runAll() {
    let mine = jobs.withLock { jobs in
      defer { count.store(jobs.count, ordering: .relaxed) }
      return jobs.removeValue(forKey: ThreadIdentity.current.address)
    }
    for job in mine ?? [] { job() }
  }
}
