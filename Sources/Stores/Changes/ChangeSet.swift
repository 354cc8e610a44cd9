/// What one transaction has changed, by table and key.
///
/// A key is the row's primary key; of several columns, it is their values as SQL literals, separated by commas, in one
/// text; without a primary key, it is SQLite's own `rowid`.
public struct ChangeSet: Hashable, Sendable {
  /// The number of the change: larger for later ones, until the file is swapped for another.
  ///
  /// In the ``Database/changes`` of a shared database, what this object has written is counted for itself, and so is
  /// what others have: a number says nothing of one beside the other.
  public let sequence: Int64

  /// Where it comes from.
  public let origin: ChangeOrigin

  /// What has changed in each table; tables without changes are not there.
  public let tables: [String: TableChanges]

  /// Makes a change set.
  ///
  /// - Parameters:
  ///   - sequence: Its number.
  ///   - origin: Where it comes from.
  ///   - tables: What has changed.
  public init(sequence: Int64, origin: ChangeOrigin = .here, tables: [String: TableChanges]) {
    self.sequence = sequence
    self.origin = origin
    self.tables = tables
  }

  /// The next number; the largest of all, which any member of a group can write into the file, has none after it.
  static func sequence(after sequence: Int64) -> Int64 { sequence == .max ? .max : sequence + 1 }

  /// Who made the change, if one other process did; otherwise ``origin`` says more.
  public var author: String? {
    if case .peer(let author) = origin { author } else { nil }
  }

  /// What has changed in a table.
  ///
  /// - Parameter table: Its name, in the spelling of the statement that made it.
  public subscript(table: String) -> TableChanges { tables[table] ?? TableChanges() }
}
