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
/// If the name of a column is known only at run time, use ``Columns/named(_:as:)``.
public struct Condition<Model: StoreModel>: Hashable, Sendable {
  @usableFromInline let form: ConditionForm

  @usableFromInline
  init(_ form: ConditionForm) {
    self.form = form
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
@usableFromInline
enum QueryComparison: String, Hashable, Sendable, CaseIterable {
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

/// A builder of a condition from lines, all of which must hold.
///
/// A line is a condition, an `if` with further conditions, or a `for` loop over them.
///
/// ```swift
/// import Stores
///
/// struct Person: StoreModel {
///   static let table = TableSpec("person")
///   var id: Int
///   var name: String
///   var age: Int
/// }
///
/// func people(named words: [String], olderThan age: Int?) -> Query<Person> {
///   Person.where {
///     for word in words { $0.name.contains(word) }
///     if let age { $0.age > age }
///   }
/// }
///
/// print(people(named: [], olderThan: nil))  // Prints "SELECT * FROM person"
/// print(people(named: ["Ada"], olderThan: 30))
/// // Prints "SELECT * FROM person WHERE instr(name, 'Ada') > 0 AND age > 30"
/// ```
@resultBuilder
public enum ConditionBuilder<Model: StoreModel>: Sendable {
  /// Returns the condition of one line.
  @inlinable
  public static func buildExpression(_ condition: Condition<Model>) -> Condition<Model> { condition }

  /// Returns a condition that all lines hold; without lines, every row satisfies it.
  public static func buildBlock(_ conditions: Condition<Model>...) -> Condition<Model> { buildArray(conditions) }

  /// Returns the condition of an `if`; without one, every row matches.
  public static func buildOptional(_ condition: Condition<Model>?) -> Condition<Model> {
    condition ?? Condition(.always)
  }

  /// Returns the condition of an `if`.
  public static func buildEither(first condition: Condition<Model>) -> Condition<Model> { condition }

  /// Returns the condition of an `else`.
  public static func buildEither(second condition: Condition<Model>) -> Condition<Model> { condition }

  /// Returns a condition that all conditions of a loop hold.
  public static func buildArray(_ conditions: [Condition<Model>]) -> Condition<Model> {
    conditions.count == 1 ? conditions[0] : Condition(conditions.reduce(.always) { $0.and($1.form) })
  }
}
