/// The part of a database that something depends on.
enum ObservedRegion: Hashable, Sendable {
  /// All rows of these tables.
  case tables(Set<String>)
  /// One row.
  case row(table: String, key: SQLiteValue)
}
