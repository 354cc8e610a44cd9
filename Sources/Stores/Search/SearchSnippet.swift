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
