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
