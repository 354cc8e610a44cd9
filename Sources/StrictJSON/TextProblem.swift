/// A problem in a text, and its position.
package struct TextProblem: Error, Hashable, Sendable {
  package let reason: String
  package let position: TextPosition

  /// A Boolean value that indicates whether the text can be used in spite of the problem.
  package let isWarning: Bool

  package init(_ reason: String, at position: TextPosition, isWarning: Bool = false) {
    self.reason = reason
    self.position = position
    self.isWarning = isWarning
  }
}

extension TextProblem: CustomStringConvertible {
  /// The reason, with the position.
  package var description: String { "\(reason) on \(position)" }
}

/// A line and a column, both counted from 1.
package struct TextPosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  package let line: Int
  package let column: Int

  /// Returns the line and the column of a byte.
  package init(of offset: Int, in bytes: some RandomAccessCollection<UInt8>) {
    self = TextLines(bytes.prefix(offset)).position(of: offset)
  }

  init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package var description: String { "line \(line), column \(column)" }

  package static func < (first: TextPosition, second: TextPosition) -> Bool {
    (first.line, first.column) < (second.line, second.column)
  }
}
