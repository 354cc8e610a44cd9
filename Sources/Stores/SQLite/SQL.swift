/// Pieces of SQL.
enum SQL {
  /// How the names begin of all that this package makes for itself in a database.
  static let ownPrefix = "signals_"

  /// How the names of the indexes begin that models ask for.
  static let indexPrefix = "signals_index "

  /// The collation that compares texts as decimal numbers, on every connection of this package.
  static let decimalCollation = "signals_decimal"

  /// The table that remembers what the tables of models are like.
  static let schemaTable = "signals_schema"

  /// A name, quoted, so that it may be any word.
  ///
  /// Not in double quotes: if there is no such column, as after another process has renamed it, SQLite would take those
  /// for a text, and every row would have the column's name as its value.
  static func name(_ name: String) -> String { "`\(name.replacing("`", with: "``"))`" }

  /// So many parameters, with commas between them.
  static func parameters(_ count: Int) -> String { String(repeating: "?, ", count: max(0, count - 1)) + "?" }

  /// Why something cannot be the name of a table or a column.
  static func refusal(of name: String) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.utf8.contains(0) { return "it contains the character zero" }
    let lowercased = name.lowercased()
    if lowercased.hasPrefix("sqlite_") { return "names that begin so belong to SQLite" }
    if lowercased.hasPrefix(ownPrefix) { return "names that begin so belong to this package" }
    return nil
  }
}
