/// A statement that is ready to run.
struct CompiledQuery: Hashable {
  var sql: String
  var arguments: [SQLiteValue] = []
}

extension Query {
  /// Returns the statement that selects the rows.
  func compiled(in layout: ModelLayout) throws(ModelError) -> CompiledQuery {
    try rows(of: layout, selecting: source == nil ? layout.select : "SELECT *")
  }

  /// Returns the statement that counts the rows.
  func compiledCount(in layout: ModelLayout) throws(ModelError) -> CompiledQuery {
    if isConditionOnly {
      let count = CompiledQuery(sql: "SELECT COUNT(*) FROM \(SQL.name(layout.table))")
      var compiler = QueryCompiler(layout: layout, result: count)
      try compiler.addWhere(condition)
      return compiler.result
    }
    var query = try rows(of: layout, selecting: source == nil ? "SELECT 1 FROM \(SQL.name(layout.table))" : "SELECT 1")
    query.sql = "SELECT COUNT(*) FROM (\(query.sql))"
    return query
  }

  /// Returns the statement that deletes the rows.
  func compiledDeletion(in layout: ModelLayout) throws(ModelError) -> CompiledQuery {
    var compiler = QueryCompiler(layout: layout, result: CompiledQuery(sql: "DELETE FROM \(SQL.name(layout.table))"))
    try addRows(to: &compiler)
    return compiler.result
  }

  /// Returns the statement that changes the rows.
  func compiledUpdate(
    _ assignments: [Assignment<Model>], in layout: ModelLayout
  ) throws(ModelError) -> CompiledQuery {
    var compiler = QueryCompiler(layout: layout, result: CompiledQuery(sql: "UPDATE \(SQL.name(layout.table)) SET "))
    for (place, assignment) in assignments.enumerated() {
      if place > 0 { compiler.result.sql += ", " }
      try compiler.add(assignment)
    }
    try addRows(to: &compiler)
    return compiler.result
  }

  /// A Boolean value that indicates whether the rows are those of the model's table that satisfy the condition.
  ///
  /// If not, a statement that counts, changes or groups the rows must contain the whole query.
  var isConditionOnly: Bool { source == nil && search == nil && maximum == nil && skipped == 0 }

  /// Adds the condition of a statement that changes the rows.
  private func addRows(to compiler: inout QueryCompiler) throws(ModelError) {
    if isConditionOnly { return try compiler.addWhere(condition) }
    let key = SQL.name(compiler.layout.spec.key)
    let table = SQL.name(compiler.layout.table)
    let keys = try rows(of: compiler.layout, selecting: source == nil ? "SELECT \(key) FROM \(table)" : "SELECT \(key)")
    compiler.result.sql += " WHERE \(key) IN (\(keys.sql))"
    compiler.result.arguments += keys.arguments
  }

  /// Returns a complete statement, given the part before its condition or, if the query has a source, before the
  /// source.
  func rows(of layout: ModelLayout, selecting selection: String) throws(ModelError) -> CompiledQuery {
    var compiler = QueryCompiler(layout: layout, result: CompiledQuery(sql: selection))
    if let source {
      compiler.result.sql += " FROM (\(source.sql)\n)"
      compiler.result.arguments = source.arguments
    }
    if let search {
      let join = try layout.join(search)
      compiler.result.sql += join.sql
      compiler.result.arguments += join.arguments
    }
    try compiler.addWhere(condition)
    if search != nil || !orders.isEmpty || maximum != nil || skipped > 0 {
      try compiler.add(orders, isRanked: search != nil && orders.isEmpty)
    }
    if maximum != nil || skipped > 0 {
      compiler.result.sql += " LIMIT ?"
      compiler.result.arguments.append(.integer(Int64(maximum ?? -1)))
    }
    if skipped > 0 {
      compiler.result.sql += " OFFSET ?"
      compiler.result.arguments.append(.integer(Int64(skipped)))
    }
    return compiler.result
  }
}

/// A builder of the statement of a query.
struct QueryCompiler {
  let layout: ModelLayout
  var result: CompiledQuery

  /// Adds the condition of a query, if it has one.
  mutating func addWhere(_ condition: Condition<some StoreModel>?) throws(ModelError) {
    guard let condition else { return }
    result.sql += " WHERE "
    try add(condition.form)
  }

  mutating func add(_ condition: ConditionForm) throws(ModelError) {
    switch condition {
    case .comparison(let column, let comparison, let value):
      try add(column, comparison, value)
    case .columns(let left, let comparison, let right):
      try add(left, comparison, right)
    case .membership(let column, let values):
      try add(column, oneOf: values)
    case .pattern(let column, let pattern):
      add(try self.column(column, fits: .text(pattern)), " LIKE ? ESCAPE '\\'", .text(pattern))
    case .part(let column, let text):
      add("instr(\(try self.column(column, fits: .text(text)))", ", ?) > 0", .text(text))
    case .prefix(let column, let prefix):
      try add(column, startingWith: prefix)
    case .all([]): result.sql += "TRUE"
    case .all(let conditions):
      try add(conditions, joinedBy: " AND ")
    case .any(let conditions):
      try add(conditions, joinedBy: " OR ")
    case .not(let condition):
      // `NOT` of null is null. A condition that is not true counts as false here, as in Swift.
      result.sql += "("
      try add(condition)
      result.sql += ") IS NOT TRUE"
    case .sql(let expression, let arguments):
      // The line break ends a comment in the expression.
      result.sql += "(\(expression)\n)"
      result.arguments += arguments
    }
  }

  /// Adds the part of an update that sets one column.
  mutating func add(_ assignment: Assignment<some StoreModel>) throws(ModelError) {
    switch assignment.value {
    case .constant(let value):
      result.sql += "\(try storable(assignment.column, value)) = ?"
      result.arguments.append(value)
    case .column(let other):
      let name = try column(assignment.column, fits: .null)
      result.sql += "\(name) = \(try column(other, fits: .null))"
    }
  }

  private mutating func add(_ conditions: [ConditionForm], joinedBy joint: String) throws(ModelError) {
    for (place, condition) in conditions.enumerated() {
      result.sql += place == 0 ? "(" : "\(joint)("
      try add(condition)
      result.sql += ")"
    }
  }

  private mutating func add(
    _ column: ColumnReference, _ comparison: QueryComparison, _ value: SQLiteValue
  ) throws(ModelError) {
    let (name, value) = try comparable(column, with: value)
    switch (comparison, value) {
    case (.equal, .null): result.sql += "\(name) IS NULL"
    case (.notEqual, .null): result.sql += "\(name) IS NOT NULL"
    // No value is less or greater than nil, and only nil is less than or equal to it.
    case (.lessOrEqual, .null), (.greaterOrEqual, .null): result.sql += "\(name) IS NULL"
    case (.less, .null), (.greater, .null): result.sql += "FALSE"
    case (.notEqual, _): add(name, " IS NOT ?", value)
    default: add(name, " \(comparison.rawValue) ?", value)
    }
  }

  private mutating func add(
    _ left: ColumnReference, _ comparison: QueryComparison, _ right: ColumnReference
  ) throws(ModelError) {
    let (left, right) = (try comparable(left, with: .null).name, try comparable(right, with: .null).name)
    switch comparison {
    case .equal: result.sql += "\(left) IS \(right)"
    case .notEqual: result.sql += "\(left) IS NOT \(right)"
    case .less, .greater: result.sql += "\(left) \(comparison.rawValue) \(right)"
    // Only nil is less than or equal to nil.
    case .lessOrEqual, .greaterOrEqual:
      result.sql += "(\(left) \(comparison.rawValue) \(right) OR (\(left) IS NULL AND \(right) IS NULL))"
    }
  }

  private mutating func add(_ column: ColumnReference, oneOf values: [SQLiteValue]) throws(ModelError) {
    let name = try comparable(column, with: .null).name
    guard !values.isEmpty else { return result.sql += "FALSE" }
    var present: [SQLiteValue] = []
    for value in values where !value.isNull { present.append(try comparable(column, with: value).value) }
    guard !present.isEmpty else { return result.sql += "\(name) IS NULL" }
    let list: String
    if let keys = SQL.array(of: present) {
      // One statement serves any number of values, and the number of parameters is limited.
      list = "SELECT value FROM json_each(?)"
      result.arguments.append(.text(keys))
    } else {
      list = SQL.parameters(present.count)
      result.arguments += present
    }
    let membership = "\(name) IN (\(list))"
    result.sql += present.count == values.count ? membership : "(\(membership) OR \(name) IS NULL)"
  }

  /// Adds the condition that a column begins with a string, as a range, for which SQLite uses an index.
  private mutating func add(_ column: ColumnReference, startingWith prefix: String) throws(ModelError) {
    let column = layout.columns[try column.place(in: layout)]
    let name = try name(of: column, fits: .text(prefix))
    add(rangeOf: name, startingWith: prefix, collation: .binary)
    // An index with this collation finds texts that differ in case, too. SQLite compares them only up to a NUL.
    guard layout.spec.collations[column.name]?.isNocase == true, !prefix.utf8.contains(0) else { return }
    result.sql += " AND "
    add(rangeOf: name, startingWith: prefix.inSmallASCIILetters, collation: .nocase)
  }

  private mutating func add(rangeOf name: String, startingWith prefix: String, collation: CollationName) {
    let column = "\(name) COLLATE \(collation.rawValue)"
    add(column, " >= ?", .text(prefix))
    if let end = prefix.endOfTextsWithThisPrefix { add(" AND \(column)", " < ?", .text(end)) }
  }

  private mutating func add(_ start: String, _ end: String, _ value: SQLiteValue) {
    result.sql += start + end
    result.arguments.append(value)
  }

  /// Sorts by some columns and then by the key, so that the order is unique.
  mutating func add(_ orders: [QueryOrder], isRanked: Bool) throws(ModelError) {
    var terms = isRanked ? [ModelLayout.searchRank] : []
    for order in orders {
      terms.append("\(try comparable(order.column, with: .null).name)\(order.direction == .ascending ? "" : " DESC")")
    }
    if !orders.contains(where: { $0.column == .named(layout.spec.key) }) { terms.append(SQL.name(layout.spec.key)) }
    result.sql += " ORDER BY \(terms.joined(separator: ", "))"
  }

  /// Returns the expression by which a column is compared and sorted, and a value in the column's format.
  func comparable(
    _ reference: ColumnReference, with value: SQLiteValue
  ) throws(ModelError) -> (name: String, value: SQLiteValue) {
    let column = layout.columns[try reference.place(in: layout)]
    guard column.type == .decimal else { return (try name(of: column, fits: value), value) }
    let name = "\(SQL.name(column.name)) COLLATE \(SQL.decimalCollation)"
    switch value {
    case .null: return (name, value)
    case .integer(let number): return (name, .text("\(number)"))
    case .real(let number) where number.isFinite: return (name, .text("\(number)"))
    case .text(let text) where DecimalText.isNumber(text): return (name, value)
    default: throw .unfitValue(table: layout.table, column: column.name, type: .decimal, found: value.type ?? .text)
    }
  }

  /// Returns the quoted name of a column, after checking that a value can be stored in it.
  private func storable(_ reference: ColumnReference, _ value: SQLiteValue) throws(ModelError) -> String {
    let column = layout.columns[try reference.place(in: layout)]
    let reason: String? =
      switch (column.type, value) {
      case (_, .real(let number)) where number.isNaN: "it is not a number, which SQLite would store as null"
      case (.integer, .real(let number)): "\(number) is not an integer up to \(Int64.max)"
      case (.decimal, .text(let text)) where !DecimalText.isNumber(text): "it is not a number"
      default: nil
      }
    if let reason { throw .unencodable(table: layout.table, column: column.name, reason: reason) }
    return try name(of: column, fits: value)
  }

  /// Returns the quoted name of a column, after checking that it exists and can hold a value.
  ///
  /// SQLite would treat an unknown quoted name as a string literal, and would never find a value of another type.
  private func column(_ reference: ColumnReference, fits value: SQLiteValue) throws(ModelError) -> String {
    try name(of: layout.columns[try reference.place(in: layout)], fits: value)
  }

  /// Returns the quoted name of a column, after checking that it can hold a value.
  private func name(of column: TableColumn, fits value: SQLiteValue) throws(ModelError) -> String {
    guard let found = value.type else { return SQL.name(column.name) }
    switch (column.type, found) {
    case (.integer, .integer), (.integer, .real), (.real, .integer), (.real, .real), (.text, .text),
      (.decimal, .text), (.json, .text), (.blob, .blob):
      return SQL.name(column.name)
    default: throw .unfitValue(table: layout.table, column: column.name, type: column.type, found: found)
    }
  }
}

extension SQLiteValue {
  /// The type of the columns that hold such values, or `nil` for null, which all columns can hold.
  fileprivate var type: ColumnType? {
    switch self {
    case .null: nil
    case .integer: .integer
    case .real: .real
    case .text: .text
    case .blob: .blob
    }
  }
}
