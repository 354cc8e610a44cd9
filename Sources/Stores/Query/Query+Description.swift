extension Query: CustomStringConvertible {
  /// The query as one would write it in SQL, with its values in it; to be read, not to be run.
  public var description: String {
    var text = "SELECT * FROM " + (source.map { "(\($0.sql.substituting($0.arguments)))" } ?? Model.table.name)
    if let condition { text += " WHERE \(condition)" }
    if !orders.isEmpty {
      let terms = orders.map { $0.column + ($0.direction == .ascending ? "" : " DESC") }
      text += " ORDER BY \(terms.joined(separator: ", "))"
    }
    if let maximum { text += " LIMIT \(maximum)" }
    if skipped > 0 { text += " OFFSET \(skipped)" }
    return text
  }
}

extension QueryCondition: CustomStringConvertible {
  /// The condition as one would write it in SQL, with its values in it; to be read, not to be run.
  public var description: String {
    switch form {
    case .comparison(let column, .equal, .null): "\(column) IS NULL"
    case .comparison(let column, .notEqual, .null): "\(column) IS NOT NULL"
    case .comparison(let column, let comparison, let value): "\(column) \(comparison.rawValue) \(value)"
    case .membership(let column, let values): "\(column) IN (\(values.map(\.description).joined(separator: ", ")))"
    case .pattern(let column, let pattern): "\(column) LIKE \(SQLiteValue.text(pattern))"
    case .part(let column, let text): "instr(\(column), \(SQLiteValue.text(text))) > 0"
    case .all(let conditions): conditions.map(\.asPart).joined(separator: " AND ")
    case .any(let conditions): conditions.map(\.asPart).joined(separator: " OR ")
    case .not(let condition): "NOT \(condition.asPart)"
    case .sql(let expression, let arguments): expression.substituting(arguments)
    }
  }

  /// In parentheses, if it has parts of its own.
  private var asPart: String {
    switch form {
    case .all, .any, .sql: "(\(description))"
    default: description
    }
  }
}

extension String {
  /// The text with values in the place of its question marks, as good as it gets without parsing it.
  fileprivate func substituting(_ arguments: [SQLiteValue]) -> String {
    var rest = arguments[...]
    return reduce(into: "") { text, character in
      text += character == "?" ? (rest.popFirst()?.description ?? "?") : String(character)
    }
  }
}
