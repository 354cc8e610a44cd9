extension StoreModel {
  /// Returns a query of the rows whose text contains words, best matches first.
  ///
  /// The text may come from a person: every character of it counts as text, and none as an operator. A text without a
  /// word finds nothing.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Song: StoreModel {
  ///   static let table = TableSpec("song", search: SearchIndex(["title"]))
  ///   var id: Int
  ///   var title: String
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Song.self]))
  /// try database.write { try $0.put([Song(id: 1, title: "Yellow (live)"), Song(id: 2, title: "Blue")]) }
  /// let found = try database.read { try $0.all(Song.matching("YELL \"(", .allPrefixes).limit(10)) }
  /// print(found.map(\.title))  // Prints "["Yellow (live)"]"
  /// ```
  ///
  /// - Parameters:
  ///   - text: The words, separated by white space.
  ///   - mode: The way in which the words are combined.
  /// - Returns: The query. Unless you sort it, it is sorted by relevance and then by key. Reading it throws
  ///   ``ModelError/notSearchable(table:reason:)`` if the model has no ``SearchIndex``.
  public static func matching(_ text: String, _ mode: SearchMode = .allWords) -> Query<Self> {
    var query = Query<Self>()
    query.search = SearchText(text: text, mode: mode)
    return query
  }
}

extension ModelLayout {
  /// The result columns of a search, which no column of a model can have as its name.
  static let searchKey = SQL.name("\(SQL.ownPrefix)key")
  static let searchRank = SQL.name("\(SQL.ownPrefix)rank")

  /// Returns the part of a statement after the name of the table that selects the rows found by a search.
  func join(_ search: SearchText) throws(ModelError) -> CompiledQuery {
    guard let index = searchTables else {
      throw .notSearchable(table: table, reason: "its TableSpec has no search index")
    }
    guard let pattern = search.pattern else {
      return CompiledQuery(sql: " JOIN (SELECT 0 AS \(Self.searchRank)) ON FALSE")
    }
    // The column names of the index are the ones of the table, and must not be visible in conditions. The key of the
    // table is on the left, so that SQLite compares by its collation and uses its index.
    let sql =
      " JOIN (SELECT \(index.keyOfMatch) AS \(Self.searchKey), \(index.words).rank AS \(Self.searchRank) "
      + "FROM \(index.matches) WHERE \(index.words).\(index.words) MATCH ?) "
      + "ON \(SQL.name(table)).\(SQL.name(spec.key)) = \(Self.searchKey)"
    return CompiledQuery(sql: sql, arguments: [.text(pattern)])
  }
}

/// The way in which the words of a search are combined.
@nonexhaustive
public enum SearchMode: Hashable, Sendable, CaseIterable {
  /// A row contains all words.
  case allWords
  /// A row contains words that begin with the given ones, as for a search while a person types.
  case allPrefixes
  /// A row contains at least one of the words.
  case anyWord
  /// A row contains the words one after another.
  case phrase
}

/// A text to search for, as a person types it.
struct SearchText: Hashable, Sendable {
  let text: String
  let mode: SearchMode

  /// The search in the language of FTS5, or `nil` if the text contains no word.
  ///
  /// Each word is quoted, so no character of it is an operator. FTS5 ignores quoted words without letters and digits.
  var pattern: String? {
    // Scalars are compared, since a NUL that is followed by an accent is one character with it.
    let words = text.unicodeScalars.split { $0.properties.isWhitespace || $0.value == 0 }.map(String.init)
    guard !words.isEmpty else { return nil }
    let quote = { (words: String) in "\"\(SQL.doubling("\"", in: words))\"" }
    return switch mode {
    case .allWords: words.map(quote).joined(separator: " ")
    case .allPrefixes: words.map { quote($0) + "*" }.joined(separator: " ")
    case .anyWord: words.map(quote).joined(separator: " OR ")
    case .phrase: quote(words.joined(separator: " "))
    }
  }
}
