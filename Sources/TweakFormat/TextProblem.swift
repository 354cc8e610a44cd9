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

/// A line and a column, both counted from 1.
package struct TextPosition: Hashable, Comparable, Sendable {
  package let line: Int
  package let column: Int

  /// Finds the line and the column of a byte.
  package init(of offset: Int, in bytes: [UInt8]) {
    let before = bytes.prefix(offset)
    line = 1 + before.count { $0 == 0x0A }
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    // People count characters, so the bytes that continue one are left out.
    column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
  }

  package static func < (first: TextPosition, second: TextPosition) -> Bool {
    (first.line, first.column) < (second.line, second.column)
  }
}
