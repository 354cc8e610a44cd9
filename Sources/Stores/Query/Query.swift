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
/// let adults = Person.where { $0.age >= 18 }.ordered { $0.name }.limit(10)
/// print(adults)
/// // Prints "SELECT * FROM person WHERE age >= 18 ORDER BY name LIMIT 10"
/// ```
///
/// A property that does not exist, or a value of another type, does not compile. ``Column`` describes the conditions.
/// Values are bound to parameters and never become part of a statement's text, so SQL injection is impossible.
///
/// If the name of a column is known only at run time, use ``Columns/named(_:as:)``. A column that does not exist, or
/// that cannot hold the value with which it is compared, is then reported when the query runs. The errors are
/// ``ModelError/unknownColumn(table:column:known:)`` and ``ModelError/unfitValue(table:column:type:found:)``.
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
  private(set) var condition: Condition<Model>?
  private(set) var orders: [QueryOrder] = []
  /// The words to search for, if the query is a search.
  var search: SearchText?
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

  init(source: Statement) {
    self.source = source
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
    self.init(
      source: Statement(sql: SQL.withoutEnd(sql), arguments: arguments.map { $0?.sqliteValue ?? .null }))
  }

  /// Returns the query restricted to rows that satisfy a condition.
  ///
  /// The closure creates the condition from the model's properties. If it has several lines, all of them must hold.
  public func `where`(@ConditionBuilder<Model> _ condition: (Columns<Model>) -> Condition<Model>) -> Query {
    self.where(condition(Columns()))
  }

  package func `where`(_ condition: Condition<Model>) -> Query {
    if condition.form == .always { return self }
    return copy(of: self) { query in query.condition = query.condition.map { $0 && condition } ?? condition }
  }

  /// Returns the query extended to rows that satisfy a condition.
  ///
  /// A query without a condition already contains all rows.
  ///
  /// The closure creates the condition from the model's properties. If it has several lines, all of them must hold.
  public func or(@ConditionBuilder<Model> _ condition: (Columns<Model>) -> Condition<Model>) -> Query {
    or(condition(Columns()))
  }

  private func or(_ condition: Condition<Model>) -> Query {
    copy(of: self) { query in
      query.condition = condition.form == .always ? nil : query.condition.map { $0 || condition }
    }
  }

  /// Returns the query sorted by a property.
  ///
  /// The closure returns the property, as in `.ordered { $0.name }`. Earlier sort columns take precedence.
  public func ordered<Value: SQLiteConvertible>(
    _ direction: QueryDirection = .ascending, _ column: (Columns<Model>) -> Column<Model, Value>
  ) -> Query {
    let order = QueryOrder(column: column(Columns()).reference, direction: direction)
    return copy(of: self) { $0.orders.append(order) }
  }

  /// Returns the query sorted by other columns.
  func sorted(by orders: [QueryOrder]) -> Query {
    copy(of: self) { $0.orders = orders }
  }

  /// Returns the query limited to a number of rows; a negative number counts as 0.
  public func limit(_ count: Int) -> Query {
    copy(of: self) { $0.maximum = max(0, count) }
  }

  /// Returns the query without a number of its first rows; a negative number counts as 0.
  public func offset(_ count: Int) -> Query {
    copy(of: self) { $0.skipped = max(0, count) }
  }
}

extension StoreModel {
  /// Returns a query of the rows that satisfy a condition.
  ///
  /// The closure creates the condition from the model's properties. If it has several lines, all of them must hold.
  public static func `where`(@ConditionBuilder<Self> _ condition: (Columns<Self>) -> Condition<Self>) -> Query<Self> {
    Query().where(condition)
  }

  /// Returns a query of all rows, sorted by a property.
  ///
  /// The closure returns the property, as in `.ordered { $0.name }`.
  public static func ordered<Value: SQLiteConvertible>(
    _ direction: QueryDirection = .ascending, _ column: (Columns<Self>) -> Column<Self, Value>
  ) -> Query<Self> {
    Query().ordered(direction, column)
  }
}

/// The direction in which a query is sorted.
@frozen
public enum QueryDirection: Hashable, Sendable {
  /// The smallest value first; null is smaller than all values.
  case ascending
  /// The largest value first.
  case descending
}

/// A column to sort by.
struct QueryOrder: Hashable, Sendable {
  let column: ColumnReference
  let direction: QueryDirection
}

/// Returns a copy of a value, with a change.
@inline(__always)
func copy<Value>(of value: Value, _ change: (inout Value) -> Void) -> Value {
  var copy = value
  change(&copy)
  return copy
}

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
