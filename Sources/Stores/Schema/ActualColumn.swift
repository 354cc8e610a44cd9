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
