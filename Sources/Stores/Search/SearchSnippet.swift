/// A part of a row's text that contains words of a search.
public struct SearchSnippet: Hashable, Sendable {
  /// The text, with an ellipsis where it is cut off.
  public let text: String

  /// The ranges of the words that were found.
  public let ranges: [Range<String.Index>]

  /// The characters with which FTS5 marks the words.
  static let marks = (start: "\u{2}", end: "\u{3}")

  /// Creates a snippet from a text in which the words are marked.
  init(marked: String) {
    var text = ""
    var bounds: [(start: Int, end: Int)] = []
    var start: Int?
    for scalar in marked.unicodeScalars {
      switch String(scalar) {
      case Self.marks.start: start = text.unicodeScalars.count
      case Self.marks.end:
        if let begin = start.take() { bounds.append((begin, text.unicodeScalars.count)) }
      default: text.unicodeScalars.append(scalar)
      }
    }
    self.text = text
    let scalars = text.unicodeScalars
    ranges = bounds.map {
      scalars.index(scalars.startIndex, offsetBy: $0.start)..<scalars.index(scalars.startIndex, offsetBy: $0.end)
    }
  }

  /// Returns the text with marks around the words that were found.
  ///
  /// The text is not escaped: it may itself contain the marks, or the markup of another language.
  ///
  /// - Parameters:
  ///   - start: The mark before a word.
  ///   - end: The mark after a word.
  /// - Returns: The text with marks.
  public func marked(_ start: String, _ end: String) -> String {
    var result = ""
    var position = text.startIndex
    for range in ranges {
      result += text[position..<range.lowerBound] + start + text[range] + end
      position = range.upperBound
    }
    return result + text[position...]
  }
}

/// A row that a search has found, with a part of its text.
public struct SearchMatch<Model: StoreModel>: Sendable {
  /// The row.
  public let model: Model

  /// A part of the row's text that contains words of the search.
  public let snippet: SearchSnippet
}

extension SearchMatch: Equatable where Model: Equatable {}
extension SearchMatch: Hashable where Model: Hashable {}

extension ReadTransaction {
  /// Returns the rows that a search finds, each with a part of its text.
  ///
  /// ```swift
  /// import Stores
  ///
  /// struct Note: StoreModel {
  ///   static let table = TableSpec("note", search: SearchIndex(["text"]))
  ///   var id: Int
  ///   var text: String
  /// }
  ///
  /// let database = try Database(.memory, schema: Schema(version: 1, models: [Note.self]))
  /// try database.write { try $0.put(Note(id: 1, text: "Milk, bread and two brushes")) }
  /// let found = try database.read { try $0.matches(Note.matching("bread")) }
  /// print(found[0].snippet.marked("[", "]"))  // Prints "Milk, [bread] and two brushes"
  /// ```
  ///
  /// - Parameters:
  ///   - query: A query that begins with ``StoreModel/matching(_:_:)``. Limit it, because each row needs another read.
  ///   - column: The column of the snippet, or `nil` for the one that matches best.
  ///   - maximumWords: The largest number of words in a snippet, from 1 to 64.
  /// - Returns: The rows, in the query's order.
  /// - Throws: ``DatabaseError``, with ``ModelError/notSearchable(table:reason:)`` if the query is not a search.
  public func matches<Model: StoreModel>(
    _ query: Query<Model>, snippetOf column: String? = nil, maximumWords: Int = 16
  ) throws(DatabaseError) -> [SearchMatch<Model>] {
    let connection = try connection
    let layout = try connection.naming(ModelLayout.of(Model.self))
    let place = try connection.naming(layout.searchPlace(of: column, in: query.search))
    guard let pattern = query.search?.pattern, let tables = layout.searchTables else { return [] }
    let words = Int64(Swift.min(Swift.max(maximumWords, 1), 64))
    var matches: [SearchMatch<Model>] = []
    for model in try all(query) {
      let marked = try connection.value(
        tables.excerpt,
        [
          .integer(place), .text(SearchSnippet.marks.start), .text(SearchSnippet.marks.end), .integer(words),
          .text(pattern), model.id.sqliteValue,
        ])
      matches.append(SearchMatch(model: model, snippet: SearchSnippet(marked: marked.stringValue ?? "")))
    }
    return matches
  }
}

extension ModelLayout {
  /// Returns the index of a column in the full-text index, or −1 for any column.
  fileprivate func searchPlace(of column: String?, in search: SearchText?) throws(ModelError) -> Int64 {
    guard let index = spec.search else {
      throw .notSearchable(table: table, reason: "its TableSpec has no search index")
    }
    if search == nil { throw .notSearchable(table: table, reason: "the query does not begin with matching(_:)") }
    guard let column else { return -1 }
    guard let place = index.columns.firstIndex(of: column) else {
      throw .unknownColumn(table: table, column: column, known: index.columns)
    }
    return Int64(place)
  }
}

extension WriteTransaction {
  /// Fills the full-text index of a model anew.
  ///
  /// This is needed only after a program has replaced rows without SQLite's `recursive_triggers`; see ``SearchIndex``.
  ///
  /// - Parameter model: The model.
  /// - Throws: ``DatabaseError``, with ``ModelError/notSearchable(table:reason:)`` if the model has no index.
  public func rebuildSearchIndex<Model: StoreModel>(of model: Model.Type) throws(DatabaseError) {
    let connection = try connection
    let layout = try connection.naming(ModelLayout.of(model))
    guard let tables = layout.searchTables else {
      throw .model(.notSearchable(table: layout.table, reason: "its TableSpec has no search index"), path: path)
    }
    for statement in tables.rebuild { try connection.execute(statement) }
  }
}
