/// The parts of a condition.
indirect enum ConditionForm: Hashable, Sendable {
  case comparison(ColumnReference, QueryComparison, SQLiteValue)
  /// A comparison of two columns.
  case columns(ColumnReference, QueryComparison, ColumnReference)
  case membership(ColumnReference, [SQLiteValue])
  case pattern(ColumnReference, String)
  case part(ColumnReference, String)
  case all([ConditionForm])
  case any([ConditionForm])
  case not(ConditionForm)
  case sql(String, [SQLiteValue])

  /// The condition that every row satisfies.
  static let always = ConditionForm.all([])

  /// Returns the condition that this one and another one hold.
  func and(_ other: ConditionForm) -> ConditionForm {
    if self == .always { return other }
    if other == .always { return self }
    if case .all(let conditions) = self { return .all(conditions + [other]) }
    return .all([self, other])
  }
}

/// A column that a query names.
enum ColumnReference: Hashable, Sendable {
  case named(String)
  /// A key path that is not a column, with the error that is thrown when the query runs.
  case unknown(keyPath: String, ModelError)

  /// The name of the column.
  var name: String {
    get throws(ModelError) {
      switch self {
      case .named(let name): return name
      case .unknown(_, let error): throw error
      }
    }
  }
}

extension ColumnReference: CustomStringConvertible {
  var description: String {
    switch self {
    case .named(let name): name
    case .unknown(let keyPath, _): keyPath
    }
  }
}
