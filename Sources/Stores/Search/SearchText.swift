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
