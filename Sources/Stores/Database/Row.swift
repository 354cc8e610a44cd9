import Signals

/// A row that a statement has given.
public struct Row: Hashable, Sendable {
  let layout: RowLayout

  /// The values, in the order of the columns.
  public let values: [SQLiteValue]

  /// The names of the columns, in order.
  public var columns: [String] { layout.names }

  /// The value of a column, by its position from 0.
  ///
  /// - Parameter index: Less than the number of columns.
  public subscript(index: Int) -> SQLiteValue { values[index] }

  /// The value of a column; of several columns with this name, of the first.
  ///
  /// To ask for a column that the statement does not give is a programming error, and stops the program.
  ///
  /// - Parameter column: The column's name, in the spelling of the statement.
  public subscript(column: String) -> SQLiteValue {
    guard let index = layout.names.firstIndex(of: column) else {
      stop(because: "A row has no such column, because its statement does not return it; see `columns`")
    }
    return values[index]
  }

  /// Whether names and values are the same.
  public static func == (left: Row, right: Row) -> Bool {
    left.values == right.values && (left.layout === right.layout || left.columns == right.columns)
  }

  /// Adds the values to a hasher.
  ///
  /// - Parameter hasher: What to add them to.
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

/// What all rows of a statement have in common.
final class RowLayout: Sendable {
  let names: [String]

  init(names: [String]) {
    self.names = names
  }
}
