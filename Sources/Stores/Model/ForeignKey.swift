/// A reference from the rows of one table to the rows of another.
///
/// SQLite guarantees that the referenced row exists. A change that would leave a reference without its row throws
/// ``DatabaseError/constraint(_:)``, unless an action resolves it. ``TableSpec`` has an example.
///
/// Deleting a referenced row searches the rows that refer to it. Add the referring columns to the table's indexes, so
/// that the search does not read the whole table.
public struct ForeignKey: Hashable, Sendable {
  /// The change of the referring rows when the referenced row is deleted or gets another key.
  @frozen
  public enum Action: String, Hashable, Sendable, CaseIterable {
    /// The change is refused, unless a later statement repairs the reference, if the key is deferred.
    case noAction = "NO ACTION"
    /// The change is refused at once.
    case restrict = "RESTRICT"
    /// The referring columns become null.
    case setNull = "SET NULL"
    /// The referring columns get their default values.
    case setDefault = "SET DEFAULT"
    /// The referring rows are deleted, or get the new key.
    case cascade = "CASCADE"
  }

  /// The columns that refer to another row.
  package let columns: [String]

  /// The table of the referenced rows.
  package let table: String

  /// The referenced columns; empty for the key of the other table.
  package let referencedColumns: [String]

  /// The action when a referenced row is deleted.
  package let onDelete: Action

  /// The action when the key of a referenced row changes.
  package let onUpdate: Action

  /// A Boolean value that indicates whether references are checked at the end of a transaction.
  ///
  /// Otherwise they are checked at the end of each statement.
  package let isDeferred: Bool

  /// Creates a reference by one column.
  ///
  /// - Parameters:
  ///   - column: The column that refers to another row. If it is null, there is no referenced row.
  ///   - table: The table of the referenced row.
  ///   - referencedColumn: The unique column that identifies the referenced row, or `nil` for its key.
  ///   - onDelete: The action when the referenced row is deleted.
  ///   - onUpdate: The action when the key of the referenced row changes.
  ///   - isDeferred: Pass `true` to check references at the end of a transaction.
  public init(
    _ column: String, references table: String, _ referencedColumn: String? = nil, onDelete: Action = .noAction,
    onUpdate: Action = .noAction, isDeferred: Bool = false
  ) {
    self.init(
      [column], references: table, referencedColumn.map { [$0] } ?? [], onDelete: onDelete, onUpdate: onUpdate,
      isDeferred: isDeferred)
  }

  /// Creates a reference by several columns.
  ///
  /// - Parameters:
  ///   - columns: The columns that refer to another row.
  ///   - table: The table of the referenced row.
  ///   - referencedColumns: As many columns, which together are unique.
  ///   - onDelete: The action when the referenced row is deleted.
  ///   - onUpdate: The action when the referenced columns change.
  ///   - isDeferred: Pass `true` to check references at the end of a transaction.
  public init(
    _ columns: [String], references table: String, _ referencedColumns: [String], onDelete: Action = .noAction,
    onUpdate: Action = .noAction, isDeferred: Bool = false
  ) {
    self.columns = columns
    self.table = table
    self.referencedColumns = referencedColumns
    self.onDelete = onDelete
    self.onUpdate = onUpdate
    self.isDeferred = isDeferred
  }
}

extension ForeignKey: CustomStringConvertible {
  /// The definition in SQL.
  public var description: String {
    let list = { (names: [String]) in "(\(names.map(SQL.name).joined(separator: ", ")))" }
    var text = "FOREIGN KEY \(list(columns)) REFERENCES \(SQL.name(table))"
    if !referencedColumns.isEmpty { text += " " + list(referencedColumns) }
    if onDelete != .noAction { text += " ON DELETE \(onDelete.rawValue)" }
    if onUpdate != .noAction { text += " ON UPDATE \(onUpdate.rawValue)" }
    if isDeferred { text += " DEFERRABLE INITIALLY DEFERRED" }
    return text
  }
}
