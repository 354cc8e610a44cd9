import CSQLite
public import FileSignals

/// A failure that SQLite reports.
public struct SQLiteFailure: Hashable, Sendable {
  /// SQLite's result code, such as 19 for `SQLITE_CONSTRAINT`.
  public var code: Int32 { extendedCode & 0xff }

  /// SQLite's extended result code, such as 2067 for `SQLITE_CONSTRAINT_UNIQUE`.
  public let extendedCode: Int32

  /// SQLite's own message.
  public let message: String

  /// The file's path, or `:memory:`.
  public let path: String

  /// The text of the statement that was being prepared or run, without its arguments.
  public internal(set) var statement: String?

  /// The table that caused the failure, if SQLite reports it.
  public internal(set) var table: String?

  /// The columns that caused the failure, if SQLite reports them.
  public internal(set) var columns: [String] = []

  /// The description of the operating system's error, if there was one.
  public internal(set) var systemError: String?

  /// The process that held the lock that a call could not acquire in time; `nil` if the system does not name it.
  public internal(set) var holder: LockHolder?

  /// Parses the table and columns in messages such as `UNIQUE constraint failed: person.email, person.name`.
  private static func culprit(code: Int32, message: String) -> (table: String?, columns: [String]) {
    guard let colon = message.firstRange(of: ": ") else { return (nil, []) }
    let subject = message[colon.upperBound...]
    switch code {
    case SQLITE_CONSTRAINT:
      let names = subject.unicodeScalars.split(separator: ",").map {
        $0.drop { $0 == " " }.split(separator: ".", maxSplits: 1).map { String($0) }
      }
      guard let first = names.first, first.count == 2 else { return (nil, []) }
      return (first[0], names.compactMap { $0.count == 2 ? $0[1] : nil })
    case SQLITE_ERROR where message.hasPrefix("no such table: "):
      return (String(subject), [])
    case SQLITE_ERROR where message.hasPrefix("no such column: "):
      return (nil, [String(subject)])
    default:
      return (nil, [])
    }
  }
}

extension SQLiteFailure {
  /// Creates the failure of the last call on a connection.
  init(_ code: Int32, handle: OpaquePointer?, path: String, statement: String? = nil) {
    guard let handle else {
      self.init(extendedCode: code, message: String(cString: sqlite3_errstr(code)), path: path, statement: statement)
      return
    }
    // The connection's message may belong to a call other than the one that failed.
    let last = sqlite3_extended_errcode(handle)
    let matches = last & 0xff == code & 0xff
    let message = String(cString: matches ? sqlite3_errmsg(handle) : sqlite3_errstr(code))
    let extended = matches ? last : code
    let (table, columns) = Self.culprit(code: extended & 0xff, message: message)
    let isOfSystem = [SQLITE_CANTOPEN, SQLITE_IOERR, SQLITE_FULL].contains(extended & 0xff)
    let errno = isOfSystem ? sqlite3_system_errno(handle) : 0
    self.init(
      extendedCode: extended, message: message, path: path, statement: statement, table: table, columns: columns,
      systemError: errno == 0 ? nil : errorWords(errno),
      // SQLite locks the index of the log to write.
      holder: extended & 0xff == SQLITE_BUSY ? LockHolder.writer(of: path + "-shm") : nil
    )
  }
}
