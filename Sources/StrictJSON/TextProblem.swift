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

/// The lines of a text, from which the positions of its bytes are computed.
package struct TextLines<Bytes: RandomAccessCollection<UInt8>> {
  private let bytes: Bytes

  /// The offset of the first byte of each line.
  ///
  /// A byte-order mark, which editors do not show, is not part of a line.
  private let starts: [Int]

  /// Finds the lines of a text.
  ///
  /// - Complexity: O(*n*) in the number of bytes.
  package init(_ bytes: Bytes) {
    self.bytes = bytes
    starts =
      [bytes.starts(with: ByteOrderMark.bytes) ? ByteOrderMark.bytes.count : 0]
      + bytes.enumerated().lazy.filter { $0.element == 0x0A }.map { $0.offset + 1 }
  }

  /// Returns the position of a byte.
  ///
  /// - Complexity: O(log *m* + *k*) in the number of lines and the length of this one.
  package func position(of offset: Int) -> TextPosition {
    var range = starts.indices
    while range.count > 1 {
      let middle = range.lowerBound + range.count / 2
      range = starts[middle] <= offset ? middle..<range.upperBound : range.lowerBound..<middle
    }
    let line = range.lowerBound
    // Columns count characters, so continuation bytes are skipped.
    let column = bytes.dropFirst(starts[line]).prefix(max(0, offset - starts[line])).count { $0 & 0xC0 != 0x80 }
    return TextPosition(line: line + 1, column: column + 1)
  }
}

extension TextLines: Sendable where Bytes: Sendable {}

/// The bytes that some editors put before a text to mark it as UTF-8.
enum ByteOrderMark {
  static let bytes: [UInt8] = [0xEF, 0xBB, 0xBF]
}
