import CLibrary
public import Foundation

/// A connection to an SQLite database that knows nothing of this package, as another library would open it.
///
/// It uses the library that the module `Stores` has loaded.
public final class RawDatabase {
  /// An error of SQLite.
  public struct Failure: Error, CustomStringConvertible {
    /// The extended code of the result.
    public let code: Int32

    /// The message of the connection.
    public let description: String

    /// A Boolean value that indicates whether another connection has a lock.
    public var isBusy: Bool { code & 0xff == 5 }
  }

  private let connection: OpaquePointer

  /// Opens a database, and creates it if it is missing.
  public init(_ url: URL, busyTimeout: Int32 = 20_000) throws {
    var opened: OpaquePointer?
    let readWriteCreate: Int32 = 0x6
    let code = Library.shared.open(url.path, &opened, readWriteCreate, nil)
    guard code == 0, let opened else { throw Failure(code: code, description: "cannot open \(url.path)") }
    connection = opened
    _ = Library.shared.busyTimeout(connection, busyTimeout)
  }

  deinit {
    _ = Library.shared.close(connection)
  }

  /// Runs statements, and returns the values of all rows as text.
  @discardableResult
  public func run(_ statements: String) throws -> [String] {
    var values: [String] = []
    let code = withUnsafeMutablePointer(to: &values) { place in
      Library.shared.exec(
        connection, statements,
        { context, count, columns, _ in
          let values = context?.assumingMemoryBound(to: [String].self)
          for index in 0..<Int(count) {
            values?.pointee.append(columns?[index].map { String(cString: $0) } ?? "NULL")
          }
          return 0
        }, place, nil)
    }
    guard code == 0 else {
      throw Failure(code: code, description: Library.shared.message(connection).map { String(cString: $0) } ?? "?")
    }
    return values
  }

  private struct Library: @unchecked Sendable {
    // Sound: the functions are immutable and may be called from any thread.
    static let shared = Library()

    typealias Row =
      @convention(c) (
        UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
        UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
      ) -> Int32
    typealias Open =
      @convention(c) (
        UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, Int32, UnsafePointer<CChar>?
      ) -> Int32
    typealias Exec =
      @convention(c) (OpaquePointer, UnsafePointer<CChar>, Row, UnsafeMutableRawPointer?, OpaquePointer?) -> Int32

    let open = function("sqlite3_open_v2", as: Open.self)
    let exec = function("sqlite3_exec", as: Exec.self)
    let busyTimeout = function("sqlite3_busy_timeout", as: (@convention(c) (OpaquePointer, Int32) -> Int32).self)
    let close = function("sqlite3_close_v2", as: (@convention(c) (OpaquePointer) -> Int32).self)
    let message = function("sqlite3_errmsg", as: (@convention(c) (OpaquePointer) -> UnsafePointer<CChar>?).self)

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function {
      guard let symbol = dlsym(dlopen(nil, RTLD_NOW), name) else { fatalError("SQLite is not loaded") }
      // Sound: the function has this type.
      return unsafeBitCast(symbol, to: type)
    }
  }
}

/// A database of accounts, between which random amounts move.
///
/// Rows that existed together have these properties: the amounts add up to zero, and the numbers of moves to the number
/// in the clock.
public struct RandomBank: Sendable {
  /// The journal modes that SQLite offers for databases that several processes share.
  public enum Mode: String, Sendable, CaseIterable {
    case wal, delete, truncate, persist
  }

  /// The file of the database.
  public let url: URL

  /// Creates the bank of a file, which need not exist.
  public init(_ url: URL) {
    self.url = url
  }

  /// Creates the accounts, over many pages.
  public func create(_ mode: Mode) throws {
    let database = try RawDatabase(url)
    try database.run(
      """
      PRAGMA journal_mode = \(mode.rawValue); BEGIN;
      CREATE TABLE account (id INTEGER PRIMARY KEY, amount INTEGER, moves INTEGER, padding BLOB);
      CREATE TABLE clock (moves INTEGER);
      INSERT INTO clock VALUES (0);
      WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 600)
      INSERT INTO account SELECT id, 0, 0, zeroblob(400) FROM n;
      COMMIT;
      """)
  }

  /// Moves amounts between random accounts, in one transaction.
  public func move(_ database: RawDatabase, _ chance: inout Chance) throws {
    let count = 2 + chance.number(below: 12)
    var statements = "PRAGMA synchronous = OFF; BEGIN IMMEDIATE;"
    for _ in 0..<count {
      let (from, to, amount) = (chance.number(below: 600) + 1, chance.number(below: 600) + 1, chance.number(below: 100))
      statements += "UPDATE account SET amount = amount - \(amount), moves = moves + 1 WHERE id = \(from);"
      statements += "UPDATE account SET amount = amount + \(amount), moves = moves + 1 WHERE id = \(to);"
    }
    try database.run(statements + "UPDATE clock SET moves = moves + \(2 * count); COMMIT;")
  }

  /// Moves amounts until a closure returns `false`, with checkpoints and new connections in between.
  public func churn(_ chance: inout Chance, while isGoingOn: () -> Bool) throws {
    var database: RawDatabase? = try RawDatabase(url)
    while isGoingOn() {
      guard let current = database else {
        database = try RawDatabase(url)
        continue
      }
      do {
        switch chance.number(below: 40) {
        case 0: try current.run("PRAGMA wal_checkpoint(TRUNCATE)")
        case 1: try current.run("PRAGMA wal_checkpoint(RESTART)")
        case 2: try current.run("PRAGMA wal_checkpoint(PASSIVE)")
        case 3: database = nil
        case 4: try current.run("BEGIN IMMEDIATE; UPDATE account SET amount = amount + 1; ROLLBACK")
        default: try move(current, &chance)
        }
      } catch let failure as RawDatabase.Failure where failure.isBusy {
        // Closing the connection rolls back what it has begun.
        database = nil
      }
    }
  }

  /// Returns the reasons why the rows did not exist together.
  public func problems() throws -> [String] {
    let database = try RawDatabase(url)
    let found = try database.run(
      """
      SELECT sum(amount), sum(moves) - (SELECT moves FROM clock), count(*) FROM account; PRAGMA integrity_check;
      """)
    return found == ["0", "0", "600", "ok"] ? [] : found
  }

  /// The number of moves so far.
  public func moves() throws -> Int { try Int(RawDatabase(url).run("SELECT moves FROM clock")[0]) ?? -1 }
}

/// POSIX record locks, as libraries other than this package use them.
public enum RecordLock {
  /// Acquires the lock of a whole file if it is free.
  ///
  /// - Parameter number: A descriptor that is open for writing; the lock ends when the process closes any of the file.
  /// - Returns: `true` if it is held now.
  public static func acquire(_ number: Int32) -> Bool {
    var place = flock()
    place.l_type = Int16(F_WRLCK)
    place.l_whence = Int16(SEEK_SET)
    return fcntl(number, F_SETLK, &place) == 0
  }
}
