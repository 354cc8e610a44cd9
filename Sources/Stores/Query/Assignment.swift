/// A new value of a column, for all rows of a query.
///
/// ``Column/set(to:)-(Value)`` creates it in the closure of ``WriteTransaction/updateAll(_:_:)``.
public struct Assignment<Model: StoreModel>: Hashable, Sendable {
  let column: ColumnReference
  let value: Value

  enum Value: Hashable, Sendable {
    case constant(SQLiteValue)
    case column(ColumnReference)
  }
}

extension Column where Value: SQLiteConvertible {
  /// Returns an assignment of a value to the column.
  public func set(to value: Value) -> Assignment<Model> {
    Assignment(column: reference, value: .constant(value.sqliteValue))
  }

  /// Returns an assignment of another column's value, as it was before the update.
  public func set(to other: Self) -> Assignment<Model> {
    Assignment(column: reference, value: .column(other.reference))
  }
}

/// A builder of assignments, one per line.
@resultBuilder
public enum AssignmentBuilder<Model: StoreModel>: Sendable {
  /// Returns the assignment of one line.
  public static func buildExpression(_ assignment: Assignment<Model>) -> [Assignment<Model>] { [assignment] }

  /// Returns the assignments of all lines.
  public static func buildBlock(_ assignments: [Assignment<Model>]...) -> [Assignment<Model>] {
    assignments.flatMap { $0 }
  }

  /// Returns the assignments of an `if`.
  public static func buildOptional(_ assignments: [Assignment<Model>]?) -> [Assignment<Model>] { assignments ?? [] }

  /// Returns the assignments of an `if`.
  public static func buildEither(first assignments: [Assignment<Model>]) -> [Assignment<Model>] { assignments }

  /// Returns the assignments of an `else`.
  public static func buildEither(second assignments: [Assignment<Model>]) -> [Assignment<Model>] { assignments }
}
