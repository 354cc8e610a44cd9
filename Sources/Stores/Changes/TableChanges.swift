/// The changes that one transaction made to one table.
///
/// A row is in at most one of the three sets. The sets compare the state before the transaction with the state after
/// it.
public struct TableChanges: Hashable, Sendable {
  /// The keys of rows that were inserted.
  public internal(set) var inserted: Set<SQLiteValue> = []

  /// The keys of rows that existed before and after and were written, possibly with the same values.
  public internal(set) var updated: Set<SQLiteValue> = []

  /// The keys of rows that were deleted.
  public internal(set) var deleted: Set<SQLiteValue> = []

  /// A Boolean value that indicates whether more rows may have changed than the sets contain, as after the table has
  /// been dropped.
  ///
  /// If so, read the whole table again.
  public internal(set) var isEverything = false

  /// A Boolean value that indicates whether nothing has changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && !isEverything }

  /// Returns a Boolean value that indicates whether the row with a key may have been changed, inserted or deleted.
  ///
  /// - Parameter key: The row's key.
  /// - Returns: `true` if the row should be read again.
  public func touches(_ key: SQLiteValue) -> Bool {
    isEverything || updated.contains(key) || inserted.contains(key) || deleted.contains(key)
  }

  /// Adds the next change of a row.
  mutating func note(_ operation: RowChange.Operation, _ key: SQLiteValue) {
    switch operation {
    case .insert:
      if deleted.remove(key) != nil { updated.insert(key) } else if !updated.contains(key) { inserted.insert(key) }
    case .update:
      if !inserted.contains(key) { updated.insert(key) }
    case .delete:
      updated.remove(key)
      if inserted.remove(key) == nil { deleted.insert(key) }
    case .everything:
      isEverything = true
    }
  }
}
