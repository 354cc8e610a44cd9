/// What one transaction has changed, by table and key.
///
/// A key is the row's primary key; of several columns, it is their values as SQL literals, separated by commas, in one text;
/// without a primary key, it is SQLite's own `rowid`.
public struct ChangeSet: Hashable, Sendable {
  /// The number of the change: larger for later ones.
  public let sequence: Int64

  /// Who made the change, if it was made elsewhere; empty if it stands for changes of several that are not known any more.
  public let author: String?

  /// What has changed in each table; tables without changes are not there.
  public let tables: [String: TableChanges]

  /// Makes a change set.
  ///
  /// - Parameters:
  ///   - sequence: Its number.
  ///   - author: Who made the change; `nil` for this object's own.
  ///   - tables: What has changed.
  public init(sequence: Int64, author: String? = nil, tables: [String: TableChanges]) {
    self.sequence = sequence
    self.author = author
    self.tables = tables
  }

  /// What has changed in a table.
  ///
  /// - Parameter table: Its name, in the spelling of the statement that made it.
  public subscript(table: String) -> TableChanges { tables[table] ?? TableChanges() }
}
