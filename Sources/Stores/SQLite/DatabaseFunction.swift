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
