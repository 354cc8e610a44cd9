public import Foundation

/// Why a file and a ``Schema`` do not go together.
///
/// The file is as it was before.
public enum SchemaError: Error, Hashable, Sendable {
  /// The file is of a newer version of the schema, which a newer version of the program has made.
  case tooNew(found: Int, supported: Int)

  /// The file is of an older version, or not there, and it is another process that makes and migrates it. Open it again
  /// later.
  case notReady(found: Int, expected: Int)

  /// Another process has migrated the file, or emptied it, since it was opened; what is in it now is not what the
  /// models say.
  case changedMeanwhile(found: Int, opened: Int)

  /// The file is of an older version, and the schema has no step to the version after it.
  case missingStep(to: Int, from: Int)

  /// The schema contradicts itself.
  case invalidSchema(reason: String)

  /// The file has tables that this package has not made, and the schema has no step to version 1 that takes them over.
  case unknownTables([String])

  /// The version of the file is that of the schema, but a table is not as its model says: the model was changed and the
  /// version was not, or a step has left something undone.
  case mismatch(table: String, reason: String)

  /// A step threw; everything that the steps before it did is undone, too.
  case stepFailed(to: Int, reason: String)

  /// The copy of the file that is made before a migration could not be made.
  case backupFailed(copy: String, reason: String)
}

extension SchemaError: CustomStringConvertible, LocalizedError {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .tooNew(let found, let supported):
      "The database is of version \(found), and this program knows none newer than \(supported). It is left as it is; update "
        + "this program."
    case .notReady(let found, let expected):
      "The database is of version \(found), and this program, which may not migrate it, needs version \(expected). Start the "
        + "program that migrates it, and open it again."
    case .changedMeanwhile(let found, let opened):
      "The database is of version \(found) by now, and was opened in version \(opened): another process has migrated or "
        + "emptied it. Close it, and open it again with a schema of version \(found)."
    case .missingStep(let to, let from):
      "The database is of version \(from), and there is no step that migrates it to version \(to). Add a MigrationStep(to: "
        + "\(to)); it may be empty."
    case .invalidSchema(let reason):
      "The schema contradicts itself: \(reason)."
    case .unknownTables(let tables):
      "The database has tables that are not of this schema: \(tables.joined(separator: ", ")). Add a MigrationStep(to: 1) that "
        + "takes them over, or choose another file."
    case .mismatch(let table, let reason):
      "The table \(table.debugDescription) is not as its model says: \(reason). Raise the schema's version, and add a step that "
        + "changes the table."
    case .stepFailed(let to, let reason):
      "The migration to version \(to) failed, and the database is as it was before: \(reason)"
    case .backupFailed(let copy, let reason):
      "The database was not migrated, because no copy could be made at \(copy): \(reason)"
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
