/// A place in a text, for people; line and column are counted from 1.
struct JSONPlace: Equatable, CustomStringConvertible {
  let line: Int
  let column: Int

  /// Finds the line and column of a byte.
  init(of index: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    let before = bytes.prefix(index)
    line = 1 + before.count { $0 == JSONByte.lineFeed }
    let start = before.lastIndex(of: JSONByte.lineFeed).map { $0 + 1 } ?? 0
    // People count characters, so the bytes that continue one are left out.
    column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
  }

  var description: String { "line \(line), column \(column)" }
}

/// What is wrong with a text that should be JSON, and where.
struct JSONSyntaxError: Error, Equatable, CustomStringConvertible {
  let reason: String
  let place: JSONPlace

  init(_ reason: String, at index: Int, in bytes: UnsafeBufferPointer<UInt8>) {
    self.reason = reason
    place = JSONPlace(of: index, in: bytes)
  }

  var description: String { "\(reason) in \(place)" }
}
