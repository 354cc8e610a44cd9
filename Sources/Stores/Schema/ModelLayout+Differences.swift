extension ModelLayout {
  /// A Boolean value that indicates whether the table has constraints beyond its columns.
  var hasConstraints: Bool {
    !spec.foreignKeys.isEmpty || !spec.checks.isEmpty || !spec.defaults.isEmpty || !spec.collations.isEmpty
      || (spec.indexes + spec.unique).contains { $0.columns.isEmpty || $0.condition != nil }
  }

  /// Returns a Boolean value that indicates whether columns identify a row; an empty array means the key.
  func isUnique(_ columns: [String]) -> Bool {
    let names = Set(columns.map { $0.lowercased() })
    if names.isEmpty || names == [spec.key.lowercased()] { return true }
    return spec.unique.contains { $0.condition == nil && Set($0.columns.map { $0.lowercased() }) == names }
  }

  /// Creates the table in an empty database in memory, and returns its constraints as SQLite understands them.
  func expectedFacts(on scratch: SQLiteConnection) throws(DatabaseError) -> TableFacts {
    try scratch.execute(creation())
    for creation in indexCreations.sorted(by: { $0.key < $1.key }) { try scratch.execute(creation.value) }
    return try TableFacts(of: table, on: scratch)
  }

  /// Returns everything that the model needs and the table in the file lacks.
  ///
  /// A table may have more than the model needs, as long as rows can be written and read.
  func differences(from expected: TableFacts?, on connection: SQLiteConnection) throws(DatabaseError)
    -> [SchemaDifference]
  {
    let actual = try connection.columns(of: table)
    guard !actual.isEmpty else { return [SchemaDifference(part: .table, expected: creation(), found: nil)] }
    var differences = columnDifferences(actual)
    if isKeyAssigned, differences.isEmpty, try !assignsKeys(on: connection) {
      differences.append(
        SchemaDifference(part: .column(spec.key), expected: "INTEGER PRIMARY KEY", found: "not assigned by SQLite"))
    }
    guard let expected else { return differences }
    let facts = try TableFacts(of: table, on: connection)
    for (name, value) in expected.defaults.sorted(by: { $0.key < $1.key }) where facts.defaults[name] != value {
      differences.append(
        SchemaDifference(
          part: .defaultValue(name), expected: value.description, found: facts.defaults[name]?.description))
    }
    for (name, value) in expected.collations.sorted(by: { $0.key < $1.key }) where facts.collations[name] != value {
      differences.append(
        SchemaDifference(part: .collation(name), expected: value, found: facts.collations[name] ?? "binary"))
    }
    for reference in expected.references.subtracting(facts.references).sorted(by: {
      $0.columns.lexicographicallyPrecedes($1.columns)
    }) {
      let found = facts.references.first { $0.columns == reference.columns }
      differences.append(
        SchemaDifference(
          part: .foreignKey(reference.columns), expected: reference.clause, found: found?.clause))
    }
    for check in expected.checks.subtracting(facts.checks).map(\.description).sorted() {
      differences.append(SchemaDifference(part: .check, expected: check, found: nil))
    }
    return differences
  }

  /// Returns a Boolean value that indicates whether the key is the `rowid`, which SQLite assigns.
  private func assignsKeys(on connection: SQLiteConnection) throws(DatabaseError) -> Bool {
    try connection.value(
      """
      SELECT (SELECT group_concat(lower(name)) FROM pragma_table_info(?1) WHERE pk > 0) = lower(?2)
      AND NOT EXISTS (SELECT 1 FROM pragma_index_list(?1) WHERE origin = 'pk')
      AND NOT EXISTS (SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND lower(name) = lower(?1) AND wr)
      """, [.text(table), .text(spec.key)]) == 1
  }

  private func columnDifferences(_ actual: [ActualColumn]) -> [SchemaDifference] {
    var differences: [SchemaDifference] = []
    for column in columns {
      let found = actual.first { $0.name.lowercased() == column.name.lowercased() }
      // An integer primary key is never null, regardless of its declaration.
      let isKey = column.name == spec.key && found?.isKey == true
      let fits =
        found.map { $0.type == column.type.sql && !$0.isGenerated && ($0.isRequired != column.isOptional || isKey) }
      if fits != true {
        differences.append(
          SchemaDifference(part: .column(column.name), expected: column.definition, found: found?.definition))
      }
    }
    let names = Set(columns.map { $0.name.lowercased() })
    // A row cannot be inserted without a value for such a column.
    for column in actual
    where !names.contains(column.name.lowercased()) && column.isRequired && !column.hasDefault && !column.isGenerated {
      differences.append(SchemaDifference(part: .column(column.name), expected: nil, found: column.definition))
    }
    return differences
  }

  /// Returns the indexes that the file lacks.
  func missingIndexes(on connection: SQLiteConnection) throws(DatabaseError) -> [SchemaDifference] {
    let wanted = indexCreations
    if wanted.isEmpty { return [] }
    let existing = try connection.texts(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND lower(tbl_name) = lower(\(SQLiteValue.text(table)))")
    return Set(wanted.keys).subtracting(existing).sorted().map { name in
      SchemaDifference(part: .index, expected: String(name.dropFirst(SQL.indexPrefix.count)), found: nil)
    }
  }
}

extension TableColumn {
  /// The definition in SQL without the name.
  fileprivate var definition: String { type.sql + (isOptional ? "" : " NOT NULL") }
}

extension ActualColumn {
  /// The definition in SQL without the name.
  fileprivate var definition: String {
    type + (isRequired ? " NOT NULL" : "") + (isGenerated ? " GENERATED ALWAYS" : "")
  }
}

extension ForeignKey {
  /// The definition for an error message, without its columns.
  fileprivate var clause: String {
    let list = referencedColumns.isEmpty ? "" : " (\(referencedColumns.joined(separator: ", ")))"
    return "REFERENCES \(table)\(list) ON DELETE \(onDelete.rawValue) ON UPDATE \(onUpdate.rawValue)"
      + (isDeferred ? " INITIALLY DEFERRED" : "")
  }
}
