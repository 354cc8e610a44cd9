import FileSignals
public import Foundation

/// An error caused by a file that does not match a ``Schema``.
///
/// The file is unchanged.
@nonexhaustive
public enum SchemaError: Error, Hashable, Sendable {
  /// The file has a newer version of the schema, created by a newer version of the program.
  case tooNew(found: Int, supported: Int)

  /// The file is missing or has an older version, and another process is responsible for creating and migrating it.
  ///
  /// Open it again later.
  case notReady(found: Int, expected: Int)

  /// Another process has migrated or emptied the file since it was opened, and its content no longer matches the
  /// models.
  case changedMeanwhile(found: Int, opened: Int)

  /// The file has an older version, and the schema has no step to the next version.
  case missingStep(to: Int, from: Int)

  /// The schema is inconsistent.
  case invalidSchema(reason: String)

  /// The file has tables that were not created by this package, and the schema has no step to version 1 that takes them
  /// over.
  case unknownTables([String])

  /// The file has the version of the schema, but a table does not match its model.
  ///
  /// Either the model was changed without a new version, or a step is incomplete.
  case mismatch(table: String, differences: [SchemaDifference])

  /// A migration left references to rows that do not exist.
  case brokenReferences([BrokenReference])

  /// A view, trigger or index that is not one of the models' would no longer work after a step.
  ///
  /// The values are its type, as in SQL, its name, and the reason. Such objects are created by statements of your own or
  /// by other programs.
  case brokenDependent(String, String, reason: String)

  /// The closure that fills a new file threw an error.
  ///
  /// The file is still empty.
  case creationFailed(reason: String)

  /// A step threw an error.
  ///
  /// All steps have been rolled back.
  case stepFailed(to: Int, reason: String)

  /// The backup copy before a migration could not be made.
  case backupFailed(copy: String, reason: String)
}

extension SchemaError: CustomStringConvertible, LocalizedError {
  /// A description of the problem and the remedy.
  public var description: String {
    switch self {
    case .tooNew(let found, let supported):
      "The database has version \(found), and this program supports versions up to \(supported). It was not changed. "
        + "Update this program."
    case .notReady(let found, let expected):
      "The database has version \(found), but this program needs version \(expected) and may not migrate it. Start the "
        + "program that migrates it, and open it again."
    case .changedMeanwhile(let found, let opened):
      "The database has version \(found), but was opened with version \(opened): another process has migrated or "
        + "emptied it. Close it, and open it again with a schema of version \(found)."
    case .missingStep(let to, let from):
      "The database has version \(from), and no step migrates it to version \(to). Add a MigrationStep(to: "
        + "\(to)); it may be empty."
    case .invalidSchema(let reason):
      "The schema is inconsistent: \(reason)."
    case .unknownTables(let tables):
      "The database has tables that are not in this schema: \(tables.joined(separator: ", ")). Add a MigrationStep(to: 1) that "
        + "adopts them, or choose another file."
    case .mismatch(let table, let differences):
      "The table \(table.debugDescription) does not match its model: "
        + "\(differences.map(\.description).joined(separator: "; ")). Increase the schema's version, and add a step that "
        + "changes the table."
    case .brokenReferences(let references):
      "The migration leaves references to missing rows, and the database is unchanged: "
        + "\(references.prefix(10).map(\.description).joined(separator: "; ")). Delete these rows or change their "
        + "references in a step."
    case .brokenDependent(let type, let name, let reason):
      "The migration would break the \(type) \(name.debugDescription), and the database is unchanged: \(clause(reason)). "
        + "Drop or replace it in a step."
    case .creationFailed(let reason):
      "The new database could not be filled, and is still empty: \(clause(reason))."
    case .stepFailed(let to, let reason):
      "The migration to version \(to) failed, and the database is unchanged: \(clause(reason))."
    case .backupFailed(let copy, let reason):
      "The database was not migrated, because it could not be copied to \(copy): \(clause(reason))."
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

/// A difference between a table in a file and the specification of its model.
public struct SchemaDifference: Hashable, Sendable {
  /// A part of a table.
  package enum Part: Hashable, Sendable {
    /// The table itself.
    case table
    /// A column, with its name.
    case column(String)
    /// The default value of a column, with its name.
    case defaultValue(String)
    /// The collation of a column, with its name.
    case collation(String)
    /// A foreign key, with its columns.
    case foreignKey([String])
    /// A check.
    case check
    /// An index.
    case index
    /// The full-text index.
    case search
  }

  /// The part that differs.
  package let part: Part

  /// The definition that the model expects, or `nil` if only the file has the part.
  package let expected: String?

  /// The definition in the file, or `nil` if only the model has the part.
  package let found: String?
}

extension SchemaDifference: CustomStringConvertible {
  /// The part, the expected definition and the one in the file.
  public var description: String {
    switch (expected, found) {
    case (let expected?, let found?): "\(part) is \(found), but the model expects \(expected)"
    case (let expected?, nil): "\(part) is missing; the model expects \(expected)"
    case (nil, let found): "\(part) exists only in the file" + (found.map { ": \($0)" } ?? "")
    }
  }
}

extension SchemaDifference.Part: CustomStringConvertible {
  /// The kind and name of the part.
  package var description: String {
    switch self {
    case .table: "the table"
    case .column(let name): "the column \(name.debugDescription)"
    case .defaultValue(let name): "the default value of the column \(name.debugDescription)"
    case .collation(let name): "the collation of the column \(name.debugDescription)"
    case .foreignKey(let columns): "the foreign key (\(columns.joined(separator: ", ")))"
    case .check: "a check"
    case .index: "an index"
    case .search: "the full-text index"
    }
  }
}

/// A row whose foreign key refers to a missing row.
public struct BrokenReference: Hashable, Sendable {
  /// The table of the row.
  public let table: String

  /// The `rowid` of the row, or `nil` for a table without one.
  public let rowID: Int64?

  /// The table in which the referenced row is missing.
  public let missingIn: String

  /// The columns of the foreign key.
  public let columns: [String]
}

extension BrokenReference: CustomStringConvertible {
  /// The row, the columns, and the table of the missing row.
  public var description: String {
    "in the table \(table.debugDescription), the row" + (rowID.map { " with the rowid \($0)" } ?? "")
      + " refers to a missing row of \(missingIn.debugDescription) by (\(columns.joined(separator: ", ")))"
  }
}

extension SQLiteConnection {
  /// Returns the rows of all tables whose foreign keys refer to missing rows.
  func brokenReferences() throws(DatabaseError) -> [BrokenReference] {
    var broken: [BrokenReference] = []
    for row in try rows("PRAGMA foreign_key_check") {
      let table = row[0].stringValue ?? ""
      let columns = try rows(
        #"SELECT "from" FROM pragma_foreign_key_list(?) WHERE id = ? ORDER BY seq"#, [.text(table), row[3]])
      broken.append(
        BrokenReference(
          table: table, rowID: row[1].int64Value, missingIn: row[2].stringValue ?? "",
          columns: columns.compactMap { $0[0].stringValue }))
    }
    return broken
  }
}
