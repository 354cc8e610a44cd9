/// Some columns of a query's rows, or aggregates of them, as returned by
/// ``Query/select(_:)->Selection<Model,Expression.Value>``.
///
/// ```swift
/// import Stores
///
/// struct Person: StoreModel {
///   static let table = TableSpec("person")
///   var id: Int
///   var city: String
///   var age: Int
/// }
///
/// let database = try Database(.memory, schema: Schema(version: 1, models: [Person.self]))
/// try database.write { transaction in
///   try transaction.put([
///     Person(id: 1, city: "Rome", age: 36), Person(id: 2, city: "Oslo", age: 17),
///     Person(id: 3, city: "Rome", age: 18),
///   ])
/// }
/// let cities = Person.where { $0.age >= 17 }.select { ($0.city, $0.id.count(), $0.age.max()) }
/// for (city, count, oldest) in try database.read({ try $0.all(cities) }) {
///   print(city, count, oldest ?? 0)
/// }
/// // Prints "Oslo 1 17"
/// // Prints "Rome 2 36"
/// ```
///
/// If a selection has aggregates and columns, its rows are groups: one for each combination of values in the columns.
/// If it has aggregates only, there is one row. An order or a limit of the query applies before rows are grouped, and
/// ``ordered(_:_:)`` and ``limit(_:)`` of the selection apply afterwards. Groups and distinct rows without an order are
/// sorted by their columns.
public struct Selection<Model: StoreModel, Output>: Sendable {
  let query: Query<Model>
  let columns: [SelectedColumn]
  let decode: @Sendable (inout SelectionDecoder) throws -> Output
  private(set) var isDistinct = false
  private(set) var orders: [SelectionOrder] = []
  private(set) var maximum: Int?

  struct SelectionOrder: Hashable, Sendable {
    let column: SelectedColumn
    let direction: QueryDirection
  }

  /// Returns the selection without repeated rows.
  public func distinct() -> Selection {
    copy(of: self) { $0.isDistinct = true }
  }

  /// Returns the selection sorted by a column or an aggregate.
  ///
  /// Earlier sort columns take precedence.
  public func ordered<Expression: QueryExpression<Model>>(
    _ direction: QueryDirection = .ascending, _ expression: (Columns<Model>) -> Expression
  ) -> Selection {
    let column = expression(Columns()).selected
    return copy(of: self) { $0.orders.append(SelectionOrder(column: column, direction: direction)) }
  }

  /// Returns the selection limited to a number of rows; a negative number counts as 0.
  public func limit(_ count: Int) -> Selection {
    copy(of: self) { $0.maximum = max(0, count) }
  }
}

extension Query {
  /// Returns a selection of one column, or of one aggregate of the rows.
  ///
  /// The closure returns a property, or an aggregate such as `$0.age.max()`.
  public func select<Expression: QueryExpression<Model>>(
    _ expression: (Columns<Model>) -> Expression
  ) -> Selection<Model, Expression.Value> {
    Selection(query: self, columns: [expression(Columns()).selected]) { decoder in
      try decoder.next(Expression.Value.self)
    }
  }

  /// Returns a selection of some columns, or of aggregates of the rows.
  ///
  /// The closure returns a property, an aggregate such as `$0.age.max()`, or a tuple of them.
  public func select<each Expression: QueryExpression>(
    _ expressions: (Columns<Model>) -> (repeat each Expression)
  ) -> Selection<Model, (repeat (each Expression).Value)> {
    let selected = expressions(Columns())
    var columns: [SelectedColumn] = []
    for expression in repeat each selected { columns.append(expression.selected) }
    return Selection(query: self, columns: columns) { decoder in
      (repeat try decoder.next((each Expression).Value.self))
    }
  }
}

extension StoreModel {
  /// Returns a selection of one column, or of one aggregate, of all rows.
  ///
  /// The closure returns a property, or an aggregate such as `$0.age.max()`.
  public static func select<Expression: QueryExpression<Self>>(
    _ expression: (Columns<Self>) -> Expression
  ) -> Selection<Self, Expression.Value> {
    Query<Self>().select(expression)
  }

  /// Returns a selection of some columns, or of aggregates, of all rows.
  ///
  /// The closure returns a property, an aggregate such as `$0.age.max()`, or a tuple of them.
  public static func select<each Expression: QueryExpression>(
    _ expressions: (Columns<Self>) -> (repeat each Expression)
  ) -> Selection<Self, (repeat (each Expression).Value)> {
    Query<Self>().select(expressions)
  }
}

/// A decoder of the columns of a ``Selection``, one after another.
struct SelectionDecoder {
  let row: RowDecoder
  var place = 0

  /// Returns the value of the next column.
  mutating func next<Value: Decodable>(_ type: Value.Type) throws -> Value {
    defer { place += 1 }
    return try row.value(type, at: place)
  }
}

/// A column, or an aggregate of one, that a ``Selection`` can contain.
///
/// ``Column`` and ``Aggregate`` conform; your own types do not.
public protocol QueryExpression<Model>: Sendable {
  /// The model whose rows are selected.
  associatedtype Model: StoreModel

  /// The type of the values.
  associatedtype Value: Decodable

  /// The column, with the function that aggregates it.
  var selected: SelectedColumn { get }
}

/// The SQL of a ``QueryExpression``.
public struct SelectedColumn: Hashable, Sendable {
  let function: Function?
  let column: ColumnReference

  enum Function: Hashable, Sendable {
    case count, distinctCount, sum, average, min, max
  }
}

extension Column: QueryExpression where Value: Decodable {
  /// The column.
  public var selected: SelectedColumn { SelectedColumn(function: nil, column: reference) }
}

/// A value that is computed from one column of several rows.
public struct Aggregate<Model: StoreModel, Value: Decodable>: QueryExpression {
  /// The column and the function.
  public let selected: SelectedColumn

  init(_ function: SelectedColumn.Function, _ column: ColumnReference) {
    selected = SelectedColumn(function: function, column: column)
  }
}
