/// A full-text index over columns of a table, with which ``StoreModel/matching(_:_:)`` finds rows by their words.
///
/// ```swift
/// import Stores
///
/// struct Note: StoreModel {
///   static let table = TableSpec("note", search: SearchIndex(["title", "body"]))
///   var id: Int64?
///   var title: String
///   var body: String
/// }
///
/// let database = try Database(.memory, schema: Schema(version: 1, models: [Note.self]))
/// try database.write { transaction in
///   try transaction.put(Note(title: "Café", body: "Opens at eight"))
///   try transaction.put(Note(title: "Bakery", body: "Closed on Mondays"))
/// }
/// let found = try database.read { try $0.all(Note.matching("cafe opens")) }
/// print(found.map(\.title))  // Prints "["Café"]"
/// ```
///
/// The index contains only the words; the text stays in the table. Triggers of the file keep it in step, whatever
/// program changes a row. A migration that adds an index fills it.
///
/// > Important: A program that replaces rows, as `INSERT OR REPLACE` does, must turn on SQLite's `recursive_triggers`.
/// > This package does so. After other programs, call ``WriteTransaction/rebuildSearchIndex(of:)``.
public struct SearchIndex: Hashable, Sendable {
  /// The rule by which text is divided into words.
  @nonexhaustive
  public enum Tokenizer: Hashable, Sendable {
    /// Letters and digits of all languages form words, regardless of case; and regardless of accents, if
    /// `removesDiacritics` is `true`.
    case unicode(removesDiacritics: Bool = true)
    /// English words are reduced to their stems, so that "running" finds "run".
    case porter
    /// Each sequence of three characters is a word, so that any part of a word is found.
    ///
    /// Searched words need at least three characters.
    case trigram
  }

  /// The columns whose text is searched.
  package let columns: [String]

  /// The rule by which text is divided into words.
  package let tokenizer: Tokenizer

  /// Creates a full-text index.
  ///
  /// - Parameters:
  ///   - columns: The text columns that are searched.
  ///   - tokenizer: The rule by which text is divided into words.
  public init(_ columns: [String], tokenizer: Tokenizer = .unicode()) {
    self.columns = columns
    self.tokenizer = tokenizer
  }
}

extension SearchIndex: CustomStringConvertible {
  /// The columns and the tokenizer in SQL.
  public var description: String {
    "(\(columns.map(SQL.name).joined(separator: ", "))) tokenize '\(tokenizer.sql)'"
  }
}

extension SearchIndex.Tokenizer {
  /// The name and options in FTS5.
  var sql: String {
    switch self {
    case .unicode(removesDiacritics: true): "unicode61 remove_diacritics 2"
    case .unicode(removesDiacritics: false): "unicode61 remove_diacritics 0"
    case .porter: "porter unicode61 remove_diacritics 2"
    case .trigram: "trigram"
    }
  }
}
