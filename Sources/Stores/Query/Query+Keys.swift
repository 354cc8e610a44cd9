extension Query {
  /// Returns the keys of all rows on which the result depends, or `nil` if it may depend on any row.
  func keys(in layout: ModelLayout) -> Set<SQLiteValue>? {
    // An SQL expression may read other rows, and the rank of a match depends on all rows.
    guard source == nil, search == nil, let condition, !condition.form.containsSQL else { return nil }
    return condition.form.keys(.named(layout.spec.key))
  }
}

extension ConditionForm {
  /// A Boolean value that indicates whether a part of the condition is SQL.
  fileprivate var containsSQL: Bool {
    switch self {
    case .sql: true
    case .all(let conditions), .any(let conditions): conditions.contains(where: \.containsSQL)
    case .not(let condition): condition.containsSQL
    case .comparison, .columns, .membership, .pattern, .part, .prefix: false
    }
  }

  /// Returns the keys that a matching row can have, or `nil` if it can have any.
  fileprivate func keys(_ column: ColumnReference) -> Set<SQLiteValue>? {
    switch self {
    case .comparison(column, .equal, let value):
      return Set(Self.stored(value))
    case .membership(column, let values):
      return Set(values.flatMap(Self.stored))
    case .all(let conditions):
      let known = conditions.compactMap { $0.keys(column) }
      guard let first = known.first else { return nil }
      return known.dropFirst().reduce(first) { $0.intersection($1) }
    case .any(let conditions):
      var keys: Set<SQLiteValue> = []
      for condition in conditions {
        guard let more = condition.keys(column) else { return nil }
        keys.formUnion(more)
      }
      return keys
    case .comparison, .columns, .membership, .pattern, .part, .prefix, .not, .sql:
      return nil
    }
  }

  /// Returns the key that equals a value, as SQLite stores it.
  ///
  /// There is none for null and for fractions.
  private static func stored(_ value: SQLiteValue) -> [SQLiteValue] {
    switch value {
    case .null: []
    case .real(let number): Int64(exactly: number).map { [.integer($0)] } ?? []
    default: [value]
    }
  }
}
