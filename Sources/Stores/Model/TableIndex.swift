/// The columns of one index, written as a literal: `"age"`, or `["city", "name"]`.
public struct TableIndex: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// The columns, the most significant first.
  public let columns: [String]

  /// An index over some columns.
  public init(_ columns: [String]) {
    self.columns = columns
  }

  /// An index over one column.
  public init(stringLiteral column: String) {
    columns = [column]
  }

  /// An index over several columns.
  public init(arrayLiteral columns: String...) {
    self.columns = columns
  }
}
