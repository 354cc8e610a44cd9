public import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// Why a database could not be opened, read or written.
///
/// Each case says what happened; ``description`` adds where, why, and what can be done about it. Whatever is thrown,
/// the transaction it was thrown in has changed nothing, unless its body caught the error and went on.
public indirect enum DatabaseError: Error, Hashable, Sendable {
  /// The file could not be opened or made.
  case cannotOpen(SQLiteFailure)

  /// Something other than a regular file is at the path; `kind` says what it is.
  case notARegularFile(path: String, kind: String)

  /// The file's content is not that of a database.
  case notADatabase(SQLiteFailure)

  /// The file belongs to another program, as the number in its header says.
  case foreignDatabase(path: String, applicationID: Int32, expected: Int32)

  /// The file is damaged.
  case corrupt(SQLiteFailure)

  /// The file or its place cannot be written.
  case readOnly(SQLiteFailure)

  /// The database was opened for reading only; see ``DatabaseAccess``.
  case openedReadOnly(path: String)

  /// The database was opened for reading only, and the log beside it is not there and cannot be made.
  case logMissing(SQLiteFailure)

  /// The disk, or the user's share of it, is full.
  case diskFull(SQLiteFailure)

  /// The system failed to read or write the file.
  case inputOutput(SQLiteFailure)

  /// Another connection held a lock for longer than the time that was to be waited.
  case busy(SQLiteFailure)

  /// A constraint forbids the change; the failure names table and columns if SQLite does.
  case constraint(SQLiteFailure)

  /// The statement is not correct: its syntax, or a name in it.
  case invalidStatement(SQLiteFailure)

  /// A table that was to be observed or shared does not exist; `known` are those that do.
  case noSuchTable(String, path: String, known: [String])

  /// The statement has another number of parameters than there are arguments.
  case wrongArgumentCount(statement: String, path: String, expected: Int, given: Int)

  /// The statement would write, and only reading is allowed here.
  case writeInRead(statement: String, path: String)

  /// The statement begins or ends a transaction, which only the database itself does.
  case transactionStatement(statement: String, path: String)

  /// A transaction of the database was begun inside another one of the same thread.
  case nestedAccess(path: String, inner: String, outer: String)

  /// A transaction was used after the call that it was given by had returned.
  case transactionIsOver(path: String)

  /// SQLite has rolled the transaction back because of an earlier error, so it cannot go on.
  case transactionLost(path: String, statement: String)

  /// The database has been closed.
  case closed(path: String)

  /// The directory of the database was swapped for another, and the database was to be closed then; see
  /// ``DatabaseStatus``.
  case swapped(path: String)

  /// The database was opened without a scope in a directory whose contents an `AppContainer` switches.
  case switchedDirectory(path: String, root: String)

  /// The file was removed, moved or replaced while it was open; what would be written could not be found again.
  case fileRemoved(path: String)

  /// The database is suspended; see ``Database/suspend()``.
  case suspended(path: String)

  /// The file does not lie in the directory of the scope that the database was to follow.
  case outsideScope(path: String, root: String)

  /// The name under which the database is shared was taken by another share while this one was suspended; the database
  /// stays suspended.
  case authorInUse(String, path: String)

  /// A model does not fit its table, or a row its model.
  case model(ModelError, path: String)

  /// The file does not fit the schema that it was opened with.
  case schema(SchemaError, path: String)

  /// Any other failure of SQLite.
  case other(SQLiteFailure)
}

extension DatabaseError {
  /// Makes the error of a failed call.
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

  /// Makes the error of a file that cannot be opened for a reason that is not SQLite's.
  static func unopenable(_ path: String, because reason: String) -> DatabaseError {
    .cannotOpen(SQLiteFailure(extendedCode: SQLITE_CANTOPEN, message: reason, path: path))
  }

  /// What SQLite said, if it was SQLite.
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
  /// What happened, where, why, and what to do.
  public var description: String {
    switch self {
    case .cannotOpen(let failure):
      "The database \(failure.path) cannot be opened: \(failure.reason). Check that its directory exists and may be written."
    case .notARegularFile(let path, let kind):
      "\(path) is \(kind), not a database. Move it away, or choose another path."
    case .notADatabase(let failure):
      "\(failure.path) is not a database: \(failure.reason). It is left as it is; move it away, or choose another path."
    case .foreignDatabase(let path, let found, let expected):
      "\(path) is the database of another program: its application id is \(found), not \(expected). It is left as it is; "
        + "choose another path."
    case .corrupt(let failure):
      "The database \(failure.path) is damaged: \(failure.reason)\(failure.place). Restore a copy of it; `sqlite3 FILE "
        + ".recover` may save the rest."
    case .readOnly(let failure):
      "The database \(failure.path) cannot be written: \(failure.reason)\(failure.place). Check owner and mode of the file "
        + "and of its directory."
    case .openedReadOnly(let path):
      "The database \(path) was opened for reading only, so nothing can be written. Open it with the access readWrite."
    case .logMissing(let failure):
      "The database \(failure.path) cannot be read without the files of its log, whose names end in -wal and -shm; they are "
        + "not there, and cannot be made: \(failure.reason). Let a process that may write in its directory open it once; if "
        + "nobody ever writes it, open it with the access immutable."
    case .diskFull(let failure):
      "No space is left to write \(failure.path)\(failure.place). Nothing has been changed; free some space and write again."
    case .inputOutput(let failure):
      "The system could not read or write \(failure.path): \(failure.reason)\(failure.place). Nothing has been changed; "
        + "check the disk."
    case .busy(let failure):
      "The database \(failure.path) is locked by another connection: \(failure.reason)\(failure.place). Try again, or find "
        + "out who holds a transaction open."
    case .constraint(let failure):
      "A constraint of \(failure.path) forbids the change: \(failure.reason)\(failure.place)."
    case .invalidStatement(let failure):
      "SQLite cannot run the statement: \(failure.reason)\(failure.place), in \(failure.path)."
    case .noSuchTable(let name, let path, let known):
      "The table \(name.debugDescription) cannot be observed or shared, because \(path) has no such table; it has "
        + (known.isEmpty ? "none" : known.joined(separator: ", ")) + ". Check the spelling, or create it first."
    case .wrongArgumentCount(let statement, let path, let expected, let given):
      "The statement has \(expected) parameters and was given \(given) arguments: \(statement), in \(path)."
    case .writeInRead(let statement, let path):
      "The statement writes, inside a read of \(path): \(statement). Run it in a write."
    case .transactionStatement(let statement, let path):
      "The statement begins or ends a transaction of \(path): \(statement). A write is a transaction already; throw to roll "
        + "it back, and call savepoint for a part of it."
    case .nestedAccess(let path, let inner, let outer):
      "A \(inner) of \(path) was begun inside a \(outer) of the same thread. Use the transaction that the outer call gives."
    case .transactionIsOver(let path):
      "A transaction of \(path) was used after its end. Do everything inside the closure that it is given to."
    case .transactionLost(let path, let statement):
      "SQLite has rolled back the transaction of \(path) after a failure, so this cannot be run in it: \(statement). Nothing "
        + "has been changed; let the first error end the write."
    case .fileRemoved(let path):
      "Can't write the database: \(path) was removed, moved or replaced while it was open. Nothing has been changed. Close "
        + "the database, and open it again."
    case .suspended(let path):
      "The database \(path) is suspended, so nothing can be written. Write again when it has been resumed."
    case .outsideScope(let path, let root):
      "The database \(path) cannot follow the scope \(root), because it does not lie in that directory. Put it there, or "
        + "open it without the scope."
    case .authorInUse(let name, let path):
      "The author's name \(name.debugDescription) is in use by another share of \(path), so this one does not receive what "
        + "that one tells. End that process or share, and resume again."
    case .swapped(let path):
      "The directory of \(path) was swapped for another, and the database was closed. Open it again."
    case .switchedDirectory(let path, let root):
      "Can't open \(path) without a scope: an AppContainer switches the contents of \(root) between environments, and the "
        + "database would not follow. Open it with `scope:` and the container's `scope`, choose a directory outside of that "
        + "root, or exclude its directory from switching."
    case .closed(let path):
      "The database \(path) has been closed. Open it again."
    case .model(let error, let path):
      "\(error) The database is \(path)."
    case .schema(let error, let path):
      "\(error) The database is \(path)."
    case .other(let failure):
      "SQLite failed: \(failure.reason)\(failure.place), in \(failure.path)."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

extension SQLiteFailure {
  /// SQLite's message, the system's, and the number to look up.
  fileprivate var reason: String {
    message + (systemError.map { ", \($0)" } ?? "") + " (SQLite error \(extendedCode))"
  }

  /// The statement, as the end of a clause.
  fileprivate var place: String { statement.map { ", in: \($0)" } ?? "" }
}
