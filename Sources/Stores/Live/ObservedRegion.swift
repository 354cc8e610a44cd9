/// The part of a database that a read depends on.
struct ObservedRegion: Hashable, Sendable {
  /// A Boolean value that indicates whether the read may depend on anything in the database.
  private(set) var isEverything = false
  /// The tables of which any row counts, in lower case, because SQLite's names are case-insensitive.
  private(set) var tables: Set<String> = []
  /// The keys of the rows that count in other tables, whether or not these rows exist.
  private(set) var rows: [String: Set<SQLiteValue>] = [:]

  static let everything = {
    var region = ObservedRegion()
    region.insertEverything()
    return region
  }()

  var isEmpty: Bool { !isEverything && tables.isEmpty && rows.isEmpty }

  mutating func insertEverything() {
    // Equal regions have equal parts.
    (isEverything, tables, rows) = (true, [], [:])
  }

  /// Adds all rows of a table.
  mutating func insert(table: String) {
    if isEverything { return }
    let table = table.lowercased()
    rows[table] = nil
    tables.insert(table)
  }

  /// Adds the rows of a table that have one of some keys.
  mutating func insert(_ keys: Set<SQLiteValue>, of table: String) {
    let table = table.lowercased()
    if isEverything || keys.isEmpty || tables.contains(table) { return }
    rows[table, default: []].formUnion(keys)
  }

  mutating func formUnion(_ other: ObservedRegion) {
    // Equal regions with the same storage are compared in no time.
    if isEmpty { return self = other }
    if other.isEverything { insertEverything() }
    for table in other.tables { insert(table: table) }
    for (table, keys) in other.rows { insert(keys, of: table) }
  }

  /// Returns a Boolean value that indicates whether a change may concern this region.
  func isTouched(by changes: ChangeSet) -> Bool {
    if isEverything { return true }
    return changes.tables.contains { name, changes in
      let name = name.lowercased()
      if tables.contains(name) { return true }
      guard let keys = rows[name] else { return false }
      return changes.isEverything || keys.contains(where: changes.touches)
    }
  }
}

/// The changes during a read.
struct RegionChanges {
  /// The number of change sets that are kept; more count as a change of everything.
  private static let limit = 64

  private var sets: [ChangeSet] = []
  private var isEverything = false

  mutating func insert(_ changes: ChangeSet) {
    if isEverything { return }
    sets.append(changes)
    if sets.count > Self.limit { insertEverything() }
  }

  mutating func insertEverything() {
    isEverything = true
    sets = []
  }

  /// Returns a Boolean value that indicates whether one of the changes may concern a region.
  func touch(_ region: ObservedRegion) -> Bool {
    isEverything || sets.contains(where: region.isTouched)
  }
}
