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
