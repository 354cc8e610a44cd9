/// What one transaction did to one table.
///
/// A row is in one of the three sets at most: what counts is how it was before and how it is after, not what happened
/// between.
public struct TableChanges: Hashable, Sendable {
  /// The keys of rows that are new.
  public internal(set) var inserted: Set<SQLiteValue> = []

  /// The keys of rows that were there before and after, and were written; perhaps with the values they had.
  public internal(set) var updated: Set<SQLiteValue> = []

  /// The keys of rows that are gone.
  public internal(set) var deleted: Set<SQLiteValue> = []

  /// Whether more may have changed than the sets say, as after the table has been dropped: look at all of it.
  public internal(set) var isEverything = false

  /// Makes what has changed.
  ///
  /// - Parameters:
  ///   - inserted: The keys of rows that are new.
  ///   - updated: The keys of rows that were written.
  ///   - deleted: The keys of rows that are gone.
  ///   - isEverything: Whether more may have changed than the sets say.
  public init(
    inserted: Set<SQLiteValue> = [], updated: Set<SQLiteValue> = [], deleted: Set<SQLiteValue> = [],
    isEverything: Bool = false
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.isEverything = isEverything
  }

  /// Whether nothing has changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && !isEverything }

  /// Whether the row of a key may have changed, come or gone.
  ///
  /// - Parameter key: The row's key.
  /// - Returns: Whether to look at it again.
  public func touches(_ key: SQLiteValue) -> Bool {
    isEverything || updated.contains(key) || inserted.contains(key) || deleted.contains(key)
  }

  /// Takes in the next thing that happened to a row.
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
