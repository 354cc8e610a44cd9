extension Database {
  /// Returns the names of all tables except the package's own, in order.
  func userTables() throws(DatabaseError) -> [String] {
    try readValue { transaction throws(DatabaseError) in
      try transaction.connection.tableNames().filter { !TableCatalog.isOwn($0) }.sorted()
    }
  }

  /// Returns the names of some tables as the file spells them.
  ///
  /// - Throws: ``DatabaseError/noSuchTable(_:path:known:)`` if one does not exist.
  func spelling(of names: Set<String>) throws(DatabaseError) -> Set<String> {
    if names.isEmpty { return [] }
    let known = try userTables()
    let spellings = Dictionary(known.map { ($0.lowercased(), $0) }) { first, _ in first }
    var found: Set<String> = []
    for name in names.sorted() {
      guard let spelling = spellings[name.lowercased()] else {
        throw .noSuchTable(name, path: location.path, known: known)
      }
      found.insert(spelling)
    }
    return found
  }
}
