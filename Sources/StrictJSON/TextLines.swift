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
