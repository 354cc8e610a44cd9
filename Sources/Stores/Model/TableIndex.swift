/// The definition of one index, written as a literal if it has only columns: `"age"`, or `["city", "name"]`.
///
/// An index with a condition contains only the rows that satisfy it. As a unique index, it restricts only those rows:
///
/// ```swift
/// import Stores
///
/// let open = TableIndex(["due"], where: "isDone = 0")
/// let byName = TableIndex(expressions: ["lower(name)"])
/// print(open)  // Prints "(`due`) WHERE isDone = 0"
/// print(byName)  // Prints "(lower(name))"
/// ```
public struct TableIndex: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// The columns, most significant first; empty for an index over expressions.
  package let columns: [String]

  /// The SQL expressions, most significant first; empty for an index over columns.
  package let expressions: [String]

  /// The SQL condition of the rows in the index, or `nil` for all rows.
  package let condition: String?

  /// Creates an index over columns.
  ///
  /// - Parameters:
  ///   - columns: The columns, most significant first.
  ///   - condition: An SQL expression that is true for the rows in the index, or `nil` for all rows.
  public init(_ columns: [String], where condition: String? = nil) {
    self.columns = columns
    expressions = []
    self.condition = condition
  }

  /// Creates an index over SQL expressions.
  ///
  /// SQLite uses it for statements that contain the same expressions.
  ///
  /// - Parameters:
  ///   - expressions: The expressions, most significant first. They may use only the columns of the row and
  ///     deterministic functions.
  ///   - condition: An SQL expression that is true for the rows in the index, or `nil` for all rows.
  public init(expressions: [String], where condition: String? = nil) {
    columns = []
    self.expressions = expressions
    self.condition = condition
  }

  /// Creates an index over one column.
  public init(stringLiteral column: String) {
    self.init([column])
  }

  /// Creates an index over several columns.
  public init(arrayLiteral columns: String...) {
    self.init(columns)
  }
}

extension TableIndex: CustomStringConvertible {
  /// The definition in SQL.
  public var description: String {
    let terms = columns.map(SQL.name) + expressions
    return "(\(terms.joined(separator: ", ")))" + (condition.map { " WHERE \($0)" } ?? "")
  }
}
