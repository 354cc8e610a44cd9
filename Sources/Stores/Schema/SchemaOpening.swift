import Signals

/// The process of bringing one file to the version of a schema.
struct SchemaOpening {
  let schema: Schema
  let policy: DatabasePolicy
  let connection: SQLiteConnection
  let layouts: [ModelLayout]
  /// The constraints that the tables should have, in the order of the layouts; `nil` for tables without constraints.
  let facts: [TableFacts?]
  let mark: MigrationMark

  init(_ schema: Schema, policy: DatabasePolicy, connection: SQLiteConnection) throws(DatabaseError) {
    self.schema = schema
    self.policy = policy
    self.connection = connection
    mark = MigrationMark(database: connection.path)
    var layouts: [ModelLayout] = []
    for model in schema.models {
      layouts.append(try connection.naming(Self.layout(model)))
    }
    self.layouts = layouts
    if let reason = Self.contradiction(in: schema, layouts) {
      throw .schema(.invalidSchema(reason: reason), path: connection.path)
    }
    for model in schema.models {
      for relation in model.relations { try connection.naming(relation.check()) }
    }
    facts = try Self.facts(of: layouts, connection)
  }

  private static func layout<Model: StoreModel>(_ model: Model.Type) throws(ModelError) -> ModelLayout {
    try ModelLayout.of(model)
  }

  /// Checks, creates, migrates or empties the file, as needed and permitted.
  func run() throws(DatabaseError) -> SchemaOutcome {
    // Most files match, and then no process has to wait.
    if try isCurrent() { return .current }
    if policy == .guest { throw try unready() }
    let hasForeignKeys = try connection.value("PRAGMA foreign_keys") == 1
    // Rebuilding a table must not remove rows that refer to its rows. The pragma has no effect inside a transaction.
    if hasForeignKeys { try connection.execute("PRAGMA foreign_keys = OFF") }
    defer {
      // If this fails, the connection is unusable, and the next statement reports it.
      if hasForeignKeys { do { try connection.execute("PRAGMA foreign_keys = ON") } catch {} }
    }
    defer { mark.end() }
    do throws(DatabaseError) {
      let outcome = try exclusively { () throws(DatabaseError) in try bringUp(checkingForeignKeys: hasForeignKeys) }
      if case .migrated = outcome {
        schema.mutableProgress.value = .finished(path: connection.path, version: schema.version)
      }
      return outcome
    } catch {
      noteFailure()
      guard policy == .cache, case .schema(let reason, _) = error, reason.isOfFile else { throw error }
      return try exclusively { () throws(DatabaseError) in
        // Another process may have been faster.
        if try isCurrent() { return .current }
        try empty()
        try create()
        try ShareTables.noteMigration(on: connection)
        return .rebuilt(reason: error)
      }
    }
  }

  /// Reports the failure of the migration, if there was one.
  private func noteFailure() {
    switch schema.progress.value {
    case .backingUp(connection.path), .migrating(connection.path, _, _, _):
      schema.mutableProgress.value = .failed(path: connection.path)
    default: break
    }
  }

  /// Runs a closure in a transaction that excludes other writers.
  private func exclusively<Result>(
    _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    try connection.begin()
    do throws(DatabaseError) {
      let result = try body()
      try connection.commit()
      return result
    } catch {
      connection.rollBack()
      throw error
    }
  }

  // MARK: Checking

  private func fileVersion() throws(DatabaseError) -> Int {
    Int(try connection.value("PRAGMA user_version").int64Value ?? 0)
  }

  /// Returns a Boolean value that indicates whether the file has this version and its tables match the models.
  private func isCurrent() throws(DatabaseError) -> Bool {
    guard try fileVersion() == schema.version, try mismatch() == nil else { return false }
    if policy == .guest { return true }
    return try !hasEarlierSearchTables()
  }

  /// Returns a Boolean value that indicates whether an earlier version created a full-text index that may be out of step.
  private func hasEarlierSearchTables() throws(DatabaseError) -> Bool {
    for layout in layouts {
      if let form = try layout.searchForm(on: connection), form != .current { return true }
    }
    return false
  }

  /// Returns the reason why a guest must not use the file.
  private func unready() throws(DatabaseError) -> DatabaseError {
    let found = try fileVersion()
    let reason: SchemaError
    if found > schema.version {
      reason = .tooNew(found: found, supported: schema.version)
    } else if found == schema.version, let mismatch = try mismatch() {
      reason = mismatch
    } else {
      reason = .notReady(found: found, expected: schema.version)
    }
    return .schema(reason, path: connection.path)
  }

  /// Returns the error of the first model whose table does not match.
  private func mismatch() throws(DatabaseError) -> SchemaError? {
    let known = try fingerprints()
    for (layout, facts) in zip(layouts, facts) {
      if let fingerprint = known[layout.table], fingerprint != layout.fingerprint {
        return .mismatch(table: layout.table, differences: layout.differences(from: fingerprint))
      }
      let differences =
        try layout.differences(from: facts, on: connection) + layout.missingIndexes(on: connection)
        + layout.searchDifferences(on: connection)
      if !differences.isEmpty { return .mismatch(table: layout.table, differences: differences) }
    }
    return nil
  }

  /// Returns the fingerprints of the tables when they were last created or migrated, by name.
  private func fingerprints() throws(DatabaseError) -> [String: String] {
    guard try !connection.columns(of: SQL.schemaTable).isEmpty else { return [:] }
    return try connection.withStatement("SELECT name, columns FROM \(SQL.schemaTable)") {
      statement throws(DatabaseError) in
      var known: [String: String] = [:]
      while try statement.step() { known[statement.string(at: 0)] = statement.string(at: 1) }
      return known
    }
  }

  // MARK: Correcting

  private func bringUp(checkingForeignKeys: Bool) throws(DatabaseError) -> SchemaOutcome {
    let found = try fileVersion()
    if found > schema.version { throw failure(.tooNew(found: found, supported: schema.version)) }
    if found == schema.version {
      if let mismatch = try mismatch() { throw failure(mismatch) }
      if try hasEarlierSearchTables() {
        try connection.dropSearchTables()
        try connection.createSearchTables(of: layouts)
      }
      return .current
    }
    if found == 0 {
      let tables = try connection.texts(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
          + " AND name NOT LIKE 'signals\\_%' ESCAPE '\\' ORDER BY name"
      )
      if tables.isEmpty {
        try create()
        return .created
      }
      guard schema.steps.first?.version == 1 else { throw failure(.unknownTables(tables)) }
    }
    let backup = try mark.keep(for: connection) { () throws(DatabaseError) in
      try migrate(from: found, checkingForeignKeys: checkingForeignKeys)
    }
    try ShareTables.noteMigration(on: connection)
    return .migrated(from: found, backup: backup)
  }

  /// Creates the tables of all models.
  private func create() throws(DatabaseError) {
    for layout in layouts { try connection.execute(layout.creation()) }
    try settle()
    let migration = Migration(connection: connection, version: schema.version, progress: schema.mutableProgress)
    defer { migration.end() }
    do {
      try schema.creation(migration)
    } catch let error as DatabaseError where error.isOfSystem {
      throw error
    } catch {
      throw failure(.creationFailed(reason: "\(error)"))
    }
  }

  private func migrate(from found: Int, checkingForeignKeys: Bool) throws(DatabaseError) -> String? {
    let steps = schema.steps.filter { $0.version > found }
    for version in found + 1...schema.version where !steps.contains(where: { $0.version == version }) {
      throw failure(.missingStep(to: version, from: found))
    }
    let path = connection.path
    var backup: String?
    if policy == .persistence, path != DatabaseLocation.memory.path {
      schema.mutableProgress.value = .backingUp(path: path)
      backup = try copy(to: "\(path).v\(found).backup")
    }
    // Steps may change the columns that the triggers of an index name, and replace rows without calling triggers.
    try connection.dropSearchTables()
    let before = Set(try DependentObjects.failures(on: connection).map(\.use))
    for step in steps { try run(step) }
    for layout in layouts where try connection.columns(of: layout.table).isEmpty {
      try connection.execute(layout.creation())
    }
    try settle()
    let broken = try DependentObjects.failures(on: connection).filter { !before.contains($0.use) }
    if let first = broken.first {
      // A trigger that calls a broken one cannot be compiled, either, so all are named.
      let names = broken.filter { $0.use.type == first.use.type }.flatMap(\.names)
      throw failure(.brokenDependent(first.use.type, names.joined(separator: ", "), reason: first.reason))
    }
    if checkingForeignKeys {
      let broken = try connection.brokenReferences()
      if !broken.isEmpty { throw failure(.brokenReferences(broken)) }
    }
    return backup
  }

  private func run(_ step: MigrationStep) throws(DatabaseError) {
    schema.mutableProgress.value = .migrating(path: connection.path, to: step.version, rows: 0, of: 0)
    let migration = Migration(connection: connection, version: step.version, progress: schema.mutableProgress)
    defer { migration.end() }
    do {
      try step.body(migration)
    } catch let error as DatabaseError where error.isOfSystem || error.isOfDependent {
      // Neither the step nor the rows are at fault, and the migration may succeed another time; or the error says it all.
      throw error
    } catch {
      throw failure(.stepFailed(to: step.version, reason: "\(error)"))
    }
  }

  /// Checks the tables, creates the indexes and stores the fingerprints.
  private func settle() throws(DatabaseError) {
    // The tables are checked first, because SQLite's own message for an index over a missing column is unclear.
    for (layout, facts) in zip(layouts, facts) {
      let differences = try layout.differences(from: facts, on: connection)
      if !differences.isEmpty { throw failure(.mismatch(table: layout.table, differences: differences)) }
    }
    var creations: [String: String] = [:]
    for layout in layouts { creations.merge(layout.indexCreations) { first, _ in first } }
    let tables = Set(layouts.map { $0.table.lowercased() })
    let existing = try connection.texts(
      "SELECT tbl_name || char(10) || name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'signals\\_index %' ESCAPE '\\'"
    )
    for entry in existing {
      let parts = entry.split(separator: "\n", maxSplits: 1).map(String.init)
      guard parts.count == 2, tables.contains(parts[0].lowercased()) else { continue }
      if creations.removeValue(forKey: parts[1]) == nil { try connection.execute("DROP INDEX \(SQL.name(parts[1]))") }
    }
    for creation in creations.sorted(by: { $0.key < $1.key }) { try connection.execute(creation.value) }
    try connection.createSearchTables(of: layouts)

    try connection.execute(
      "CREATE TABLE IF NOT EXISTS \(SQL.schemaTable) (name TEXT PRIMARY KEY NOT NULL, columns TEXT NOT NULL) STRICT"
    )
    for layout in layouts {
      try connection.run(
        "INSERT INTO \(SQL.schemaTable) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET columns = excluded.columns",
        [.text(layout.table), .text(layout.fingerprint)]
      )
    }
    try connection.execute("PRAGMA user_version = \(schema.version)")
  }

  /// Removes the contents of the file, except the history that processes share.
  private func empty() throws(DatabaseError) {
    let types = ["view", "trigger", "table"]
    for type in types {
      // Dropping one may remove others, so the next one is looked up each time.
      while let name = try connection.texts(
        "SELECT name FROM sqlite_schema WHERE type = '\(type)' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
          + " AND name NOT IN ('signals_history', 'signals_peer') ORDER BY sql LIKE 'CREATE VIRTUAL%' DESC LIMIT 1"
      ).first {
        try connection.execute("DROP \(type) \(SQL.name(name))")
      }
    }
  }

  func failure(_ error: SchemaError) -> DatabaseError { .schema(error, path: connection.path) }
}

extension SchemaError {
  /// A Boolean value that indicates whether another file would match; otherwise the program must be corrected.
  fileprivate var isOfFile: Bool {
    switch self {
    case .invalidSchema, .creationFailed: false
    default: true
    }
  }
}

extension DatabaseError {
  /// A Boolean value that indicates whether the same operation may succeed later.
  var isOfSystem: Bool {
    switch self {
    case .diskFull, .inputOutput, .busy, .readOnly, .cannotOpen: true
    default: false
    }
  }

  /// A Boolean value that indicates whether the error names an object that a step would break.
  fileprivate var isOfDependent: Bool {
    if case .schema(.brokenDependent, _) = self { true } else { false }
  }
}
