import AppGroups
import Dispatch
import FileSignals
import Foundation
import Signals

/// The reading connections of a database, opened on demand up to a limit.
final class ReaderPool: @unchecked Sendable {
  // Sound: the mutable state is guarded by the lock, and only its owner uses a reader.

  /// A connection, and the thread that uses it.
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
  /// The scope whose contents may be switched while a connection is opened.
  private let scope: Scope?
  private let permits: DispatchSemaphore
  private let lock = Lock()
  private var idle: [Reader] = []
  private var busy: [Reader] = []
  /// The reason why nothing can be read.
  private var refusal: DatabaseError?
  /// The error of reads while this process is suspended.
  private var suspension: DatabaseError?
  private var pause: DatabasePause?
  /// The first connection to new contents, which the thread that switches may use during the pause.
  private var prepared: Reader?

  /// A Boolean value that indicates whether the file must be at its path to be read.
  ///
  /// In a scope, events report that a cache was replaced.
  private let isBoundToPath: Bool

  init(_ file: DatabaseFile, limit: Int, scope: Scope?) {
    self.file = file
    isBoundToPath = file.policy == .cache && file.access != .immutable && scope == nil
    self.limit = limit
    self.scope = scope
    permits = DispatchSemaphore(value: limit)
  }

  /// The transaction in which the calling thread is reading, if there is one.
  var transactionOfThisThread: ReadTransaction? {
    let thread = ThreadIdentity.current
    return lock.withLock {
      for reader in busy where reader.owner == thread { return reader.transaction }
      return nil
    }
  }

  /// Waits for a connection, and runs a closure in a transaction on it.
  func read<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
    // Other processes may switch the contents one after the other.
    let result = try Backoff.constant(.zero).repeating(within: patience) { () throws -> Result?? in
      if let result = try attempt(body) { return result }
      // This thread has just returned the permit that the switch waits for. Following it opens a connection.
      return scope?.waitUntilFollowed(orUntil: { lock.withLock { !idle.isEmpty } }) == false ? .some(nil) : nil
    }
    if let result, let result { return result }
    throw DatabaseError.unopenable(
      file.location.path, because: "other processes kept switching its directory for \(patience); read again")
  }

  private var patience: Duration { DirectoryRules.patience(for: URL(filePath: file.location.path)) }

  /// Tries to read.
  ///
  /// - Returns: The result, or `nil` if the contents were switched while a connection was opened.
  private func attempt<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result? {
    if permits.wait(timeout: .now()) == .timedOut {
      let (pause, prepared) = lock.withLock { (self.pause, self.prepared) }
      if let pause, pause.isOfThisThread, let prepared { return try readPrepared(with: prepared, body) }
      try pause?.refuse(file.location.path)
      permits.wait()
    }
    defer { permits.signal() }
    guard let reader = try enter() else { return nil }
    defer { leave(reader) }
    if isBoundToPath, reader.connection.hasLeftItsPath { throw Database.FileHasLeft() }
    return try read(with: reader, body)
  }

  private func read<Result>(with reader: Reader, _ body: (ReadTransaction) throws -> Result) throws -> Result {
    try reader.connection.begin()
    defer { reader.connection.endReading() }
    if let version = file.schema?.version { try reader.connection.checkVersion(version) }
    let transaction = ReadTransaction(connection: reader.connection)
    lock.withLock { reader.transaction = transaction }
    defer { transaction.end() }
    return try body(transaction)
  }

  /// Opens a connection to new contents, and runs a closure in a transaction on it.
  ///
  /// The thread that has paused this pool calls it. Until the pool is resumed, that thread reads with this connection.
  ///
  /// - Parameter body: Reads. All reads in it share the transaction.
  /// - Throws: The reason why nothing can be read.
  func prepare(_ body: () -> Void) throws {
    let reader = Reader(connection: try connect())
    reader.owner = .current
    lock.withLock { prepared = reader }
    try readPrepared(with: reader) { _ in body() }
  }

  private func readPrepared<Result>(
    with reader: Reader, _ body: (ReadTransaction) throws -> Result
  ) throws -> Result {
    lock.withLock { busy.append(reader) }
    defer {
      lock.withLock {
        reader.transaction = nil
        busy.removeAll { $0 === reader }
      }
    }
    return try read(with: reader, body)
  }

  /// Waits for all readers, and closes the connections; later reads throw the reason.
  func close(_ reason: DatabaseError) {
    for _ in 0..<limit { permits.wait() }
    closeIdle()
    lock.withLock { refusal = reason }
    for _ in 0..<limit { permits.signal() }
  }

  /// Refuses later reads, waits for all readers, and closes the connections, until ``endSuspension(failing:)``.
  func suspend(_ reason: DatabaseError) {
    lock.withLock { suspension = reason }
    for _ in 0..<limit { permits.wait() }
    closeIdle()
    for _ in 0..<limit { permits.signal() }
  }

  /// Ends a suspension; if the file cannot be used, later reads throw the reason.
  func endSuspension(failing reason: DatabaseError?) {
    lock.withLock {
      suspension = nil
      if let reason { refusal = reason }
    }
  }

  /// Waits for all readers; later readers wait until ``resume(_:)`` or ``letGo()``.
  ///
  /// - Parameters:
  ///   - pause: The pause that later readers wait for.
  ///   - patience: The longest time to wait, or `nil` to wait as long as it takes.
  /// - Returns: `false` if a reader takes longer; later readers then do not wait.
  func hold(_ pause: DatabasePause, within patience: Duration?) -> Bool {
    lock.withLock { self.pause = pause }
    let deadline = patience.map { DispatchTime.now() + $0.inSeconds } ?? .distantFuture
    for held in 0..<limit where permits.wait(timeout: deadline) == .timedOut {
      lock.withLock { self.pause = nil }
      for _ in 0..<held { permits.signal() }
      return false
    }
    return true
  }

  /// Lets readers continue with the same connections.
  func letGo() {
    lock.withLock { pause = nil }
    for _ in 0..<limit { permits.signal() }
  }

  /// Closes the connections, which are not in use.
  func settle() { closeIdle() }

  /// Continues with the current file, or refuses reads for a reason.
  func resume(_ reason: DatabaseError?) {
    lock.withLock {
      pause = nil
      refusal = reason
      guard let prepared = prepared.take() else { return }
      prepared.owner = nil
      if reason == nil { idle.append(prepared) } else { prepared.connection.close() }
    }
    for _ in 0..<limit { permits.signal() }
  }

  private func closeIdle() {
    lock.withLock {
      for reader in idle { reader.connection.close() }
      idle = []
    }
  }

  /// A Boolean value that indicates whether the file of an idle connection is no longer at its path.
  var haveLeftTheirPath: Bool {
    lock.withLock { idle.contains { $0.connection.hasLeftItsPath } }
  }

  /// Returns a connection for this thread, or `nil` if the contents were switched while it was opened.
  private func enter() throws(DatabaseError) -> Reader? {
    let thread = ThreadIdentity.current
    let found: Reader? = try lock.withLock { () throws(DatabaseError) in
      if let reason = suspension ?? refusal { throw reason }
      guard let reader = idle.popLast() else { return nil }
      reader.owner = thread
      busy.append(reader)
      return reader
    }
    if let found { return found }
    guard let connection = try open() else { return nil }
    let reader = Reader(connection: connection)
    reader.owner = thread
    lock.withLock { busy.append(reader) }
    return reader
  }

  /// Opens a connection for this thread, or returns `nil` if the contents were switched at that time.
  ///
  /// The members of the scope cannot follow a switch while this thread has a permit. So if they are current afterwards,
  /// no switch began before the last file was open. On the thread that switches the contents itself, the check is not
  /// needed.
  private func open() throws(DatabaseError) -> SQLiteConnection? {
    guard let scope else { return try file.reader() }
    let isSwitching = scope.isSwitchedByThisThread
    guard isSwitching || scope.isFollowed else { return nil }
    let opened = Result { () throws(DatabaseError) in try connect() }
    if isSwitching || scope.isFollowed { return try opened.get() }
    if case .success(let connection) = opened { connection.close() }
    return nil
  }

  /// Opens a connection and all files of the database.
  ///
  /// By itself, SQLite opens the log when a connection first reads, by its path. If another process had switched the
  /// contents by then, the connection would have the database of one environment and the log of another.
  private func connect() throws(DatabaseError) -> SQLiteConnection {
    let connection = try file.reader()
    try connection.begin()
    defer { connection.endReading() }
    _ = try connection.value("SELECT count(*) FROM sqlite_schema")
    return connection
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
