extension Query: CustomStringConvertible {
  /// A description of the query in SQL, with its values inserted.
  ///
  /// It is for reading only, not for execution.
  public var description: String {
    var text = "SELECT * FROM " + (source.map { "(\($0.sql.substituting($0.arguments)))" } ?? Model.table.name)
    if let search { text += " MATCH \(SQLiteValue.text(search.text))" }
    if let condition { text += " WHERE \(condition)" }
    if !orders.isEmpty {
      let terms = orders.map { "\($0.column)" + ($0.direction == .ascending ? "" : " DESC") }
      text += " ORDER BY \(terms.joined(separator: ", "))"
    }
    if let maximum { text += " LIMIT \(maximum)" }
    if skipped > 0 { text += " OFFSET \(skipped)" }
    return text
  }
}

extension Condition: CustomStringConvertible {
  /// A description of the condition in SQL, with its values inserted.
  ///
  /// It is for reading only, not for execution.
  public var description: String { form.description }
}

extension ConditionForm: CustomStringConvertible {
  @usableFromInline var description: String {
    switch self {
    case .comparison(let column, .equal, .null): "\(column) IS NULL"
    case .comparison(let column, .notEqual, .null): "\(column) IS NOT NULL"
    case .comparison(let column, let comparison, let value): "\(column) \(comparison.rawValue) \(value)"
    case .columns(let left, let comparison, let right): "\(left) \(comparison.rawValue) \(right)"
    case .membership(let column, let values): "\(column) IN (\(values.map(\.description).joined(separator: ", ")))"
    case .pattern(let column, let pattern): "\(column) LIKE \(SQLiteValue.text(pattern))"
    case .part(let column, let text): "instr(\(column), \(SQLiteValue.text(text))) > 0"
    case .prefix(let column, let prefix): "\(column) GLOB \(SQLiteValue.text(prefix.asGlobPattern + "*"))"
    case .all(let conditions): conditions.isEmpty ? "TRUE" : conditions.map(\.asPart).joined(separator: " AND ")
    case .any(let conditions): conditions.map(\.asPart).joined(separator: " OR ")
    case .not(let condition): "NOT \(condition.asPart)"
    case .sql(let expression, let arguments): expression.substituting(arguments)
    }
  }

  /// The description in parentheses, if the condition has several parts.
  private var asPart: String {
    switch self {
    case .all, .any, .sql: "(\(description))"
    default: description
    }
  }
}

extension String {
  /// The pattern of `GLOB` that matches exactly this text.
  fileprivate var asGlobPattern: String {
    unicodeScalars.reduce(into: "") { pattern, scalar in
      pattern += "*?[".unicodeScalars.contains(scalar) ? "[\(scalar)]" : String(scalar)
    }
  }

  /// Returns the text with values in place of question marks, on a best-effort basis without parsing.
  fileprivate func substituting(_ arguments: [SQLiteValue]) -> String {
    var rest = arguments[...]
    return reduce(into: "") { text, character in
      text += character == "?" ? (rest.popFirst()?.description ?? "?") : String(character)
    }
  }
}
