/// What must hold for a row, to be put together by `&&`, `||` and `!`.
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

  /// Holds for rows whose column compares so with a value; equality with `nil` finds the rows without a value.
  public init(_ column: String, _ comparison: QueryComparison, _ value: (any SQLiteConvertible)?) {
    form = .comparison(column, comparison, value?.sqliteValue ?? .null)
  }

  /// Holds for rows whose column is one of some values; if `nil` is one of them, for those without a value, too.
  public static func `in`(_ column: String, _ values: [(any SQLiteConvertible)?]) -> QueryCondition {
    QueryCondition(form: .membership(column, values.map { $0?.sqliteValue ?? .null }))
  }

  /// Holds for rows whose column matches a pattern.
  ///
  /// In the pattern `%` stands for any text, `_` for any character, and `\` before one of the three for that character.
  /// Letters of the English alphabet match in both cases.
  public static func like(_ column: String, _ pattern: String) -> QueryCondition {
    QueryCondition(form: .pattern(column, pattern))
  }

  /// Holds for rows whose column contains a text, character for character.
  public static func contains(_ column: String, _ text: String) -> QueryCondition {
    QueryCondition(form: .part(column, text))
  }

  /// Holds for rows without a value in a column.
  public static func isNull(_ column: String) -> QueryCondition {
    QueryCondition(form: .comparison(column, .equal, .null))
  }

  /// Holds for rows with a value in a column.
  public static func isNotNull(_ column: String) -> QueryCondition {
    QueryCondition(form: .comparison(column, .notEqual, .null))
  }

  /// Holds for rows for which an expression of SQL is true.
  ///
  /// The expression has a `?` for each value, and names columns as they are in the table.
  public static func sql(_ expression: String, _ arguments: (any SQLiteConvertible)?...) -> QueryCondition {
    QueryCondition(form: .sql(expression, arguments.map { $0?.sqliteValue ?? .null }))
  }

  /// Holds if both do.
  public static func && (left: QueryCondition, right: QueryCondition) -> QueryCondition {
    if case .all(let conditions) = left.form { return QueryCondition(form: .all(conditions + [right])) }
    return QueryCondition(form: .all([left, right]))
  }

  /// Holds if one does, or both.
  public static func || (left: QueryCondition, right: QueryCondition) -> QueryCondition {
    if case .any(let conditions) = left.form { return QueryCondition(form: .any(conditions + [right])) }
    return QueryCondition(form: .any([left, right]))
  }

  /// Holds if the other does not.
  public static prefix func ! (condition: QueryCondition) -> QueryCondition {
    QueryCondition(form: .not(condition))
  }
}
