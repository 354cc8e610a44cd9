/// One read of a window.
struct WindowRead<Model: StoreModel> {
  let seek: WindowSeek<Model>
  let size: Int
  let connection: SQLiteConnection

  /// Returns the rows at a position, and the place of the first one.
  ///
  /// All rows come from one transaction, so the page is complete even if the row at the place was deleted.
  func page(at position: WindowPosition) throws(DatabaseError) -> (WindowPage<Model>, WindowPosition.Place) {
    var (place, offset, rest) = (position.place, position.offset, position.targets[...])
    // Only the last jump to a row of the result counts.
    for index in rest.indices.reversed() {
      guard let row = try seek.row(withKey: rest[index].key, on: connection) else { continue }
      (place, offset, rest) = (.row(row.place), 0, rest[index...])
      break
    }
    var (page, first) = try self.page(at: place, offset)
    // Near the end, a jump leads to a row before its target. Later moves begin there.
    for target in rest where target.offset != 0 { (page, first) = try self.page(at: first, target.offset) }
    return (page, first)
  }

  /// Returns the page that begins some rows after a place, or before it if the number is negative.
  private func page(
    at place: WindowPosition.Place, _ offset: Int
  ) throws(DatabaseError) -> (WindowPage<Model>, WindowPosition.Place) {
    switch place {
    case .start:
      return try page(from: nil, skipping: max(0, offset))
    case .end where offset >= 0:
      return try complete([], before: nil, hasNext: false, isEnd: true)
    case .end:
      guard let first = try rows(before: nil, size).last else { return (WindowPage(), .end) }
      return try page(before: first.place, offset)
    case .row(let place):
      return try offset < 0 ? page(before: place, offset) : page(from: place, skipping: offset)
    }
  }

  private typealias Placed = WindowSeek<Model>.Placed

  private func rows(before place: [SQLiteValue]?, _ limit: Int) throws(DatabaseError) -> [Placed] {
    try seek.rows(from: place, isReversed: true, limit: limit, on: connection)
  }

  /// Returns the page that begins some rows before a place.
  private func page(
    before place: [SQLiteValue], _ offset: Int
  ) throws(DatabaseError) -> (WindowPage<Model>, WindowPosition.Place) {
    let rows = try rows(before: place, -offset + 1)
    return try page(from: rows.count > -offset ? rows[-offset - 1].place : nil, skipping: 0)
  }

  /// Returns the page that begins some rows after a place, or the last one.
  private func page(
    from place: [SQLiteValue]?, skipping count: Int
  ) throws(DatabaseError) -> (WindowPage<Model>, WindowPosition.Place) {
    let rows = try seek.rows(from: place, isIncluded: true, limit: count + size + 1, on: connection)
    let shown = rows.dropFirst(count).prefix(size)
    let hasNext = rows.count > count + size
    if place == nil, count == 0 {
      return (WindowPage(rows: shown.map(\.model), hasNext: hasNext), .start)
    }
    // If all rows were skipped, the page ends with the last one, or before the place if there is none.
    return try shown.isEmpty
      ? complete([], before: nil, hasNext: false, isEnd: false)
      : complete(Array(shown), before: shown.first?.place, hasNext: hasNext, isEnd: false)
  }

  /// Fills a page with rows before its first one.
  private func complete(
    _ rows: [Placed], before place: [SQLiteValue]?, hasNext: Bool, isEnd: Bool
  ) throws(DatabaseError) -> (WindowPage<Model>, WindowPosition.Place) {
    let missing = size - rows.count
    let previous = try self.rows(before: place, missing + 1)
    let all = previous.prefix(missing).reversed() + rows
    let hasPrevious = previous.count > missing
    let page = WindowPage(rows: all.map(\.model), hasPrevious: hasPrevious, hasNext: hasNext)
    if isEnd { return (page, .end) }
    guard let first = all.first, hasPrevious || missing == 0 else { return (page, .start) }
    return (page, .row(first.place))
  }
}

/// The parts of a query that are needed to read its rows from a place on.
struct WindowSeek<Model: StoreModel> {
  /// A row with the values of its sort columns and of its key, which determine its place.
  struct Placed {
    let model: Model
    let place: [SQLiteValue]
  }

  let query: Query<Model>
  private let layout: ModelLayout
  /// The sort columns, the key last.
  private let orders: [QueryOrder]

  init(_ query: Query<Model>) throws(ModelError) {
    let layout = try ModelLayout.of(Model.self)
    if query.maximum != nil || query.skipped > 0 { throw .limitedWindow(table: layout.table) }
    if query.search != nil, query.orders.isEmpty {
      throw .notSearchable(table: layout.table, reason: "a window over a search must be sorted by a column")
    }
    let key = ColumnReference.named(layout.spec.key)
    var orders: [QueryOrder] = []
    for order in query.orders + [QueryOrder(column: key, direction: .ascending)] {
      let column = ColumnReference.named(try order.column.name)
      // Only the first appearance of a column counts, and no two rows have the same key.
      if orders.contains(where: { $0.column == column || $0.column == key }) { continue }
      orders.append(QueryOrder(column: column, direction: order.direction))
    }
    (self.query, self.layout, self.orders) = (query, layout, orders)
  }

  /// Returns rows from a place on, in the order of the query, or in the reverse order towards the start.
  ///
  /// Without a place, it returns the first or last rows.
  func rows(
    from place: [SQLiteValue]?, isIncluded: Bool = false, isReversed: Bool = false, limit: Int,
    on connection: SQLiteConnection
  ) throws(DatabaseError) -> [Placed] {
    var rows: [Placed] = []
    for query in queries(from: place, isIncluded: isIncluded, isReversed: isReversed) where rows.count < limit {
      rows += try placed(query.limit(limit - rows.count), on: connection)
    }
    return rows
  }

  /// Returns the row with a key, if it is in the result.
  func row(withKey key: SQLiteValue, on connection: SQLiteConnection) throws(DatabaseError) -> Placed? {
    let condition = ConditionForm.comparison(.named(layout.spec.key), .equal, key)
    return try placed(query.where(Condition(condition)), on: connection).first
  }

  private func placed(_ query: Query<Model>, on connection: SQLiteConnection) throws(DatabaseError) -> [Placed] {
    var rows: [Placed] = []
    var indexes: [Int32] = []
    try connection.forEach(query) { model, statement in
      if indexes.isEmpty { indexes = self.indexes(in: statement) }
      rows.append(Placed(model: model, place: indexes.map { statement.value(at: $0) }))
      return true
    }
    return rows
  }

  /// Returns the positions of the sort columns in the rows of a statement.
  private func indexes(in statement: SQLiteStatement) -> [Int32] {
    orders.map { order in
      let name = order.column.description
      let place = query.source == nil ? layout.places[name] : statement.layout.names.firstIndex(of: name)
      return Int32(place ?? 0)
    }
  }

  /// Returns queries whose results, one after another, are the rows from a place on.
  ///
  /// For rows sorted by a, b and the key, these are the rows with the same a and b and a greater key, those with the same
  /// a and a greater b, and those with a greater a. An index over the sort columns finds the first row of each at once,
  /// also in mixed directions and with null. A single condition joined by `OR` would make SQLite read rows that it skips.
  func queries(from place: [SQLiteValue]?, isIncluded: Bool, isReversed: Bool) -> [Query<Model>] {
    let orders = isReversed ? orders.map(\.reversed) : orders
    guard let place else { return [query.sorted(by: orders)] }
    return orders.indices.reversed().flatMap { level in
      let isKey = level == orders.count - 1
      let equal = (0..<level).map { comparison(orders[$0], .equal, place[$0]) }
      return further(orders[level], than: place[level], isIncluded: isIncluded && isKey).map { condition in
        (equal + [condition]).reduce(query) { $0.where($1) }.sorted(by: Array(orders[level...]))
      }
    }
  }

  /// Returns the conditions that a column has a later value, in the order of the values.
  private func further(
    _ order: QueryOrder, than value: SQLiteValue, isIncluded: Bool
  ) -> [Condition<Model>] {
    switch (order.direction, value) {
    case (.ascending, .null): [present(order)]
    case (.ascending, _): [comparison(order, isIncluded ? .greaterOrEqual : .greater, value)]
    case (.descending, .null): []
    case (.descending, _):
      // Null is the smallest value.
      [comparison(order, isIncluded ? .lessOrEqual : .less, value)]
        + (column(order)?.isOptional == true ? [comparison(order, .equal, .null)] : [])
    }
  }

  /// Returns the condition that a column has a value.
  ///
  /// SQLite finds the first value in an index if the condition is a comparison. Every text is less than every blob, but
  /// only some collations have a smallest text.
  private func present(_ order: QueryOrder) -> Condition<Model> {
    switch column(order)?.type {
    case .integer, .real: comparison(order, .greaterOrEqual, .real(-.infinity))
    case .text: Condition(.sql("\(SQL.name(order.column.description)) < x''", []))
    default: comparison(order, .notEqual, .null)
    }
  }

  private func column(_ order: QueryOrder) -> TableColumn? {
    layout.places[order.column.description].map { layout.columns[$0] }
  }

  private func comparison(
    _ order: QueryOrder, _ comparison: QueryComparison, _ value: SQLiteValue
  ) -> Condition<Model> {
    Condition(.comparison(order.column, comparison, value))
  }
}

extension QueryOrder {
  /// The same column in the other direction.
  fileprivate var reversed: QueryOrder {
    QueryOrder(column: column, direction: direction == .ascending ? .descending : .ascending)
  }
}
