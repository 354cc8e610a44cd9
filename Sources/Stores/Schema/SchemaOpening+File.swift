import FileSignals
import Foundation

extension SchemaOpening {
  /// Connects to a file and migrates it to the version of a schema.
  ///
  /// A damaged cache is removed first.
  ///
  /// - Parameters:
  ///   - path: The file, or `:memory:`.
  ///   - schema: The schema of the file.
  ///   - policy: The policy, which determines whether the file may be replaced.
  ///   - connect: A closure that opens and configures a connection for writing. It is called again if the file was
  ///     removed.
  /// - Returns: The connection and the outcome.
  /// - Throws: The error that `connect` throws, or ``DatabaseError`` if the file does not match.
  static func open(
    path: String, schema: Schema, policy: DatabasePolicy,
    connect: () throws(DatabaseError) -> SQLiteConnection
  ) throws(DatabaseError) -> (connection: SQLiteConnection, outcome: SchemaOutcome) {
    func attempt() throws(DatabaseError) -> (connection: SQLiteConnection, outcome: SchemaOutcome) {
      let connection = try connect()
      do throws(DatabaseError) {
        return (connection, try SchemaOpening(schema, policy: policy, connection: connection).run())
      } catch {
        connection.close()
        throw error
      }
    }
    guard policy == .cache, path != DatabaseLocation.memory.path else { return try attempt() }
    // No process may open the file while it is removed, since the next file would get its log.
    return try exclusively(path) { () throws(DatabaseError) in
      do throws(DatabaseError) {
        return try attempt()
      } catch {
        guard error.isDamage else { throw error }
        for suffix in ["-wal", "-shm", "-journal", ""] { unlink(path + suffix) }
        return (try attempt().connection, .rebuilt(reason: error))
      }
    }
  }

  /// Runs a closure while no other process removes the file.
  private static func exclusively<Result>(
    _ path: String, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    do {
      return try DurableFile.withLock(on: URL(filePath: path)) { try body() }
    } catch let error as DatabaseError {
      throw error
    } catch {
      throw .unopenable(path, because: "\(error)")
    }
  }

  /// Copies the committed content next to the file, before it is migrated.
  ///
  /// There is one copy for each version that was migrated, and it is never incomplete. This opening holds the write lock,
  /// so the content cannot change.
  ///
  /// - Returns: The path of the copy.
  /// - Throws: ``DatabaseError/schema(_:path:)``. There is then no copy.
  func copy(to destination: String) throws(DatabaseError) -> String {
    do {
      // The writing connection would also copy what the migration has changed.
      let source = try SQLiteConnection(path: connection.path, access: .reading, busyTimeout: .seconds(5))
      defer { source.close() }
      try source.begin()
      defer { source.endReading() }
      _ = try source.value("SELECT count(*) FROM sqlite_schema")
      try DatabaseCopy(destination: destination).make(from: source, patience: .seconds(5)) { _ in mark.beat() }
      return destination
    } catch {
      throw failure(.backupFailed(copy: destination, reason: "\(error)"))
    }
  }
}

extension DatabaseError {
  /// A Boolean value that indicates whether the file is not a database or is damaged.
  fileprivate var isDamage: Bool {
    switch self {
    case .notADatabase, .corrupt: true
    default: false
    }
  }
}

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
