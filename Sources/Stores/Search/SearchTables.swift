/// The objects of a file that make up the full-text index of one table.
///
/// FTS5 identifies rows by integers, which must never change. If the key of the table is not an integer, a table of
/// numbers maps keys to integers: SQLite may renumber the `rowid`s of such a table when it is vacuumed.
///
/// Bytes decide whether a text or a key has changed. A collation of the column may find texts equal whose words differ.
struct SearchTables {
  /// The form of the objects, of which a file has one.
  enum Form: CaseIterable {
    case current
    /// The form of earlier versions, whose triggers compared by the columns' collations.
    case collated
  }

  /// The prefix of the names of all objects of full-text indexes.
  static let prefix = "\(SQL.ownPrefix)search"

  let layout: ModelLayout
  let index: SearchIndex
  var form = Form.current

  private var isNumbered: Bool { layout.keyType != .integer }

  /// Returns the quoted name of an object.
  ///
  /// The table's name is in quotation marks, since FTS5 appends suffixes to the name of the index for its own tables.
  private func name(_ kind: String) -> String { SQL.name("\(Self.prefix)\(kind) \(SQL.name(layout.table))") }

  /// The FTS5 table, which contains the words.
  var words: String { name("") }
  /// The table that maps keys to integers.
  private var numbers: String { name("_numbers") }
  /// The view from which FTS5 reads the text, if there is a table of numbers.
  private var text: String { name("_text") }

  private var table: String { SQL.name(layout.table) }
  private var key: String { SQL.name(layout.spec.key) }
  private var columns: [String] { index.columns.map(SQL.name) }
  /// The operator after a value that is compared by its bytes.
  private var binary: String { form == .current ? " COLLATE \(CollationName.binary.rawValue)" : "" }

  // MARK: Searching

  /// The tables in which a search finds rows.
  var matches: String { isNumbered ? "\(words) JOIN \(numbers) ON \(numbers).number = \(words).rowid" : words }

  /// The key of a row that was found.
  var keyOfMatch: String { isNumbered ? "\(numbers).key" : "\(words).rowid" }

  /// The statement that returns an excerpt of the row with a key.
  ///
  /// Its parameters are the column's index, the two marks, the number of words, the pattern, and the key.
  var excerpt: String {
    let row = isNumbered ? "(SELECT number FROM \(numbers) WHERE key = ?)" : "?"
    return "SELECT snippet(\(words), ?, ?, ?, '…', ?) FROM \(words) WHERE \(words) MATCH ? AND rowid = \(row)"
  }

  // MARK: Creating

  /// The statements that create all objects, by their names without quotation marks.
  var creations: [(name: String, sql: String)] {
    let content = isNumbered ? unquoted("_text") : layout.table
    let options = [
      "content = \(SQLiteValue.text(content))",
      "content_rowid = \(SQLiteValue.text(isNumbered ? "number" : layout.spec.key))",
      "tokenize = \(SQLiteValue.text(index.tokenizer.sql))",
    ]
    var creations: [(name: String, sql: String)] = []
    if isNumbered {
      creations.append(
        (unquoted("_numbers"), "CREATE TABLE \(numbers) (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE) STRICT"))
      let texts = columns.map { "\(table).\($0) AS \($0)" }.joined(separator: ", ")
      creations.append(
        (
          unquoted("_text"),
          "CREATE VIEW \(self.text) AS SELECT number, \(texts) FROM \(numbers) JOIN \(table) ON \(table).\(key) = \(numbers).key\(sameKey)"
        ))
    }
    creations.append(
      (unquoted(""), "CREATE VIRTUAL TABLE \(words) USING fts5(\((columns + options).joined(separator: ", ")))"))
    return creations + triggers
  }

  /// The condition, after the one with which SQLite looks up a key, that the bytes are the same.
  ///
  /// Without it, the integrity check would not find a key that differs only by its collation.
  private var sameKey: String { form == .current ? " AND \(table).\(key)\(binary) = \(numbers).key" : "" }

  private func unquoted(_ kind: String) -> String { "\(Self.prefix)\(kind) \(SQL.name(layout.table))" }

  /// The triggers that keep the index in step.
  private var triggers: [(name: String, sql: String)] {
    let changed = ([key] + columns)
    let difference = changed.map { "old.\($0)\(binary) IS NOT new.\($0)" }.joined(separator: " OR ")
    let addition = isNumbered ? ["INSERT INTO \(numbers) (key) VALUES (new.\(key))", added] : [added]
    let removal = isNumbered ? [removed, "DELETE FROM \(numbers) WHERE key = old.\(key)"] : [removed]
    return [
      trigger("_insert", "INSERT", addition),
      trigger("_delete", "DELETE", removal),
      // A row keeps its number, unless its key changes.
      trigger(
        "_update", "UPDATE OF \(changed.joined(separator: ", "))", when: difference,
        isNumbered
          ? [removed, "UPDATE \(numbers) SET key = new.\(key) WHERE key = old.\(key)", added] : [removed, added]),
    ]
  }

  private func trigger(
    _ kind: String, _ event: String, when condition: String? = nil, _ body: [String]
  ) -> (name: String, sql: String) {
    let when = condition.map { " WHEN \($0)" } ?? ""
    return (
      unquoted(kind),
      "CREATE TRIGGER \(name(kind)) AFTER \(event) ON \(table)\(when) BEGIN \(body.joined(separator: "; ")); END"
    )
  }

  private var added: String {
    "INSERT INTO \(words) (rowid, \(columns.joined(separator: ", "))) \(values(of: "new"))"
  }

  private var removed: String {
    "INSERT INTO \(words) (\(words), rowid, \(columns.joined(separator: ", "))) \(values(of: "old", command: "'delete', "))"
  }

  private func values(of row: String, command: String = "") -> String {
    let texts = columns.map { "\(row).\($0)" }.joined(separator: ", ")
    return isNumbered
      ? "SELECT \(command)number, \(texts) FROM \(numbers) WHERE key = \(row).\(key)"
      : "VALUES (\(command)\(row).\(key), \(texts))"
  }

  // MARK: Filling

  /// The statements that fill the index anew.
  var rebuild: [String] {
    let number = [
      "DELETE FROM \(numbers)", "INSERT INTO \(numbers) (key) SELECT \(key) FROM \(table) ORDER BY \(key)",
    ]
    return (isNumbered ? number : []) + ["INSERT INTO \(words) (\(words)) VALUES ('rebuild')"]
  }
}

extension ModelLayout {
  /// The full-text index, if the table has one.
  var searchTables: SearchTables? { spec.search.map { SearchTables(layout: self, index: $0) } }

  /// Returns a difference if the file's full-text index is not the one of the model, in any form.
  func searchDifferences(on connection: SQLiteConnection) throws(DatabaseError) -> [SchemaDifference] {
    guard let tables = searchTables, try searchForm(on: connection) == nil,
      let (sql, found) = try connection.firstDifference(from: tables)
    else { return [] }
    return [SchemaDifference(part: .search, expected: sql, found: found)]
  }

  /// Returns the form of the file's full-text index, or `nil` if the file does not have the one of the model.
  func searchForm(on connection: SQLiteConnection) throws(DatabaseError) -> SearchTables.Form? {
    guard var tables = searchTables else { return nil }
    for form in SearchTables.Form.allCases {
      tables.form = form
      if try connection.firstDifference(from: tables) == nil { return form }
    }
    return nil
  }
}

extension SQLiteConnection {
  /// Returns the first statement of a full-text index whose object is missing or has another definition, which is
  /// returned, too.
  fileprivate func firstDifference(
    from tables: SearchTables
  ) throws(DatabaseError) -> (expected: String, found: String?)? {
    for (name, sql) in tables.creations {
      let found = try value("SELECT sql FROM sqlite_schema WHERE name = ?", [.text(name)]).stringValue
      guard let found, SQLTokens(found) == SQLTokens(sql) else { return (sql, found) }
    }
    return nil
  }

  /// Removes all full-text indexes of models.
  func dropSearchTables() throws(DatabaseError) {
    for (type, kinds) in [
      ("trigger", ["_insert", "_delete", "_update"]), ("table", [""]), ("view", ["_text"]), ("table", ["_numbers"]),
    ] {
      for kind in kinds {
        // The tables that FTS5 creates have a name after the quotation mark.
        let names = try texts(
          "SELECT name FROM sqlite_schema WHERE type = '\(type)' AND name GLOB '\(SearchTables.prefix)\(kind) `*`'")
        for name in names { try execute("DROP \(type) \(SQL.name(name))") }
      }
    }
  }

  /// Creates the full-text indexes of tables, and fills them.
  func createSearchTables(of layouts: [ModelLayout]) throws(DatabaseError) {
    for tables in layouts.compactMap(\.searchTables) {
      for creation in tables.creations { try execute(creation.sql) }
      for statement in tables.rebuild { try execute(statement) }
    }
  }
}
