import FileSignals
import Foundation
import Signals

extension Database {
  /// Waits for the running write, and refuses others until ``resume()``.
  ///
  /// A process that stands still inside a write keeps SQLite's lock for writing, and others wait for it. Call this method
  /// before the process is suspended, and ``resume()`` afterwards. Reads continue, because they block no writer.
  ///
  /// Until then, writes throw ``DatabaseError/suspended(path:operation:)`` and change nothing. A ``DatabaseShare`` of the
  /// database releases its author's name, which is a lock, too.
  ///
  /// This concerns only this object. Its file stays open, for which SQLite holds a shared lock. To release every lock of
  /// the process in a container, call `suspend()` of the `AppGroupsContainer`, which also closes the file.
  ///
  /// - Throws: ``DatabaseError/nestedAccess(path:inner:outer:)`` inside a transaction, which would wait for itself.
  public func suspend() throws(DatabaseError) {
    try refuseNesting("suspend")
    writer.setSuspended(true)
    suspension.withLock { $0.isOwn = true }
    sharing.engine?.suspend()
  }

  /// Allows writes again, and retries live queries and rows that could not be read.
  ///
  /// - Throws: ``DatabaseError/authorInUse(_:path:after:holder:)`` if another process has taken the name of the
  ///   ``DatabaseShare``; the call does not wait for it. Then the database stays suspended; resume it again when the
  ///   name is free.
  ///   ``DatabaseError/nestedAccess(path:inner:outer:)`` inside a transaction.
  public func resume() throws(DatabaseError) {
    try refuseNesting("resume")
    let engine = sharing.engine
    // The process may still be suspended in the container.
    if !suspension.withLock({ $0.isByContainer }) { try engine?.resume() }
    writer.setSuspended(false)
    suspension.withLock { $0.isOwn = false }
    engine?.wake()
    regions.tellStale()
  }
}

// MARK: Suspensions of the container

/// SQLite holds a lock for as long as a file is open, so a database in a suspended container is closed.
extension Database: Suspendable {
  struct Suspension {
    /// A Boolean value that indicates whether ``Database/suspend()`` was called.
    var isOwn = false
    var isByContainer = false
    /// The file that was closed.
    var file: FileIdentity?
    /// A Boolean value that indicates whether the file could not be examined when it was closed.
    var isFileUnknown = false
    var membership: SignalSubscription?
  }

  /// Throws an error if this process is suspended in the directory of a file.
  static func checkSuspension(
    _ location: DatabaseLocation, _ access: DatabaseAccess
  ) throws(DatabaseError) {
    guard case .file(let url) = location, access != .immutable, DirectoryRules.phase(for: url) != .open else { return }
    throw .suspended(path: location.path, operation: "open")
  }

  /// Takes part in suspensions from now on.
  func joinSuspensions() throws(DatabaseError) {
    guard let url = file.location.url, file.access != .immutable else { return }
    let membership = Suspensions.shared.add(self, at: url)
    suspension.withLock { $0.membership = membership }
    try Self.checkSuspension(file.location, file.access)
  }

  package var delaysSuspensionOnThisThread: Bool { isInTransactionOfThisThread || pauses.isHeldByThisThread }

  package func releaseForSuspension() {
    // A switch in progress opens the file again.
    pauses.withTurn {
      guard !writer.isClosed else { return }
      var (identity, isUnknown): (FileIdentity?, Bool) = (nil, false)
      do throws(DatabaseError) {
        identity = try DatabaseError.status(file.location.path)?.identity
      } catch {
        isUnknown = true
      }
      suspension.withLock { suspension in
        if !suspension.isByContainer { (suspension.file, suspension.isFileUnknown) = (identity, isUnknown) }
        suspension.isByContainer = true
      }
      writer.suspendFile()
      readers?.suspend(.suspended(path: location.path, operation: "read"))
      sharing.engine?.suspend()
    }
  }

  package func resumeAfterSuspension() throws {
    let (isDue, isOwn) = suspension.withLock { ($0.isByContainer, $0.isOwn) }
    guard isDue, !writer.isClosed else { return }
    let engine = sharing.engine
    // Without the name, changes would be recorded for another author.
    if !isOwn { try engine?.resume() }
    var failure: DatabaseError?
    pauses.withTurn { failure = reopen() }
    // After a failure, the next resumption makes another attempt.
    suspension.withLock { $0.isByContainer = failure != nil }
    if let engine { engine.wake() } else { tellForeignWrite() }
    regions.tellAll()
    if let failure { throw failure }
  }

  /// Opens the file again, unless a switch that was followed has opened another one; that of a cache may be another.
  ///
  /// - Returns: The reason why the file cannot be opened; reads and writes throw it until the file is opened.
  private func reopen() -> DatabaseError? {
    guard writer.isFileSuspended else {
      readers?.endSuspension(failing: nil)
      return nil
    }
    var isOther = false
    let opened = Result { () throws(DatabaseError) in
      let path = file.location.path
      let (known, isUnknown) = suspension.withLock { ($0.file, $0.isFileUnknown) }
      let present = try DatabaseError.status(path)?.identity
      isOther = !isUnknown && present != known
      guard !isOther || file.policy == .cache else { throw .fileRemoved(path: path) }
      return try file.open()
    }
    let next = writer.prepare(with: opened, version: file.schema?.version, isOther: isOther)
    if let failure = next.failure {
      writer.lock.withLock { writer.refusal = failure }
      readers?.suspend(failure)
    } else {
      writer.resume(with: next, observed: regions.observedTables)
      readers?.endSuspension(failing: nil)
      if isOther, case .success(let file) = opened { lastOutcome.value = file.outcome }
    }
    mutableStatus.value = next.failure.map(DatabaseStatus.closed) ?? .open
    return next.failure
  }
}

extension Database {
  /// Closes the file permanently, after all running transactions.
  ///
  /// Later calls throw ``DatabaseError/closed(path:)``, and live queries report it in their status and failures. When
  /// this returns, this object has closed the file and its log, so they may be moved or removed.
  ///
  /// - Throws: ``DatabaseError/nestedAccess(path:inner:outer:)`` inside a transaction of the same thread, or while that
  ///   thread switches to another file.
  public func close() throws(DatabaseError) {
    try refuseWaiting("close")
    let reason = DatabaseError.closed(path: location.path)
    pauses.withTurn { shutDown(reason) }
    delivery.finish()
    mutableStatus.value = .closed(reason)
    regions.tellAll()
    sharing.close()
  }

  /// Closes the file; later calls throw the reason.
  func shutDown(_ reason: DatabaseError) {
    foreignWrites?.end()
    siblings?.leave(ObjectIdentifier(self))
    readers?.close(reason)
    writer.close(reason)
  }

  /// Changes the database, and overwrites the content that the change deletes or replaces.
  ///
  /// When this returns, neither the file nor its write-ahead log contains that content.
  ///
  /// It takes longer than `write`. If another connection still reads the old content, it stays in the log until the
  /// next change or the last close.
  ///
  /// - Parameter body: Reads and writes, on this thread.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`, or ``DatabaseError``; then nothing has changed.
  @discardableResult
  package func writeErasing<Result>(_ body: (WriteTransaction) throws -> Result) throws -> Result {
    let result = try write { transaction in
      // The setting belongs to the connection, which may be a new one each time.
      try transaction.execute("PRAGMA secure_delete = ON")
      return try body(transaction)
    }
    emptyLog()
    return result
  }

  /// Copies the write-ahead log into the file, and empties it, unless another connection needs it.
  package func emptyLog() {
    // The change is committed. A log that cannot be emptied now is emptied with the next change.
    tolerating { _ = try writer.emptyLog() }
  }
}
