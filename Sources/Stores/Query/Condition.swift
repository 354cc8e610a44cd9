/// A condition on the rows of a model.
///
/// Closures with the model's properties create conditions, which `&&`, `||` and `!` combine. Each line of a closure is
/// one more condition that must hold:
///
/// ```swift
/// import Stores
///
/// struct Person: StoreModel {
///   static let table = TableSpec("person")
///   var id: Int
///   var name: String
///   var city: String?
/// }
///
/// let query = Person.where {
///   $0.city.isIn(["Rome", "Oslo"]) || $0.city == nil
///   !$0.name.like("A%")
/// }
/// print(query)
/// // Prints "SELECT * FROM person WHERE (city IN ('Rome', 'Oslo') OR city IS NULL) AND NOT name LIKE 'A%'"
/// ```
///
/// If the name of a column is known only at run time, use ``column(named:_:_:)`` and its variants.
public struct Condition<Model: StoreModel>: Hashable, Sendable {
  @usableFromInline let form: ConditionForm

  @usableFromInline
  init(_ form: ConditionForm) {
    self.form = form
  }

  /// Returns a condition that a column compares with a value as specified.
  ///
  /// Equality with `nil` selects the rows without a value. An unknown name, and a value of another type than the
  /// column's, is reported when the query runs.
  public static func column(
    named name: String, _ comparison: QueryComparison, _ value: (any SQLiteConvertible)?
  ) -> Condition {
    Condition(.comparison(.named(name), comparison, value?.sqliteValue ?? .null))
  }

  /// Returns a condition that a column has one of several values.
  ///
  /// If `nil` is one of them, it includes rows without a value.
  public static func column(named name: String, isIn values: [(any SQLiteConvertible)?]) -> Condition {
    Condition(.membership(.named(name), values.map { $0?.sqliteValue ?? .null }))
  }

  /// Returns a condition that a column matches a pattern.
  ///
  /// In the pattern, `%` matches any text, `_` matches one character, and `\` escapes these three characters. ASCII
  /// letters match regardless of case.
  public static func column(named name: String, like pattern: String) -> Condition {
    Condition(.pattern(.named(name), pattern))
  }

  /// Returns a condition that a column contains a string, compared byte by byte.
  public static func column(named name: String, contains text: String) -> Condition {
    Condition(.part(.named(name), text))
  }

  /// Returns a condition that a column begins with a string, compared byte by byte, whatever collation it has.
  public static func column(named name: String, hasPrefix prefix: String) -> Condition {
    Condition(.prefix(.named(name), prefix))
  }

  /// Returns a condition that an SQL expression is true.
  ///
  /// The expression has a `?` for each value, and uses the names of the table's columns.
  public static func sql(_ expression: String, _ arguments: (any SQLiteConvertible)?...) -> Condition {
    Condition(.sql(expression, arguments.map { $0?.sqliteValue ?? .null }))
  }

  /// Returns a condition that both conditions hold.
  @inlinable
  public static func && (left: Condition, right: Condition) -> Condition {
    Condition(left.form.and(right.form))
  }

  /// Returns a condition that at least one of two conditions holds.
  @inlinable
  public static func || (left: Condition, right: Condition) -> Condition {
    if case .any(let conditions) = left.form { return Condition(.any(conditions + [right.form])) }
    return Condition(.any([left.form, right.form]))
  }

  /// Returns a condition that another one does not hold.
  @inlinable
  public static prefix func ! (condition: Condition) -> Condition {
    Condition(.not(condition.form))
  }
}

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

/// A comparison of a column with a value.
@nonexhaustive
public enum QueryComparison: String, Hashable, Sendable, CaseIterable {
  /// The column equals the value.
  case equal = "="
  /// The column differs from the value.
  case notEqual = "<>"
  /// The column is less than the value.
  case less = "<"
  /// The column is less than the value or equal to it.
  case lessOrEqual = "<="
  /// The column is greater than the value.
  case greater = ">"
  /// The column is greater than the value or equal to it.
  case greaterOrEqual = ">="
}
