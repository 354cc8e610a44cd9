import FileSignals

extension Database {
  /// Checks the file, the references between rows, and the full-text indexes.
  ///
  /// ```swift
  /// import Stores
  ///
  /// let database = try Database(.memory)
  /// print(try database.integrityCheck())  // Prints "[]"
  /// ```
  ///
  /// It reads the whole file. Writes wait while the full-text indexes are checked. If the database is opened for reading
  /// only, these are not checked, because FTS5 needs a write for that.
  ///
  /// - Returns: The faults; at most 100 of each kind of damage that SQLite reports.
  /// - Throws: ``DatabaseError`` if the check could not be made.
  public func integrityCheck() throws -> [IntegrityFinding] {
    try refuseNesting("integrityCheck")
    var indexes: [String] = []
    var findings: [IntegrityFinding] = []
    do {
      try read { transaction throws in
        let connection = try transaction.connection
        findings = try connection.texts("PRAGMA integrity_check").filter { $0 != "ok" }.map(IntegrityFinding.damage)
        findings += try connection.brokenReferences().map(IntegrityFinding.brokenReference)
        indexes = try connection.rows(
          "SELECT name, sql FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL%' ORDER BY name"
        )
        .filter { SQLTokens($0[1].stringValue ?? "").contains("using", "fts5") }.compactMap { $0[0].stringValue }
      }
    } catch DatabaseError.corrupt(let failure) {
      return findings + [.damage(failure.message)]
    }
    guard file.access == .readWrite, !indexes.isEmpty else { return findings }
    return findings + (try faults(in: indexes))
  }

  /// Checks the file, the references between rows, and the full-text indexes, without blocking the threads that tasks
  /// run on.
  ///
  /// - Returns: The faults.
  /// - Throws: ``DatabaseError`` if the check could not be made, or `CancellationError` if the task was cancelled before
  ///   it began.
  public func integrityCheck() async throws -> [IntegrityFinding] {
    try await asyncReads.run { [self] in try integrityCheck() }
  }

  private func faults(in indexes: [String]) throws -> [IntegrityFinding] {
    try write { transaction throws in
      var findings: [IntegrityFinding] = []
      for name in indexes {
        let table = SQL.name(name)
        do {
          // With this rank, FTS5 also compares the index with the text.
          try transaction.execute("INSERT INTO \(table) (\(table), rank) VALUES ('integrity-check', 1)")
        } catch DatabaseError.corrupt {
          findings.append(.searchIndex(name))
        }
      }
      return findings
    }
  }
}

/// A fault in a database that `Database.integrityCheck()` has found.
@nonexhaustive
public enum IntegrityFinding: Hashable, Sendable {
  /// The file is damaged, or a row violates the definition of its table; SQLite describes the fault.
  case damage(String)

  /// A row refers to a missing row.
  case brokenReference(BrokenReference)

  /// A full-text index, given by the name of its FTS5 table, does not match the text.
  case searchIndex(String)
}

extension IntegrityFinding: CustomStringConvertible {
  /// A description of the fault and the remedy.
  public var description: String {
    switch self {
    case .damage(let message):
      "The file is damaged: \(message). Restore a backup, or recover its rows with `sqlite3 FILE .recover`."
    case .brokenReference(let reference): "\(reference). Delete the row, or change its reference."
    case .searchIndex(let name):
      "The full-text index \(name.debugDescription) does not match the text. Rebuild it with rebuildSearchIndex(of:)."
    }
  }
}
