import CSQLite

extension ChangeLog {
  /// Starts collecting changes, at the beginning of a transaction.
  func begin() throws(DatabaseError) {
    isTentative = false
    hasBegun = false
    hasChangedSchema = false
    // From now on, no other connection can change the file. Other connections may have altered tables before.
    if currentFileVersion != fileVersion {
      if let expectedVersion { try connection.checkVersion(expectedVersion) }
      let version = try connection.value("PRAGMA schema_version")
      if version != schemaVersion { needsRefresh = true }
    }
    if needsRefresh { try refresh() }
    hasBegun = true
  }

  /// Records the state of the file after a transaction, and discards the collected changes.
  func end(isCommitted: Bool) {
    clear()
    // A file that was rejected must be rejected the next time, too.
    if hasBegun { fileVersion = currentFileVersion }
    if !isCommitted, isTentative { needsRefresh = true }
    isTentative = false
  }

  /// A number that changes whenever any connection changes the file.
  private var currentFileVersion: UInt32 {
    var version: UInt32 = 0
    sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
    return version
  }

  /// Returns a Boolean value that indicates whether a column is part of a table's key.
  func isKey(_ column: String, of table: String) -> Bool {
    tables.table(table)?.table.keyColumns.contains(column.lowercased()) ?? false
  }

  /// Prepares for a statement that changes more than the update hook reports.
  func prepare(for traits: StatementTraits) throws(DatabaseError) {
    for name in traits.replacingTables.union(traits.rekeyedTables) {
      guard let (name, table) = tables.table(name), table.hook == .keys else { continue }
      tables.traced.insert(name)
      needsRefresh = true
    }
    if needsRefresh { try refresh() }
    // Without recursive triggers, SQLite calls no triggers for replaced rows.
    if !tables.recursesTriggers {
      for name in traits.replacingTables {
        if let table = tables.table(name)?.table { noteEverything(table.number) }
      }
    }
    for name in traits.droppedTables {
      if let table = tables.table(name)?.table { noteEverything(table.number) }
    }
  }

  /// Reads the tables again, and creates or removes tracing triggers accordingly.
  func refresh() throws(DatabaseError) {
    needsRefresh = false
    isTentative = connection.isInTransaction
    forgetLast()
    connection.forgetStatements()
    schemaVersion = try connection.value("PRAGMA schema_version")
    try readTriggers()
    try readTables()

    var wanted: [String: String] = [:]
    for (name, table) in tables.tables where table.hook == .silent {
      wanted.merge(tables.triggers(of: name, table)) { first, _ in first }
    }
    for row in try connection.rows("SELECT name, sql FROM temp.sqlite_schema WHERE type = 'trigger'") {
      guard let name = row[0].stringValue, name.hasPrefix(SQL.ownPrefix) else { continue }
      if let sql = wanted[name], row[1].stringValue == sql.replacing("CREATE TEMP TRIGGER", with: "CREATE TRIGGER") {
        wanted[name] = nil
      } else {
        try connection.execute("DROP TRIGGER temp.\(SQL.name(name))")
      }
    }
    for sql in wanted.values { try connection.execute(sql) }
  }

  private func readTriggers() throws(DatabaseError) {
    tables.mayFailHalfway =
      try connection.value("SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE sql LIKE '%FAIL%')") != 0
    let triggers = try connection.rows("SELECT sql, tbl_name FROM main.sqlite_schema WHERE type = 'trigger'")
    tables.triggersReplace = triggers.contains { $0[0].stringValue?.uppercased().contains("REPLACE") == true }
    // SQLite calls triggers for replaced rows only if recursive triggers are on. Triggers that keep a full-text index in
    // step need that. Triggers that call themselves would never end, so for them the setting stays off.
    try connection.execute("PRAGMA recursive_triggers = ON")
    tables.recursesTriggers = !connection.mayTriggersRecur(on: Set(triggers.compactMap { $0[1].stringValue }))
    if !tables.recursesTriggers { try connection.execute("PRAGMA recursive_triggers = OFF") }
  }

  private func readTables() throws(DatabaseError) {
    let rows = try connection.rows(
      """
      SELECT list.name, list.type, list.wr,
        (SELECT group_concat(sql, ' ') FROM main.sqlite_schema AS s WHERE s.tbl_name = list.name AND s.type <> 'trigger'),
        EXISTS (SELECT 1 FROM pragma_index_list(list.name, 'main') WHERE origin = 'pk'),
        info.name
      FROM pragma_table_list AS list
      LEFT JOIN pragma_table_info(list.name, 'main') AS info ON info.pk > 0
      WHERE list.schema = 'main' AND list.type IN ('table', 'virtual', 'shadow') AND list.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
      ORDER BY list.name, info.pk
      """)
    tables.tables = [:]
    var position = rows.startIndex
    while position < rows.endIndex {
      let row = rows[position]
      let name = row[0].stringValue ?? ""
      var columns: [String] = []
      while position < rows.endIndex, rows[position][0] == row[0] {
        if let column = rows[position][5].stringValue { columns.append(column) }
        position += 1
      }
      // A change of a virtual table is reported as a change of a table that stores its content.
      guard row[1] == "table", !TableCatalog.isOwn(name) else { continue }
      var table = TableCatalog.Table(number: tables.number(of: name))
      table.replaces = row[3].stringValue?.uppercased().contains("REPLACE") ?? false
      table.keyColumns = ["rowid", "oid", "_rowid_"]
      let isRowID = row[2] == 0 && (columns.isEmpty || columns.count == 1 && row[4] == 0)
      if columns.isEmpty == false {
        if isRowID { table.keyColumns.formUnion(columns.map { $0.lowercased() }) }
        if !isRowID { table.keyColumns = Set(columns.map { $0.lowercased() }) }
        table.key = Self.key(of: columns)
      }
      let mustTrace = tables.traced.contains(name) || table.replaces || tables.triggersReplace
      table.hook = isRowID && !mustTrace ? .keys : .silent
      tables.tables[name] = table
    }
    nameVirtualTables(rows)
  }

  /// Maps the tables that store the content of virtual tables to these virtual tables.
  private func nameVirtualTables(_ rows: [Row]) {
    let virtual = rows.filter { $0[1] == "virtual" }.compactMap { $0[0].stringValue }
    for shadow in rows where shadow[1] == "shadow" {
      guard let name = shadow[0].stringValue, let owner = virtual.first(where: { name.hasPrefix("\($0)_") }) else {
        continue
      }
      tables.tables[name] = TableCatalog.Table(number: tables.number(of: owner), hook: .everything)
    }
  }

  /// Returns the key as an SQL expression; for several columns, one string of SQL literals.
  private static func key(of columns: [String]) -> (String) -> String {
    { row in
      let names = columns.map { "\(row).\(SQL.name($0))" }
      return names.count == 1 ? names[0] : names.map { "quote(\($0))" }.joined(separator: " || ',' || ")
    }
  }
}
