import FileSignals

extension SchemaOpening {
  /// Returns the reason why a schema is inconsistent, if it is.
  static func contradiction(in schema: Schema, _ layouts: [ModelLayout]) -> String? {
    if schema.version < 1 { return "its version is \(schema.version), but versions start at 1" }
    if schema.version > Int32.max { return "its version \(schema.version) exceeds the limit of SQLite, \(Int32.max)" }
    let tables = layouts.map { $0.table.lowercased() }
    for (place, table) in tables.enumerated() where tables[..<place].contains(table) {
      return "two of its models have the table \(layouts[place].table.debugDescription)"
    }
    for layout in layouts {
      for key in layout.spec.foreignKeys {
        guard let parent = layouts.first(where: { $0.table.lowercased() == key.table.lowercased() }) else { continue }
        if !parent.isUnique(key.referencedColumns) {
          return
            "the foreign key \(key) of the table \(layout.table.debugDescription) refers to columns that are neither "
            + "the key nor unique"
        }
      }
    }
    var last = 0
    for step in schema.steps {
      if step.version <= last { return "its step to version \(step.version) follows its step to version \(last)" }
      if step.version > schema.version {
        return "its step to version \(step.version) exceeds its own version \(schema.version)"
      }
      last = step.version
    }
    return nil
  }

  /// Returns the constraints that tables should have.
  ///
  /// - Throws: ``SchemaError/invalidSchema(reason:)`` if SQLite does not accept them.
  static func facts(
    of layouts: [ModelLayout], _ connection: SQLiteConnection
  ) throws(DatabaseError) -> [TableFacts?] {
    guard layouts.contains(where: \.hasConstraints) else { return layouts.map { _ in nil } }
    let scratch = try SQLiteConnection(
      path: DatabaseLocation.memory.path, access: .writing, busyTimeout: .zero)
    defer { scratch.close() }
    try scratch.install(connection.extensions)
    var facts: [TableFacts?] = []
    for layout in layouts {
      for (column, collation) in layout.spec.collations.sorted(by: { $0.key < $1.key })
      where try connection.value(
        "SELECT count(*) FROM pragma_collation_list WHERE lower(name) = lower(?)", [.text(collation.rawValue)]) == 0
      {
        let reason =
          "the column \(column.debugDescription) of \(layout.table.debugDescription) has the collation "
          + "\(collation.rawValue), which was not passed to the database"
        throw .schema(.invalidSchema(reason: reason), path: connection.path)
      }
      do throws(DatabaseError) {
        facts.append(layout.hasConstraints ? try layout.expectedFacts(on: scratch) : nil)
      } catch {
        let reason =
          "SQLite cannot create the table \(layout.table.debugDescription): \(error.failure?.message ?? "\(error)")"
        throw .schema(.invalidSchema(reason: clause(reason)), path: connection.path)
      }
    }
    return facts
  }
}
