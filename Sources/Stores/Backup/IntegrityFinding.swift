/// A fault in a database that `Database.integrityCheck()` has found.
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
