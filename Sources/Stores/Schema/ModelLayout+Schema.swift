extension ModelLayout {
  /// Returns the statement that creates the table, under its own name or another.
  func creation(as name: String? = nil) -> String {
    let columns = columns.map { column in
      SQL.name(column.name) + " " + column.type.sql + (column.name == spec.key ? " PRIMARY KEY" : "")
        + (column.isOptional ? "" : " NOT NULL")
    }
    return "CREATE TABLE \(SQL.name(name ?? table)) (\(columns.joined(separator: ", "))) STRICT"
  }

  /// The statements that create the indexes, by the name of the index.
  var indexCreations: [String: String] {
    var creations: [String: String] = [:]
    for (index, isUnique) in spec.indexes.map({ ($0, false) }) + spec.unique.map({ ($0, true) }) {
      let columns = index.columns.map(SQL.name).joined(separator: ", ")
      let kind = isUnique ? "UNIQUE INDEX" : "INDEX"
      // The name contains the whole definition, so an index with this name has this definition.
      let name = "\(SQL.indexPrefix)\(isUnique ? "unique" : "plain") \(SQL.name(table)) (\(columns))"
      creations[name] = "CREATE \(kind) IF NOT EXISTS \(SQL.name(name)) ON \(SQL.name(table)) (\(columns))"
    }
    return creations
  }

  /// A string with all properties of the table that depend on the model.
  var fingerprint: String {
    let lines = columns.map { column in
      "\(column.name) \(column.type.fingerprint)\(column.isOptional ? "" : " required")"
        + (column.name == spec.key ? " key" : "")
    }
    return (lines + indexCreations.keys.sorted()).joined(separator: "\n")
  }

  /// Returns a description of the differences between this table and the one of another fingerprint.
  func difference(from other: String) -> String {
    let ours = Set(fingerprint.split(separator: "\n"))
    let theirs = Set(other.split(separator: "\n"))
    let added = ours.subtracting(theirs).sorted().map { "only the model has \"\($0)\"" }
    let removed = theirs.subtracting(ours).sorted().map { "only the file has \"\($0)\"" }
    let all = added + removed
    return all.isEmpty ? "its columns are in a different order" : all.joined(separator: "; ")
  }

  /// Checks that the actual table has everything that the model needs.
  ///
  /// - Returns: A description of the problem, or `nil` if rows can be written and read.
  func defect(on connection: SQLiteConnection) throws(DatabaseError) -> String? {
    let actual = try connection.columns(of: table)
    guard !actual.isEmpty else { return "the table does not exist" }
    for column in columns {
      guard let found = actual.first(where: { $0.name.lowercased() == column.name.lowercased() }) else {
        return "the column \(column.name.debugDescription) is missing"
      }
      guard found.type == column.type.sql else {
        return "the column \(column.name.debugDescription) has type \(found.type), but the model has \(column.type.sql)"
      }
      // An integer primary key is never null, regardless of its declaration.
      guard found.isRequired != column.isOptional || (column.name == spec.key && found.isKey) else {
        let (actual, expected) = found.isRequired ? ("required", "optional") : ("optional", "required")
        return "the column \(column.name.debugDescription) is \(actual), but \(expected) in the model"
      }
    }
    let names = Set(columns.map { $0.name.lowercased() })
    for column in actual where !names.contains(column.name.lowercased()) && column.isRequired && !column.hasDefault {
      return "the column \(column.name.debugDescription) requires a value, but the model has no such property"
    }
    return nil
  }
}
