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

  /// The text of a statement without the semicolon that ends it; unchanged if another statement follows.
  static func withoutEnd(_ sql: String) -> String {
    guard sql.utf8.contains(UInt8(ascii: ";")) else { return sql }
    var rest = Substring(sql)
    var end: Substring.Index?
    while let character = rest.first {
      let start = rest.startIndex
      if rest.hasPrefix("--") {
        rest = rest.drop { !$0.isNewline }
      } else if rest.hasPrefix("/*") {
        rest = rest.dropFirst(2).firstRange(of: "*/").map { rest[$0.upperBound...] } ?? ""
      } else if character == ";" {
        end = end ?? start
        rest.removeFirst()
      } else if character.isWhitespace {
        rest.removeFirst()
      } else {
        if end != nil { return sql }
        rest.removeFirst()
        // A quote that is doubled, and so part of the text, ends one text here and begins the next.
        let quotes: [Character: Character] = ["'": "'", "\"": "\"", "`": "`", "[": "]"]
        if let quote = quotes[character] {
          rest = rest.firstIndex(of: quote).map { rest[rest.index(after: $0)...] } ?? ""
        }
      }
    }
    return end.map { String(sql[..<$0]) } ?? sql
  }

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
