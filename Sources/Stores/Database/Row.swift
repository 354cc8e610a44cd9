import Signals

/// A row that a statement has returned.
public struct Row: Hashable, Sendable {
  let layout: RowLayout
  let cells: RowCells

  /// The values, in the order of the columns.
  ///
  /// - Complexity: O(*n*), because the values are created at each call.
  public var values: [SQLiteValue] { (0..<cells.count).map { cells[$0] } }

  /// The names of the columns, in order.
  public var columns: [String] { layout.names }

  /// The value of the column at an index.
  ///
  /// - Parameter index: The index, which must be less than the number of columns.
  public subscript(index: Int) -> SQLiteValue { cells[index] }

  /// The value of a column, or of the first one if several columns have the name.
  ///
  /// A name that is not among the ``columns`` is a programming error, and stops the program.
  ///
  /// - Parameter column: The column's name, as spelled in the statement.
  public subscript(column: String) -> SQLiteValue {
    guard let index = layout.names.firstIndex(of: column) else {
      stop(because: "A row has no such column, because its statement does not return it; see `columns`")
    }
    return cells[index]
  }

  /// Returns a Boolean value that indicates whether two rows have the same names and values.
  public static func == (left: Row, right: Row) -> Bool {
    left.cells.count == right.cells.count && (0..<left.cells.count).allSatisfy { left.cells[$0] == right.cells[$0] }
      && (left.layout === right.layout || left.columns == right.columns)
  }

  /// Adds the values to a hasher.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(values)
  }
}

extension Row: CustomStringConvertible {
  /// The columns and their values as SQL literals, such as `(id: 1, name: 'Ada')`.
  public var description: String {
    "(" + zip(columns, values).map { "\($0): \($1)" }.joined(separator: ", ") + ")"
  }
}

/// The layout that all rows of a statement share.
final class RowLayout: Sendable {
  let names: [String]

  init(names: [String]) {
    self.names = names
  }
}
