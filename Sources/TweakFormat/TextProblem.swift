/// What is wrong in a text, and where.
package struct TextProblem: Error, Hashable, Sendable {
  package let reason: String
  package let position: TextPosition

  /// Whether the text is usable all the same.
  package let isWarning: Bool

  package init(_ reason: String, at position: TextPosition, isWarning: Bool = false) {
    self.reason = reason
    self.position = position
    self.isWarning = isWarning
  }
}

extension TextProblem: CustomStringConvertible {
  /// The reason, with the place.
  package var description: String { "\(reason) in line \(position.line), column \(position.column)" }
}

/// A line and a column, both counted from 1.
package struct TextPosition: Hashable, Comparable, Sendable {
  package let line: Int
  package let column: Int

  /// Finds the line and the column of a byte.
  package init(of offset: Int, in bytes: some RandomAccessCollection<UInt8>) {
    var finder = TextPositionFinder(bytes)
    self = finder.position(of: offset)
  }

  fileprivate init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (first: TextPosition, second: TextPosition) -> Bool {
    (first.line, first.column) < (second.line, second.column)
  }
}

/// Finds the lines and columns of bytes; those that come one after another by one look at the text.
struct TextPositionFinder<Bytes: RandomAccessCollection<UInt8>> {
  private let bytes: Bytes
  private var offset = 0
  private var line = 1
  private var column = 1

  init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// The position of a byte.
  mutating func position(of wanted: Int) -> TextPosition {
    if wanted < offset { (offset, line, column) = (0, 1, 1) }
    for byte in bytes.dropFirst(offset).prefix(wanted - offset) {
      if byte == 0x0A {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        // People count characters, so the bytes that continue one are left out.
        column += 1
      }
    }
    offset = wanted
    return TextPosition(line: line, column: column)
  }
}

@available(*, unavailable)
extension TextPositionFinder: Sendable {}
