import CSQLite
public import Foundation

/// A function in Swift that SQL can call.
///
/// ```swift
/// import Stores
///
/// let initial = DatabaseFunction("initial", argumentCount: 1, pure: true) { arguments in
///   arguments[0].stringValue?.prefix(1).uppercased()
/// }
/// let database = try Database(.memory, functions: [initial])
/// print(try database.read { try $0.value("SELECT initial('ada')") })  // Prints "'A'"
/// ```
///
/// If the function throws an error, the statement fails with it. A function in a check or an index must be pure, and
/// every program that opens the file needs it.
public struct DatabaseFunction: Sendable {
  /// The name in SQL.
  package let name: String

  /// The number of arguments, or `nil` for any number.
  package let argumentCount: Int?

  /// A Boolean value that indicates whether equal arguments always give equal results.
  package let isPure: Bool

  let body: @Sendable ([SQLiteValue]) throws -> (any SQLiteConvertible)?

  /// Creates a function.
  ///
  /// - Parameters:
  ///   - name: The name in SQL. A function of SQLite with this name and number of arguments is replaced.
  ///   - argumentCount: The number of arguments, at most 127, or `nil` for any number.
  ///   - pure: Pass `true` if equal arguments always give equal results. SQLite may then call it less often, and use it
  ///     in indexes.
  ///   - body: A closure that computes the result. It is called on any thread, and must not use the database.
  public init(
    _ name: String, argumentCount: Int? = nil, pure: Bool = false,
    _ body: @escaping @Sendable (_ arguments: [SQLiteValue]) throws -> (any SQLiteConvertible)?
  ) {
    self.name = name
    self.argumentCount = argumentCount
    isPure = pure
    self.body = body
  }
}

/// A collation in Swift, with which SQL compares and sorts text.
///
/// ```swift
/// import Stores
///
/// let byLength = DatabaseCollation("by_length") { left, right in
///   left.count < right.count ? .orderedAscending : left.count > right.count ? .orderedDescending : .orderedSame
/// }
/// let database = try Database(.memory, collations: [byLength])
/// let words = "SELECT column1 FROM (VALUES ('three'), ('one'), ('four')) ORDER BY column1 COLLATE by_length"
/// print(try database.read { try $0.rows(words).map { $0[0] } })  // Prints "['one', 'four', 'three']"
/// ```
///
/// The order must be consistent and never change, because indexes rely on it. A ``TableSpec`` names collations of
/// columns; every program that opens such a file needs them.
public struct DatabaseCollation: Sendable {
  /// The name in SQL.
  package let name: CollationName

  let compare: @Sendable (String, String) -> ComparisonResult

  /// Creates a collation.
  ///
  /// - Parameters:
  ///   - name: The name in SQL.
  ///   - compare: A closure that compares two texts. It is called on any thread, and must not use the database.
  public init(_ name: CollationName, _ compare: @escaping @Sendable (String, String) -> ComparisonResult) {
    self.name = name
    self.compare = compare
  }
}

/// The functions and collations of all connections of a database.
struct ConnectionExtensions: Sendable {
  var functions: [DatabaseFunction] = []
  var collations: [DatabaseCollation] = []
}

extension SQLiteConnection {
  /// Installs functions and collations, until the connection is closed.
  func install(_ extensions: ConnectionExtensions) throws(DatabaseError) {
    for function in extensions.functions { try install(function) }
    for collation in extensions.collations { try install(collation) }
    self.extensions = extensions
  }

  private func install(_ function: DatabaseFunction) throws(DatabaseError) {
    try checkName(function.name)
    if let count = function.argumentCount, !(0...127).contains(count) {
      throw .invalidFunction(
        name: function.name, path: path, reason: "it has \(count) arguments; SQLite allows 0 to 127")
    }
    let flags = SQLITE_UTF8 | (function.isPure ? SQLITE_DETERMINISTIC : 0)
    let code = sqlite3_create_function_v2(
      handle, function.name, CInt(function.argumentCount ?? -1), flags,
      Unmanaged.passRetained(Box(function)).toOpaque(),
      { call, count, values in
        guard let box = sqlite3_user_data(call) else { return }
        // Sound: SQLite retains the box until the function is removed.
        let function = Unmanaged<Box<DatabaseFunction>>.fromOpaque(box).takeUnretainedValue().content
        let arguments = (0..<Int(count)).map { SQLiteValue(SQLiteCell(value: values?[$0])) }
        do {
          SQLiteValue.setResult(of: call, to: try function.body(arguments)?.sqliteValue ?? .null)
        } catch {
          sqlite3_result_error(call, "the function \(function.name) failed: \(error)", -1)
        }
      },
      nil, nil,
      // Sound: SQLite calls this exactly once, also if the function cannot be installed.
      { box in if let box { Unmanaged<Box<DatabaseFunction>>.fromOpaque(box).release() } })
    if code != SQLITE_OK { throw DatabaseError(SQLiteFailure(code, handle: handle, path: path)) }
  }

  private func install(_ collation: DatabaseCollation) throws(DatabaseError) {
    let name = collation.name.rawValue
    try checkName(name)
    if ["binary", "nocase", "rtrim"].contains(name.lowercased()) {
      throw .invalidFunction(name: name, path: path, reason: "it is a collation of SQLite")
    }
    let box = Unmanaged.passRetained(Box(collation))
    let code = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, box.toOpaque(),
      { box, leftCount, left, rightCount, right in
        guard let box else { return 0 }
        // Sound: SQLite retains the box until the collation is removed, and the texts are valid during the call.
        let collation = Unmanaged<Box<DatabaseCollation>>.fromOpaque(box).takeUnretainedValue().content
        let text = { (start: UnsafeRawPointer?, count: CInt) in
          String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
        }
        return switch collation.compare(text(left, leftCount), text(right, rightCount)) {
        case .orderedAscending: -1
        case .orderedSame: 0
        case .orderedDescending: 1
        }
      },
      { box in if let box { Unmanaged<Box<DatabaseCollation>>.fromOpaque(box).release() } })
    if code != SQLITE_OK {
      // Unlike for a function, SQLite does not release the box then.
      box.release()
      throw DatabaseError(SQLiteFailure(code, handle: handle, path: path))
    }
  }

  private func checkName(_ name: String) throws(DatabaseError) {
    var reason = SQL.refusal(of: name)
    if name.utf8.count > 255 { reason = "it has more than 255 bytes" }
    if let reason { throw .invalidFunction(name: name, path: path, reason: reason) }
  }
}

/// An object that SQLite retains.
private final class Box<Content: Sendable>: Sendable {
  let content: Content

  init(_ content: Content) {
    self.content = content
  }
}
