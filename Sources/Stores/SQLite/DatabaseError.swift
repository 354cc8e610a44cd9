import CSQLite
public import FileSignals
public import Foundation
import Signals

/// An error in opening, reading or writing a database.
///
/// Each case identifies the problem; ``description`` adds the place, the cause and the remedy. The transaction in which
/// the error is thrown has then changed nothing, unless its body catches the error and continues.
@nonexhaustive
public indirect enum DatabaseError: Error, Hashable, Sendable {
  /// The file could not be opened or created.
  case cannotOpen(SQLiteFailure)

  /// The path leads to something other than a regular file, which `kind` describes.
  case notARegularFile(path: String, kind: String)

  /// The file is not a database.
  case notADatabase(SQLiteFailure)

  /// The file belongs to another program, according to the application ID in its header.
  case foreignDatabase(path: String, applicationID: Int32, expected: Int32)

  /// The file is damaged.
  case corrupt(SQLiteFailure)

  /// The file or its directory is not writable.
  case readOnly(SQLiteFailure)

  /// The database was opened for reading only; see ``DatabaseAccess``.
  case openedReadOnly(path: String)

  /// The database was opened for reading only, and its log is missing and cannot be created.
  case logMissing(SQLiteFailure)

  /// The disk is full, or the user's quota is exhausted.
  case diskFull(SQLiteFailure)

  /// The system failed to read or write the file.
  case inputOutput(SQLiteFailure)

  /// Another connection held a lock for longer than the busy timeout.
  case busy(SQLiteFailure)

  /// A constraint rejects the change.
  ///
  /// The failure contains the table and columns if SQLite reports them.
  case constraint(SQLiteFailure)

  /// The statement is invalid: its syntax, or a name in it.
  case invalidStatement(SQLiteFailure)

  /// A table that was to be shared does not exist; `known` contains the existing ones.
  case noSuchTable(String, path: String, known: [String])

  /// The number of arguments differs from the number of parameters of the statement.
  case wrongArgumentCount(statement: String, path: String, expected: Int, given: Int)

  /// The statement would write, but only reading is allowed.
  case writeInRead(statement: String, path: String)

  /// The statement begins or ends a transaction, which is reserved for the database itself.
  case transactionStatement(statement: String, path: String)

  /// The closure of a live read threw an error of another type, which the string describes.
  case failedRead(String, path: String)

  /// A transaction was begun inside another transaction of the same database, on the same thread.
  case nestedAccess(path: String, inner: String, outer: String)

  /// A transaction was used after the call that provided it had returned.
  case transactionIsOver(path: String)

  /// SQLite has rolled the transaction back because of an earlier error, so it cannot continue.
  case transactionLost(path: String, statement: String)

  /// The database has been closed.
  case closed(path: String)

  /// The directory of the database was replaced by another, and the database is closed in that case; see
  /// ``DatabaseStatus``.
  case switched(path: String)

  /// The database was opened without a scope in a directory whose contents an `AppContainer` switches.
  case switchedDirectory(path: String, root: String)

  /// The file was removed, moved or replaced while it was open, so that written data would be lost.
  case fileRemoved(path: String)

  /// The database is suspended by ``Database/suspend()``, or this process is suspended in its directory.
  case suspended(path: String, operation: String)

  /// The file is not in the directory of the scope that the database was to follow.
  case outsideScope(path: String, root: String)

  /// An in-memory database was to be shared, which no other process can access.
  case inMemory

  /// The database's file is not in the container that the processes of the group share.
  case outsideContainer(path: String, container: String)

  /// The author's name is invalid.
  case invalidAuthor(String, reason: String)

  /// This object is already shared.
  ///
  /// A process needs only one share.
  case alreadyShared(path: String)

  /// Changes of other processes cannot be observed as they happen.
  case unobservable(FileObserverError)

  /// A recorded change of another process cannot be decoded, possibly because that process is newer.
  ///
  /// Everything may have changed.
  case undecodable(path: String, sequence: Int64, author: String, reason: String)

  /// Another share of the file has the author's name, in this process or another one that is running, and kept it for
  /// longer than the caller waited.
  ///
  /// Two processes with the same name would not receive each other's changes. The error contains the time that was spent
  /// waiting, and the process that has the name, if it is known. If the share was suspended, it stays suspended.
  case authorInUse(String, path: String, after: Duration, holder: LockHolder?)

  /// A migration, or the closure that fills a new file, asked a ``Store`` for a database that cannot be opened before
  /// it has ended.
  case openingUnderWay(path: String)

  /// A model does not match its table, or a row does not match its model.
  case model(ModelError, path: String)

  /// The file does not match the schema with which it was opened.
  case schema(SchemaError, path: String)

  /// A backup could not be made, and there is none.
  case backupFailed(path: String, destination: String, reason: String)

  /// A statement outside of a transaction would change rows or tables.
  case changeOutsideTransaction(statement: String, path: String)

  /// A function or collation cannot be installed.
  case invalidFunction(name: String, path: String, reason: String)

  /// This process no longer has the claim of a job, so nothing was changed.
  ///
  /// The job was cancelled or finished, it was claimed again because this process had stopped for too long, or the
  /// database has been switched.
  case claimLost(queue: String, job: Int64, path: String)

  /// A job cannot be encoded, or the content of one cannot be decoded; `job` is its identifier in the queue.
  case invalidJob(queue: String, job: Int64?, path: String, reason: String)

  /// Any other failure of SQLite.
  case other(SQLiteFailure)
}

extension DatabaseError {
  /// Creates the error of a failed call.
  init(_ failure: SQLiteFailure) {
    self =
      switch failure.code {
      case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_AUTH: .cannotOpen(failure)
      case SQLITE_NOTADB: .notADatabase(failure)
      case SQLITE_CORRUPT: .corrupt(failure)
      case SQLITE_READONLY: .readOnly(failure)
      case SQLITE_FULL: .diskFull(failure)
      case SQLITE_IOERR: .inputOutput(failure)
      case SQLITE_BUSY, SQLITE_LOCKED: .busy(failure)
      case SQLITE_CONSTRAINT: .constraint(failure)
      case SQLITE_ERROR where failure.statement != nil: .invalidStatement(failure)
      default: .other(failure)
      }
  }

  /// Returns the error of a file that cannot be opened for a reason outside SQLite.
  static func unopenable(_ path: String, because reason: String) -> DatabaseError {
    .cannotOpen(SQLiteFailure(extendedCode: SQLITE_CANTOPEN, message: reason, path: path))
  }

  /// Runs a closure that examines the files of a database.
  static func examining<Result>(
    _ path: String, _ body: @autoclosure () throws(DurableFileError) -> Result
  ) throws(DatabaseError) -> Result {
    try translating(body()) { (error: DurableFileError) in
      DatabaseError.unopenable(path, because: clause(error.description))
    }
  }

  /// Runs a closure that throws only errors of databases, which its type does not say.
  static func only<Result>(_ body: () throws -> Result) throws(DatabaseError) -> Result {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw error
    } catch {
      stop(because: "A database threw an error of an unexpected type")
    }
  }

  /// Returns the status of a file of a database, or `nil` if there is none.
  static func status(_ path: String) throws(DatabaseError) -> FileStatus? {
    try examining(path, FileStatus(path: path))
  }

  /// SQLite's failure, if the error is one.
  public var failure: SQLiteFailure? {
    switch self {
    case .cannotOpen(let failure), .notADatabase(let failure), .corrupt(let failure), .readOnly(let failure),
      .logMissing(let failure), .diskFull(let failure), .inputOutput(let failure), .busy(let failure),
      .constraint(let failure),
      .invalidStatement(let failure), .other(let failure):
      failure
    default: nil
    }
  }
}

extension DatabaseError: CustomStringConvertible, LocalizedError {
  /// A description of the problem, the place, the cause and the remedy.
  public var description: String {
    switch self {
    case .cannotOpen(let failure):
      "The database \(failure.path) cannot be opened: \(failure.reason). Check that its directory exists and is writable."
    case .notARegularFile(let path, let kind):
      "\(path) is \(kind), not a database. Move it away, or choose another path."
    case .notADatabase(let failure):
      "\(failure.path) is not a database: \(failure.reason). It was not changed; move it away, or choose another path."
    case .foreignDatabase(let path, let found, let expected):
      "\(path) is the database of another program: its application id is \(found), not \(expected). It was not changed; "
        + "choose another path."
    case .corrupt(let failure):
      "The database \(failure.path) is damaged: \(failure.reason)\(failure.place). Restore a backup, or recover its rows with "
        + "`sqlite3 FILE .recover`."
    case .readOnly(let failure):
      "The database \(failure.path) cannot be written: \(failure.reason)\(failure.place). Check the owner and mode of the "
        + "file and of its directory."
    case .openedReadOnly(let path):
      "Can't write the database \(path): it was opened for reading only. Open it with the access readWrite."
    case .logMissing(let failure):
      "The database \(failure.path) cannot be read: its log files (-wal and -shm) are missing and cannot be created: "
        + "\(failure.reason). Let a process that can write to its directory open it once. If no process ever writes it, open "
        + "it with the access immutable."
    case .diskFull(let failure):
      "No space is left to write \(failure.path)\(failure.place). Nothing has been changed; free some space and write again."
    case .inputOutput(let failure):
      "The system could not read or write \(failure.path): \(failure.reason)\(failure.place). Nothing has been changed; "
        + "check the disk."
    case .busy(let failure):
      "The database \(failure.path) is locked by another connection: \(failure.reason)\(failure.place). Try again, or find "
        + "the process that holds a transaction open."
    case .constraint(let failure):
      "A constraint of \(failure.path) rejected the change: \(failure.reason)\(failure.place)."
    case .invalidStatement(let failure):
      "SQLite cannot run the statement: \(failure.reason)\(failure.place), in \(failure.path)."
    case .noSuchTable(let name, let path, let known):
      "The table \(name.debugDescription) cannot be shared, because \(path) has no such table; it has "
        + (known.isEmpty ? "none" : known.joined(separator: ", ")) + ". Check the spelling, or create it first."
    case .wrongArgumentCount(let statement, let path, let expected, let given):
      "The statement has \(expected) parameters, but \(given) arguments were passed: \(statement), in \(path)."
    case .writeInRead(let statement, let path):
      "A statement that writes was run inside a read of \(path): \(statement). Run it in a write."
    case .transactionStatement(let statement, let path):
      "The statement begins or ends a transaction of \(path): \(statement). A write already is a transaction. Throw an error "
        + "to roll it back, and call savepoint to roll back a part of it."
    case .failedRead(let reason, let path):
      "The closure of a live read of \(path) failed: \(clause(reason)). It is called again after the next change."
    case .nestedAccess(let path, let inner, let outer):
      "A \(inner) of \(path) began inside a \(outer) on the same thread. Use the transaction of the outer call."
    case .transactionIsOver(let path):
      "A transaction of \(path) was used after its end. Use it only inside the closure that receives it."
    case .transactionLost(let path, let statement):
      "SQLite rolled back the transaction of \(path) after a failure, so a statement was not run: \(statement). Nothing has "
        + "been changed. Let the first error propagate out of the write."
    case .fileRemoved(let path):
      "Can't write the database: \(path) was removed, moved or replaced while it was open. Nothing has been changed. Close "
        + "the database, and open it again."
    case .suspended(let path, let operation):
      "Can't \(operation) the database \(path): it is suspended. Try again after it is resumed."
    case .outsideScope(let path, let root):
      "The database \(path) cannot follow the scope \(root), because it is not in that directory. Move it there, or "
        + "open it without the scope."
    case .inMemory:
      "An in-memory database cannot be shared. Open a database in a file."
    case .outsideContainer(let path, let container):
      "\(path) is not in the container \(container), where other processes look for it. Move it there."
    case .invalidAuthor(let name, let reason):
      "\(name.debugDescription) cannot be the name of an author: \(reason). Choose another name."
    case .alreadyShared(let path):
      "\(path) is already shared by this object. Use that share, or close it first."
    case .unobservable(let error): error.description
    case .undecodable(let path, let sequence, let author, let reason):
      "The change \(sequence) of \(path), made by \(author), cannot be read: \(reason). All rows count as changed."
    case .authorInUse(let name, let path, let limit, let holder):
      "Can't share \(path) as \(name.debugDescription): another share of the file has that name"
        + Self.tenancy(of: holder, for: limit) + ". End that share or process, or give each process a name of its own."
    case .openingUnderWay(let path):
      "Can't open \(path) inside a migration that has to end before. Use the `Migration` that the step receives, or open "
        + "the databases one after the other."
    case .switched(let path):
      "The directory of \(path) was replaced by another, and the database was closed. Open it again, or use the store of "
        + "the current context."
    case .switchedDirectory(let path, let root):
      "Can't open \(path) without a scope: an AppContainer switches the contents of \(root) between environments, and the "
        + "database would not follow. Open it with `scope:` and the container's `scope`, choose a directory outside that "
        + "root, or exclude its directory from switching."
    case .closed(let path):
      "The database \(path) has been closed. Open it again."
    case .model(let error, let path):
      "\(error) The database is \(path)."
    case .schema(let error, let path):
      "\(error) The database is \(path)."
    case .backupFailed(let path, let destination, let reason):
      "The database \(path) cannot be copied to \(destination): \(clause(reason)). Choose another destination, or remove "
        + "the cause."
    case .changeOutsideTransaction(let statement, let path):
      "A statement outside of a transaction would change \(path): \(statement). Run it in a write."
    case .invalidFunction(let name, let path, let reason):
      "The function or collation \(name.debugDescription) cannot be installed for \(path): \(reason). Choose another name "
        + "or number of arguments."
    case .claimLost(let queue, let job, let path):
      "The job \(job) of the queue \(queue.debugDescription) is no longer claimed here, so nothing has been changed: it was "
        + "cancelled, claimed by another worker, or left behind in a switched database. Stop working on it. The database is "
        + "\(path)."
    case .invalidJob(let queue, let job, let path, let reason):
      "\(job.map { "The job \($0)" } ?? "A job") of the queue \(queue.debugDescription) cannot be "
        + "\(job == nil ? "encoded" : "decoded"): \(clause(reason)). The database is \(path)."
    case .other(let failure):
      "SQLite failed: \(failure.reason)\(failure.place), in \(failure.path)."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

extension SQLiteFailure {
  /// SQLite's message, the system's message, the holder of a lock, and the error number.
  fileprivate var reason: String {
    clause(message) + (systemError.map { ", \($0)" } ?? "") + (holder.map { ", held by \($0)" } ?? "")
      + " (SQLite error \(extendedCode))"
  }

  /// The statement, as the end of a clause.
  fileprivate var place: String { statement.map { ", in: \($0)" } ?? "" }
}

extension DatabaseError {
  /// Returns the words that say who has a name, and how long this process has waited for it.
  private static func tenancy(of holder: LockHolder?, for limit: Duration) -> String {
    let place = holder.map { ", in \($0)" } ?? ""
    return limit > .zero ? "\(place), and kept it for \(limit)" : place
  }
}
