/// A condition on rows.
///
/// Conditions are combined with `&&`, `||` and `!`.
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
/// let query = Person.where(.in("city", ["Rome", "Oslo"]) && !.like("name", "A%"))
/// print(query)
/// // Prints "SELECT * FROM person WHERE city IN ('Rome', 'Oslo') AND NOT name LIKE 'A%'"
/// ```
public struct QueryCondition: Hashable, Sendable {
  let form: Form

  indirect enum Form: Hashable, Sendable {
    case comparison(String, QueryComparison, SQLiteValue)
    case membership(String, [SQLiteValue])
    case pattern(String, String)
    case part(String, String)
    case all([QueryCondition])
    case any([QueryCondition])
    case not(QueryCondition)
    case sql(String, [SQLiteValue])
  }

  init(form: Form) {
    self.form = form
  }

  /// Creates a condition on a column and a value.
  ///
  /// Equality with `nil` selects the rows without a value.
  public init(_ column: String, _ comparison: QueryComparison, _ value: (any SQLiteConvertible)?) {
    form = .comparison(column, comparison, value?.sqliteValue ?? .null)
  }

  /// Returns a condition that a column has one of several values.
  ///
  /// If `nil` is one of them, it includes rows without a value.
  public static func `in`(_ column: String, _ values: [(any SQLiteConvertible)?]) -> QueryCondition {
    QueryCondition(form: .membership(column, values.map { $0?.sqliteValue ?? .null }))
  }

  /// Returns a condition that a column matches a pattern.
  ///
  /// In the pattern, `%` matches any text, `_` matches one character, and `\` escapes these three characters. ASCII
  /// letters match regardless of case.
  public static func like(_ column: String, _ pattern: String) -> QueryCondition {
    QueryCondition(form: .pattern(column, pattern))
  }

  /// Returns a condition that a column contains a string, compared character by character.
  public static func contains(_ column: String, _ text: String) -> QueryCondition {
    QueryCondition(form: .part(column, text))
  }

  /// Returns a condition that a column has no value.
  public static func isNull(_ column: String) -> QueryCondition {
    QueryCondition(form: .comparison(column, .equal, .null))
  }

  /// Returns a condition that a column has a value.
  public static func isNotNull(_ column: String) -> QueryCondition {
    QueryCondition(form: .comparison(column, .notEqual, .null))
  }

  /// Returns a condition that an SQL expression is true.
  ///
  /// The expression has a `?` for each value, and uses the names of the table's columns.
  public static func sql(_ expression: String, _ arguments: (any SQLiteConvertible)?...) -> QueryCondition {
    QueryCondition(form: .sql(expression, arguments.map { $0?.sqliteValue ?? .null }))
  }

  /// Returns a condition that both conditions hold.
  public static func && (left: QueryCondition, right: QueryCondition) -> QueryCondition {
    if case .all(let conditions) = left.form { return QueryCondition(form: .all(conditions + [right])) }
    return QueryCondition(form: .all([left, right]))
  }

  /// Returns a condition that at least one of two conditions holds.
  public static func || (left: QueryCondition, right: QueryCondition) -> QueryCondition {
    if case .any(let conditions) = left.form { return QueryCondition(form: .any(conditions + [right])) }
    return QueryCondition(form: .any([left, right]))
  }

  /// Returns a condition that another one does not hold.
  public static prefix func ! (condition: QueryCondition) -> QueryCondition {
    QueryCondition(form: .not(condition))
  }
}
