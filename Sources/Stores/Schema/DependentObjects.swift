/// The indexes and triggers on a table that statements of the application or other programs have created.
///
/// Dropping the table removes them. SQLite keeps the views of a table, and the triggers of other tables that mention
/// it.
struct DependentObjects {
  private struct Object {
    let type: String
    let name: String
    let sql: String
  }

  private let table: String
  private let columns: [String]
  private let objects: [Object]

  /// Records the objects of a table.
  init(of table: String, on connection: SQLiteConnection) throws(DatabaseError) {
    self.table = table
    columns = try connection.columns(of: table).map(\.name)
    let rows = try connection.rows(
      """
      SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND tbl_name = ? COLLATE NOCASE
      AND sql IS NOT NULL AND name NOT LIKE 'signals\\_%' ESCAPE '\\' ORDER BY type, rowid
      """, [.text(table)])
    objects = rows.map {
      Object(type: $0[0].stringValue ?? "", name: $0[1].stringValue ?? "", sql: $0[2].stringValue ?? "")
    }
  }

  /// Creates the objects again, after the table has been replaced.
  ///
  /// - Throws: ``SchemaError/brokenDependent(_:_:reason:)`` for an index whose column is gone.
  func restore(on connection: SQLiteConnection) throws(DatabaseError) {
    let present = Set(try connection.columns(of: table).map { $0.name.lowercased() })
    let gone = columns.filter { !present.contains($0.lowercased()) }
    for object in objects {
      // SQLite treats an unknown name in double quotation marks as a text, and would create another index.
      let terms = object.type == "index" ? SQLTokens(SQLTokens(object.sql).tokens.drop { !$0.isKeyword("(") }) : nil
      if let column = gone.first(where: { terms?.mentions($0) == true }) {
        throw refusal(
          of: object, "the table \(table.debugDescription) has no column \(column.debugDescription)", connection)
      }
      do throws(DatabaseError) {
        try connection.execute(object.sql)
      } catch {
        guard let failure = error.failure, !error.isOfSystem else { throw error }
        throw refusal(of: object, failure.message, connection)
      }
    }
  }

  private func refusal(of object: Object, _ reason: String, _ connection: SQLiteConnection) -> DatabaseError {
    .schema(.brokenDependent(object.type, object.name, reason: reason), path: connection.path)
  }
}

extension DependentObjects {
  /// A view, or the triggers of a table for one operation.
  struct Use: Hashable {
    let type: String
    let name: String
    let operation: TriggerChange.Operation?
  }

  /// A view, or the triggers of a table for one operation, that SQLite cannot compile.
  struct Failure {
    let use: Use
    let names: [String]
    let reason: String
  }

  /// Returns the views and triggers that SQLite cannot compile, views first.
  ///
  /// A view or trigger may mention any table, also one that does not exist.
  static func failures(on connection: SQLiteConnection) throws(DatabaseError) -> [Failure] {
    var failures: [Failure] = []
    for view in try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY rowid") {
      let use = Use(type: "view", name: view.lowercased(), operation: nil)
      let reason = try refusal { () throws(DatabaseError) in
        try connection.prepare("SELECT * FROM main.\(SQL.name(view))").finalize()
      }
      if let reason { failures.append(Failure(use: use, names: [view], reason: reason)) }
    }
    var triggers: [Use: [String]] = [:]
    let rows = try connection.rows(
      "SELECT tbl_name, name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
    for row in rows {
      guard let operation = TriggerChange.Operation(trigger: row[2].stringValue ?? "") else { continue }
      let use = Use(type: "trigger", name: (row[0].stringValue ?? "").lowercased(), operation: operation)
      triggers[use, default: []].append(row[1].stringValue ?? "")
    }
    for (use, names) in triggers.sorted(by: { $0.key.name < $1.key.name }) {
      guard let operation = use.operation else { continue }
      let reason = try refusal { () throws(DatabaseError) in
        _ = try connection.triggerChanges(by: TriggerChange(table: use.name, operation: operation))
      }
      if let reason { failures.append(Failure(use: use, names: names, reason: reason)) }
    }
    return failures
  }

  /// Returns the reason why SQLite cannot compile a statement, if it cannot.
  private static func refusal(_ compile: () throws(DatabaseError) -> Void) throws(DatabaseError) -> String? {
    do throws(DatabaseError) {
      try compile()
      return nil
    } catch {
      guard let failure = error.failure, !error.isOfSystem else { throw error }
      return failure.message
    }
  }
}

extension TriggerChange.Operation {
  /// Creates the operation that calls a trigger, given the statement that creates the trigger.
  fileprivate init?(trigger sql: String) {
    let words: [String: Self] = ["insert": .insert, "update": .update, "delete": .delete]
    // The name of the trigger precedes the operation, and may be one of these words.
    let head = SQLTokens(sql).tokens.prefix { !$0.isKeyword("on") }
    guard let operation = head.last(where: { !$0.isQuoted && words[$0.text] != nil }).flatMap({ words[$0.text] }) else {
      return nil
    }
    self = operation
  }
}

extension SQLiteConnection {
  /// Runs a closure in which `ALTER TABLE RENAME` changes only the table, and neither checks nor changes views and
  /// triggers that mention it.
  func renamingOnlyTables(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
    let before = try value("PRAGMA legacy_alter_table")
    try execute("PRAGMA legacy_alter_table = ON")
    defer {
      // If this fails, the connection is unusable, and the next statement reports it.
      do { try execute("PRAGMA legacy_alter_table = \(before)") } catch {}
    }
    try body()
  }

  /// Returns a name by which all tables have the numbers that SQLite gives to rows, or `nil` if there is none.
  func rowID(of tables: [String]) throws(DatabaseError) -> String? {
    var names = ["rowid", "oid", "_rowid_"]
    for table in tables {
      let isOrdinary =
        try value(
          "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ? COLLATE NOCASE", [.text(table)]) == 0
      let columns = try columns(of: table)
      let keys = try value("SELECT count(*) FROM pragma_index_list(?) WHERE origin = 'pk'", [.text(table)])
      // An integer key is the number.
      guard isOrdinary, keys != 0 || !columns.contains(where: \.isKey) else { return nil }
      names.removeAll { name in columns.contains { $0.name.lowercased() == name } }
    }
    return names.first
  }
}
