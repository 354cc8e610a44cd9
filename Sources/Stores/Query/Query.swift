/// A description of rows of a model's table and of their order, as a value that can be stored, compared and sent.
///
/// ```swift
/// import Stores
///
/// struct Person: StoreModel {
///   static let table = TableSpec("person", indexes: ["age"])
///   var id: Int
///   var name: String
///   var age: Int
/// }
///
/// let adults = Person.where("age", .greaterOrEqual, 18).ordered(by: "name").limit(10)
/// print(adults)
/// // Prints "SELECT * FROM person WHERE age >= 18 ORDER BY name LIMIT 10"
/// ```
///
/// Values are bound to parameters and never become part of a statement's text, so SQL injection is impossible. A column
/// that does not exist, or that cannot hold the value with which it is compared, is reported when the query runs. The
/// errors are ``ModelError/unknownColumn(table:column:known:)`` and
/// ``ModelError/unfitValue(table:column:type:found:)``.
///
/// ### Null
///
/// A query treats null as Swift treats `nil`, not as SQL does. `nil` equals `nil` and differs from every other value.
/// It is neither less nor greater than any value. `!condition` selects exactly the rows for which `condition` is not
/// true.
///
/// ### Order
///
/// Text is sorted by its UTF-8 bytes, and null comes first. Rows that are equal in all sorted columns are ordered by
/// key; so are the rows to which a limit applies. Without an order or a limit, the order is unspecified.
public struct Query<Model: StoreModel>: Hashable, Sendable {
  /// The statement that returns the rows, if they are not read from the model's table.
  let source: Statement?
  private(set) var condition: QueryCondition?
  private(set) var orders: [QueryOrder] = []
  private(set) var maximum: Int?
  private(set) var skipped = 0

  /// A user-defined statement.
  struct Statement: Hashable, Sendable {
    let sql: String
    let arguments: [SQLiteValue]
  }

  /// Creates a query of all rows.
  public init() {
    source = nil
  }

  /// Creates a query of the rows of a `SELECT`, which must return all columns of the model in any order.
  ///
  /// Further columns are ignored.
  ///
  /// The query can be filtered, ordered and limited like any other. It observes the tables that the statement reads.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each value. It may end with a semicolon.
  ///   - arguments: The values, in the order of their question marks.
  public init(sql: String, _ arguments: (any SQLiteConvertible)?...) {
    source = Statement(sql: SQL.withoutEnd(sql), arguments: arguments.map { $0?.sqliteValue ?? .null })
  }

  /// Returns the query restricted to rows that satisfy a condition.
  public func `where`(_ condition: QueryCondition) -> Query {
    var query = self
    query.condition = query.condition.map { $0 && condition } ?? condition
    return query
  }

  /// Returns the query restricted to rows whose column compares with a value as specified.
  public func `where`(_ column: String, _ comparison: QueryComparison, _ value: (any SQLiteConvertible)?) -> Query {
    self.where(QueryCondition(column, comparison, value))
  }

  /// Returns the query extended to rows that satisfy a condition.
  ///
  /// A query without a condition already contains all rows.
  public func or(_ condition: QueryCondition) -> Query {
    var query = self
    query.condition = query.condition.map { $0 || condition }
    return query
  }

  /// Returns the query extended to rows whose column compares with a value as specified.
  public func or(_ column: String, _ comparison: QueryComparison, _ value: (any SQLiteConvertible)?) -> Query {
    or(QueryCondition(column, comparison, value))
  }

  /// Returns the query sorted by a column.
  ///
  /// Earlier sort columns take precedence.
  public func ordered(by column: String, _ direction: QueryDirection = .ascending) -> Query {
    var query = self
    query.orders.append(QueryOrder(column: column, direction: direction))
    return query
  }

  /// Returns the query limited to a number of rows; a negative number counts as 0.
  public func limit(_ count: Int) -> Query {
    var query = self
    query.maximum = max(0, count)
    return query
  }

  /// Returns the query without a number of its first rows; a negative number counts as 0.
  public func offset(_ count: Int) -> Query {
    var query = self
    query.skipped = max(0, count)
    return query
  }
}

extension StoreModel {
  /// Returns a query of the rows that satisfy a condition.
  public static func `where`(_ condition: QueryCondition) -> Query<Self> { Query().where(condition) }

  /// Returns a query of the rows whose column compares with a value as specified.
  public static func `where`(
    _ column: String, _ comparison: QueryComparison, _ value: (any SQLiteConvertible)?
  ) -> Query<Self> {
    Query().where(column, comparison, value)
  }

  /// Returns a query of all rows, sorted by a column.
  public static func ordered(by column: String, _ direction: QueryDirection = .ascending) -> Query<Self> {
    Query().ordered(by: column, direction)
  }
}
