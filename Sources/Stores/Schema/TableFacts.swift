/// The constraints of a table as a file stores them.
struct TableFacts {
  /// The foreign keys, with names in lower case.
  var references: Set<ForeignKey> = []
  /// The expressions of the checks.
  var checks: Set<SQLTokens> = []
  /// The collations that differ from the usual one, in lower case, by column in lower case.
  var collations: [String: String] = [:]
  /// The default values, by column in lower case.
  var defaults: [String: SQLTokens] = [:]

  /// Reads the constraints of a table.
  init(of table: String, on connection: SQLiteConnection) throws(DatabaseError) {
    let sql = try connection.value(
      "SELECT sql FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower(?)", [.text(table)])
    let elements = SQLTokens(sql.stringValue ?? "").elements
    var deferred: Set<[String]> = []
    for element in elements {
      checks.formUnion(element.expressions(after: "check"))
      let isDeferred = element.contains("initially", "deferred") && !element.contains("not", "deferrable")
      if let columns = element.expressions(after: "key").first, element.contains("foreign", "key") {
        if isDeferred { deferred.insert(columns.names) }
      } else if let name = element.tokens.first {
        if isDeferred { deferred.insert([name.text]) }
        if let collation = element.token(after: "collate")?.text, collation != "binary" {
          collations[name.text] = collation
        }
      }
    }
    let columns = try connection.rows(
      "SELECT lower(name), dflt_value FROM pragma_table_xinfo(?) WHERE dflt_value IS NOT NULL", [.text(table)])
    for row in columns { defaults[row[0].stringValue ?? ""] = SQLTokens(row[1].stringValue ?? "") }
    try readReferences(of: table, on: connection, deferred)
  }

  private mutating func readReferences(
    of table: String, on connection: SQLiteConnection, _ deferred: Set<[String]>
  ) throws(DatabaseError) {
    let rows = try connection.rows(
      """
      SELECT id, lower("from"), lower("table"), lower("to"), on_delete, on_update
      FROM pragma_foreign_key_list(?) ORDER BY id, seq
      """, [.text(table)])
    var position = rows.startIndex
    while position < rows.endIndex {
      let key = rows[position...].prefix { $0[0] == rows[position][0] }
      let columns = key.compactMap { $0[1].stringValue }
      references.insert(
        ForeignKey(
          columns, references: key.first?[2].stringValue ?? "", key.compactMap { $0[3].stringValue },
          onDelete: .named(key.first?[4]), onUpdate: .named(key.first?[5]), isDeferred: deferred.contains(columns)))
      position = key.endIndex
    }
  }
}

extension ForeignKey.Action {
  /// Returns the action that SQLite reports.
  fileprivate static func named(_ name: SQLiteValue?) -> Self { name?.stringValue.flatMap(Self.init) ?? .noAction }
}

/// A column as it exists in a file.
struct ActualColumn {
  let name: String
  /// The column's affinity, as SQLite derives it from the declaration.
  let type: String
  let isRequired: Bool
  let hasDefault: Bool
  let isKey: Bool
  /// A Boolean value that indicates whether SQLite computes the values, so that they cannot be written.
  let isGenerated: Bool
}

extension SQLiteConnection {
  /// Returns the columns of a table, or an empty array if there is no such table.
  func columns(of table: String) throws(DatabaseError) -> [ActualColumn] {
    // Unlike `table_info`, this includes generated columns. Hidden columns belong to virtual tables.
    let sql =
      #"SELECT name, type, "notnull", dflt_value IS NOT NULL, pk, hidden FROM pragma_table_xinfo(?) WHERE hidden <> 1"#
    return try withStatement(sql, [.text(table)]) { statement throws(DatabaseError) in
      var columns: [ActualColumn] = []
      while try statement.step() {
        columns.append(
          ActualColumn(
            name: statement.string(at: 0), type: Self.affinity(statement.string(at: 1)),
            isRequired: statement.int64(at: 2) != 0, hasDefault: statement.int64(at: 3) != 0,
            isKey: statement.int64(at: 4) != 0, isGenerated: statement.int64(at: 5) != 0
          ))
      }
      return columns
    }
  }

  /// Returns the affinity of a declared type, by SQLite's rules.
  private static func affinity(_ declared: String) -> String {
    let type = declared.uppercased()
    if type.contains("INT") { return "INTEGER" }
    if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) { return "TEXT" }
    if type.isEmpty || type.contains("BLOB") { return "BLOB" }
    if ["REAL", "FLOA", "DOUB"].contains(where: type.contains) { return "REAL" }
    return "NUMERIC"
  }
}
