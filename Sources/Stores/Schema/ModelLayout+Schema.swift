extension ModelLayout {
  /// Returns the statement that creates the table, under its own name or another.
  func creation(as name: String? = nil) -> String {
    let columns = columns.map { column in
      // With AUTOINCREMENT, the key of a deleted row is never assigned again.
      SQL.name(column.name) + " " + column.type.sql + (column.name == spec.key ? " PRIMARY KEY" : "")
        + (column.name == spec.key && isKeyAssigned ? " AUTOINCREMENT" : "") + (column.isOptional ? "" : " NOT NULL")
        + (spec.defaults[column.name].map { " DEFAULT \($0)" } ?? "")
        + (spec.collations[column.name].map { " COLLATE \(SQL.name($0.rawValue))" } ?? "")
    }
    // The line break ends a comment in the expression.
    let constraints = spec.foreignKeys.map(\.description) + spec.checks.map { "CHECK (\($0)\n)" }
    return "CREATE TABLE \(SQL.name(name ?? table)) (\((columns + constraints).joined(separator: ", "))) STRICT"
  }

  /// The name of the table while a migration fills it.
  var temporaryTable: String { "\(SQL.ownPrefix)transformed \(table)" }

  /// The statements that create the indexes, by the name of the index.
  var indexCreations: [String: String] {
    var creations: [String: String] = [:]
    for (index, isUnique) in spec.indexes.map({ ($0, false) }) + spec.unique.map({ ($0, true) }) {
      let kind = isUnique ? "UNIQUE INDEX" : "INDEX"
      // The name contains the whole definition, so an index with this name has this definition.
      let name = "\(SQL.indexPrefix)\(isUnique ? "unique" : "plain") \(SQL.name(table)) \(index.identifier)"
      creations[name] = "CREATE \(kind) IF NOT EXISTS \(SQL.name(name)) ON \(SQL.name(table)) \(index)"
    }
    return creations
  }

  /// A string with all properties of the table that depend on the model.
  var fingerprint: String {
    let lines = columns.map { column in
      "\(column.name) \(column.type.fingerprint)\(column.isOptional ? "" : " required")"
        + (column.name == spec.key ? " key" : "")
    }
    return (lines + indexCreations.keys.sorted() + SchemaLine.constraints(of: spec)).joined(separator: "\n")
  }

  /// Returns the differences between this table and the one of another fingerprint.
  func differences(from other: String) -> [SchemaDifference] {
    let ours = fingerprint.split(separator: "\n").map { SchemaLine(String($0)) }
    let theirs = other.split(separator: "\n").map { SchemaLine(String($0)) }
    var added = ours.filter { !theirs.contains($0) }
    var differences: [SchemaDifference] = []
    for line in theirs where !ours.contains(line) {
      let index = added.firstIndex { $0.part == line.part && line.part.isUnique }
      let expected = index.map { added.remove(at: $0).definition }
      differences.append(SchemaDifference(part: line.part, expected: expected, found: line.definition))
    }
    differences += added.map { SchemaDifference(part: $0.part, expected: $0.definition, found: nil) }
    if differences.isEmpty {
      let names = { (lines: [SchemaLine]) in lines.map(\.description).joined(separator: ", ") }
      differences = [SchemaDifference(part: .table, expected: names(ours), found: names(theirs))]
    }
    return differences
  }
}

extension TableIndex {
  /// The definition in one line, as a part of the index's name.
  fileprivate var identifier: String {
    let line = { (sql: String) in SQLTokens(sql).description.replacing("\n", with: " ") }
    let terms = columns.map(SQL.name) + expressions.map(line)
    return "(\(terms.joined(separator: ", ")))" + (condition.map { " WHERE \(line($0))" } ?? "")
  }
}

/// One line of the fingerprint of a table.
private struct SchemaLine: Equatable, CustomStringConvertible {
  let line: String
  let part: SchemaDifference.Part
  /// The definition for an error message, without the name of a column: "integer (required, key)".
  let definition: String

  private static let foreignKey = "\(SQL.ownPrefix)foreign "
  private static let check = "\(SQL.ownPrefix)check "
  private static let defaultValue = "\(SQL.ownPrefix)default "
  private static let collation = "\(SQL.ownPrefix)collation "
  private static let search = "\(SQL.ownPrefix)search "

  /// Returns the lines of the constraints, whose prefix no column can have.
  static func constraints(of spec: TableSpec) -> [String] {
    let lines =
      spec.foreignKeys.map { foreignKey + $0.description }
      + spec.checks.map { check + SQLTokens($0).description }
      + spec.defaults.map { "\(defaultValue)\(SQL.name($0)) \($1)" }
      + spec.collations.map { "\(collation)\(SQL.name($0)) \($1.rawValue.lowercased())" }
      + (spec.search.map { ["\(search)\($0)"] } ?? [])
    return lines.map { $0.replacing("\n", with: " ") }.sorted()
  }

  init(_ line: String) {
    self.line = line
    let prefixes = [SQL.indexPrefix, Self.foreignKey, Self.check, Self.defaultValue, Self.collation, Self.search]
    guard let prefix = prefixes.first(where: line.hasPrefix) else {
      (part, definition) = Self.column(line)
      return
    }
    definition = String(line.dropFirst(prefix.count))
    let tokens = SQLTokens(definition)
    let name = tokens.tokens.first?.text ?? ""
    part =
      switch prefix {
      case SQL.indexPrefix: .index
      case Self.check: .check
      case Self.search: .search
      case Self.defaultValue: .defaultValue(name)
      case Self.collation: .collation(name)
      default: .foreignKey(tokens.expressions(after: "key").first?.names ?? [])
      }
  }

  private static func column(_ line: String) -> (SchemaDifference.Part, String) {
    // The name of a column may contain spaces; the type and its properties are the last words.
    var words = line.split(separator: " ")
    var properties: [Substring] = []
    while let last = words.last, last == "key" || last == "required", words.count > 2 {
      properties.insert(words.removeLast(), at: 0)
    }
    let type = words.popLast() ?? ""
    if !properties.contains("required") { properties.insert("optional", at: 0) }
    return (.column(words.joined(separator: " ")), "\(type) (\(properties.joined(separator: ", ")))")
  }

  /// The definition for an error message, with the name of a column.
  var description: String {
    guard case .column(let name) = part else { return definition }
    return "\(name.debugDescription) \(definition)"
  }
}

extension SchemaDifference.Part {
  /// A Boolean value that indicates whether a table has only one part with this name.
  fileprivate var isUnique: Bool {
    switch self {
    case .check, .index: false
    default: true
    }
  }
}
