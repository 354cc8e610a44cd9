/// The columns from which a type is decoded.
final class ColumnLayout: Sendable {
  /// The name that errors contain: the table, or the type.
  let table: String
  let columns: [TableColumn]
  /// The index of each column, by name.
  let places: [String: Int]
  /// The index of the key's column, if there is one.
  let key: Int?

  init(table: String, columns: [TableColumn], key: Int? = nil) {
    self.table = table
    self.columns = columns
    self.key = key
    places = Dictionary(columns.enumerated().map { ($1.name, $0) }) { first, _ in first }
  }
}
