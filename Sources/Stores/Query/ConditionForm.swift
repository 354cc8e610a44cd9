/// The parts of a condition.
@usableFromInline
indirect enum ConditionForm: Hashable, Sendable {
  case comparison(ColumnReference, QueryComparison, SQLiteValue)
  /// A comparison of two columns.
  case columns(ColumnReference, QueryComparison, ColumnReference)
  case membership(ColumnReference, [SQLiteValue])
  case pattern(ColumnReference, String)
  case part(ColumnReference, String)
  case prefix(ColumnReference, String)
  case all([ConditionForm])
  case any([ConditionForm])
  case not(ConditionForm)
  case sql(String, [SQLiteValue])

  /// The condition that every row satisfies.
  @usableFromInline static let always = ConditionForm.all([])

  /// Returns the condition that this one and another one hold.
  @usableFromInline
  func and(_ other: ConditionForm) -> ConditionForm {
    if self == .always { return other }
    if other == .always { return self }
    if case .all(let conditions) = self { return .all(conditions + [other]) }
    return .all([self, other])
  }
}
