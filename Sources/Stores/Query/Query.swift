/// Which rows of a model's table are wanted, and in which order: a value that can be kept, compared and sent.
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
/// Values are bound to parameters and never become part of a statement's text, so no text is dangerous. A column that
/// the table does not have, or one that cannot hold the value it is compared with, is told when the query is run, by
/// ``ModelError/unknownColumn(table:column:known:)`` or ``ModelError/unfitValue(table:column:type:found:)``.
///
/// ### Null
///
/// A query thinks about null as Swift thinks about `nil`, not as SQL does: `nil` equals `nil`, differs from every
/// value, is neither less nor greater than anything, and `!condition` is true of just the rows that `condition` is not
/// true of.
///
/// ### Order
///
/// Text sorts by its UTF-8 bytes, null before everything. Rows that are equal in all that a query sorts by follow each
/// other by their key, and so does what a limit is applied to; without an order or a limit there is no particular
/// order.
public struct Query<Model: StoreModel>: Hashable, Sendable {
  /// The statement that the rows come from, if not from the model's table.
  let source: Statement?
  private(set) var condition: QueryCondition?
  private(set) var orders: [QueryOrder] = []
  private(set) var maximum: Int?
  private(set) var skipped = 0

  /// A statement of the user's own.
  struct Statement: Hashable, Sendable {
    let sql: String
    let arguments: [SQLiteValue]
  }

  /// All rows.
  public init() {
    source = nil
  }

  /// The rows of a `SELECT`, which must have all columns of the model, in any order; what else it has is ignored.
  ///
  /// The query can be narrowed, ordered and limited as any other. It observes the tables that the statement reads.
  ///
  /// - Parameters:
  ///   - sql: One statement, with a `?` for each value. A semicolon may end it.
  ///   - arguments: The values, in the order of their question marks.
  public init(sql: String, _ arguments: (any SQLiteConvertible)?...) {
    source = Statement(sql: SQL.withoutEnd(sql), arguments: arguments.map { $0?.sqliteValue ?? .null })
  }

  /// The rows of this query for which a condition holds as well.
  public func `where`(_ condition: QueryCondition) -> Query {
    var query = self
    query.condition = query.condition.map { $0 && condition } ?? condition
    return query
  }

  /// The rows of this query whose column compares so with a value as well.
  public func `where`(_ column: String, _ comparison: QueryComparison, _ value: (any SQLiteConvertible)?) -> Query {
    self.where(QueryCondition(column, comparison, value))
  }

  /// The rows of this query, and those others for which a condition holds.
  ///
  /// A query without a condition has all rows already.
  public func or(_ condition: QueryCondition) -> Query {
    var query = self
    query.condition = query.condition.map { $0 || condition }
    return query
  }

  /// The rows of this query, and those others whose column compares so with a value.
  public func or(_ column: String, _ comparison: QueryComparison, _ value: (any SQLiteConvertible)?) -> Query {
    or(QueryCondition(column, comparison, value))
  }

  /// The same rows, sorted; rows that an earlier order leaves equal, if there is one.
  public func ordered(by column: String, _ direction: QueryDirection = .ascending) -> Query {
    var query = self
    query.orders.append(QueryOrder(column: column, direction: direction))
    return query
  }

  /// No more than so many of the rows; a negative number is none.
  public func limit(_ count: Int) -> Query {
    var query = self
    query.maximum = max(0, count)
    return query
  }

  /// The rows without so many of the first; a negative number is none.
  public func offset(_ count: Int) -> Query {
    var query = self
    query.skipped = max(0, count)
    return query
  }
}

extension StoreModel {
  /// The rows for which a condition holds.
  public static func `where`(_ condition: QueryCondition) -> Query<Self> { Query().where(condition) }

  /// The rows whose column compares so with a value.
  public static func `where`(
    _ column: String, _ comparison: QueryComparison, _ value: (any SQLiteConvertible)?
  ) -> Query<Self> {
    Query().where(column, comparison, value)
  }

  /// All rows, sorted.
  public static func ordered(by column: String, _ direction: QueryDirection = .ascending) -> Query<Self> {
    Query().ordered(by: column, direction)
  }
}
