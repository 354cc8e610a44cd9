public import FileSignals

/// The changes that one transaction made, by table and key.
///
/// A key is the row's primary key. A primary key of several columns is represented as one string: the values as SQL
/// literals, separated by commas. Without a primary key, the key is SQLite's `rowid`.
public struct ChangeSet: Hashable, Sendable {
  /// The number of the change.
  ///
  /// It increases with each change, until the file is replaced by another.
  ///
  /// In ``Database/changes`` of a shared database, changes by this object and changes by others are numbered
  /// separately. The two sequences cannot be compared.
  public let sequence: Int64

  /// The origin of the change.
  public internal(set) var origin = ChangeOrigin.here

  /// The process that made the change, with time and cause, if a single other process that shares the database did.
  ///
  /// It is `nil` for changes of this process, and if it is unknown: see ``origin``.
  public internal(set) var provenance: Provenance?

  /// The changes of each table.
  ///
  /// Tables without changes are not included.
  public let tables: [String: TableChanges]

  /// Returns the next number.
  ///
  /// The largest possible number, which any member of a group can write into the file, is its own successor.
  static func sequence(after sequence: Int64) -> Int64 { sequence == .max ? .max : sequence + 1 }

  /// The name of the process that made the change, if it was a single other process.
  ///
  /// Otherwise, see ``origin``.
  public var author: String? {
    if case .peer(let author) = origin { author } else { nil }
  }

  /// The changes of one table.
  ///
  /// - Parameter table: The name of the table, as spelled in the statement that created it.
  public subscript(table: String) -> TableChanges { tables[table] ?? TableChanges() }
}

/// The origin of a change.
@nonexhaustive
public enum ChangeOrigin: Hashable, Sendable {
  /// This object made the change.
  case here

  /// Another ``Database`` object for the same file, in this process, made the change.
  case sameProcess

  /// Another process, which shares the database under this name, made the change.
  case peer(String)

  /// Other processes made changes, but the history that contains them has been trimmed; see ``ShareLimits``.
  case trimmedHistory

  /// Another program, or a process that does not share the database, made the change.
  ///
  /// Any row may have changed.
  case foreign

  /// Another process has migrated the file.
  case migration

  /// The directory that contains the file was replaced by another, so the database is a different file.
  case `switch`
}

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
