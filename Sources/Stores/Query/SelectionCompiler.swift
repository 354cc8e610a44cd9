extension Selection {
  /// Returns the statement, and the types of its columns.
  func compiled(in layout: ModelLayout) throws(ModelError) -> (query: CompiledQuery, layout: ColumnLayout) {
    var compiler = QueryCompiler(layout: layout, result: CompiledQuery(sql: ""))
    var types: [TableColumn] = []
    var expressions: [String] = []
    for column in columns {
      expressions.append(try compiler.expression(column))
      types.append(try compiler.type(of: column))
    }
    let shape = ColumnLayout(table: layout.table, columns: types)
    let selection = "SELECT \(isDistinct ? "DISTINCT " : "")\(expressions.joined(separator: ", "))"
    let hasAggregates = columns.contains { $0.function != nil } || orders.contains { $0.column.function != nil }
    let isLimited = query.maximum != nil || query.skipped > 0
    guard hasAggregates || isDistinct || (isLimited && !orders.isEmpty) else {
      let first = orders.map { QueryOrder(column: $0.column.column, direction: $0.direction) }
      var rows = query.sorted(by: first + query.orders)
      if let maximum { rows = rows.limit(min(maximum, query.maximum ?? maximum)) }
      let from = query.source == nil ? "\(selection) FROM \(SQL.name(layout.table))" : selection
      return (try rows.rows(of: layout, selecting: from), shape)
    }
    try compiler.addSource(query, after: selection)
    let plain = columns.filter { $0.function == nil }
    let names = try plain.map { column throws(ModelError) in try compiler.expression(column) }
    if hasAggregates, !plain.isEmpty { compiler.result.sql += " GROUP BY \(names.joined(separator: ", "))" }
    var terms: [String] = []
    for order in orders {
      terms.append(try compiler.expression(order.column) + (order.direction == .ascending ? "" : " DESC"))
    }
    terms += names
    if !hasAggregates, !isDistinct { terms.append(SQL.name(layout.spec.key)) }
    if !terms.isEmpty, !hasAggregates || !plain.isEmpty {
      compiler.result.sql += " ORDER BY \(terms.joined(separator: ", "))"
    }
    if let maximum {
      compiler.result.sql += " LIMIT ?"
      compiler.result.arguments.append(.integer(Int64(maximum)))
    }
    return (compiler.result, shape)
  }
}

extension QueryCompiler {
  /// Adds the table or the statement of a query, and its condition.
  ///
  /// An order or a limit of the query selects the rows of which the selection consists.
  fileprivate mutating func addSource<Model: StoreModel>(
    _ query: Query<Model>, after selection: String
  ) throws(ModelError) {
    if query.isConditionOnly {
      result.sql = "\(selection) FROM \(SQL.name(layout.table))"
      return try addWhere(query.condition)
    }
    let all = query.source == nil ? "SELECT * FROM \(SQL.name(layout.table))" : "SELECT *"
    let rows = try query.rows(of: layout, selecting: all)
    result.sql = "\(selection) FROM (\(rows.sql))"
    result.arguments = rows.arguments
  }

  /// Returns the SQL of a column or an aggregate.
  func expression(_ column: SelectedColumn) throws(ModelError) -> String {
    let name = try comparable(column.column, with: .null).name
    return switch column.function {
    case nil: name
    case .count: "COUNT(\(name))"
    case .distinctCount: "COUNT(DISTINCT \(name))"
    // Without values, only `TOTAL` is a number. It is null for opposite infinities, and reading the text is an error.
    case .sum where try type(of: column).type == .real: "IFNULL(TOTAL(\(name)), 'NaN')"
    case .sum: "IFNULL(SUM(\(name)), 0)"
    case .average: "AVG(\(name))"
    case .min: "MIN(\(name))"
    case .max: "MAX(\(name))"
    }
  }

  /// Returns the type of a column or an aggregate.
  func type(of column: SelectedColumn) throws(ModelError) -> TableColumn {
    let source = layout.columns[try column.column.place(in: layout)]
    return switch column.function {
    case nil, .min, .max: TableColumn(source.name, source.type, isOptional: true)
    case .count, .distinctCount: TableColumn(source.name, .integer)
    case .sum: TableColumn(source.name, source.type)
    case .average: TableColumn(source.name, .real, isOptional: true)
    }
  }
}

extension Query {
  /// Returns a query of the first rows of each group with the same value in a column, in the order of this query.
  func limited(to count: Int, per column: ColumnReference) throws(ModelError) -> Query {
    let layout = try ModelLayout.of(Model.self)
    var window = QueryCompiler(layout: layout, result: CompiledQuery(sql: ""))
    let group = try window.comparable(column, with: .null).name
    try window.add(orders, isRanked: false)
    let number = SQL.name("\(SQL.ownPrefix)number")
    let selection = "SELECT *, ROW_NUMBER() OVER (PARTITION BY \(group)\(window.result.sql)) AS \(number)"
    let rows = try sorted(by: []).rows(of: layout, selecting: "\(selection) FROM \(SQL.name(layout.table))")
    let first = Statement(
      sql: "SELECT * FROM (\(rows.sql)) WHERE \(number) <= ?", arguments: rows.arguments + [.integer(Int64(count))])
    return Query(source: first).sorted(by: orders)
  }
}
