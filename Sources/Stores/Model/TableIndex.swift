/// The columns of one index, written as a literal: `"age"`, or `["city", "name"]`.
public struct TableIndex: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// The columns, most significant first.
  public let columns: [String]

  /// Creates an index over several columns.
  public init(_ columns: [String]) {
    self.columns = columns
  }

  /// Creates an index over one column.
  public init(stringLiteral column: String) {
    columns = [column]
  }

  /// Creates an index over several columns.
  public init(arrayLiteral columns: String...) {
    self.columns = columns
  }
}
