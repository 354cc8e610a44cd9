extension JSONReader {
  /// Finds the first problem of a text; `nil` if it is JSON.
  package static func problem(
    in bytes: UnsafeBufferPointer<UInt8>, trailingCommas: TrailingCommas = .refused
  ) -> TextProblem? {
    do throws(TextProblem) {
      try read(bytes, trailingCommas: trailingCommas) { reader throws(TextProblem) in try reader.skipValue() }
      return nil
    } catch {
      return error
    }
  }

  /// Finds the value that a coding path leads to.
  ///
  /// Of several members with the same name, the last one counts.
  ///
  /// - Returns: The position of its first byte; `nil` if the path leads nowhere.
  /// - Throws: ``TextProblem``.
  package static func position(
    of path: [any CodingKey], in bytes: UnsafeBufferPointer<UInt8>, trailingCommas: TrailingCommas = .refused
  ) throws(TextProblem) -> TextPosition? {
    let offset = try read(bytes, trailingCommas: trailingCommas) { reader throws(TextProblem) in
      try reader.offset(of: path[...])
    }
    return offset.map { TextPosition(of: $0, in: bytes) }
  }

  /// Skips the value that begins here, and finds the one in it that a path leads to.
  ///
  /// It recurses once for each key of the path that is found, so at most ``maximumDepth`` times.
  private mutating func offset(of path: ArraySlice<any CodingKey>) throws(TextProblem) -> Int? {
    guard let key = path.first, let end = closingBracket else {
      let start = index
      try skipValue()
      return path.isEmpty ? start : nil
    }
    var found: Int?
    var count = 0
    var hasMore = try enter(end)
    while hasMore {
      let isOnTheWay = end == JSONByte.closingBrace ? try name() == key.stringValue : count == key.intValue
      if isOnTheWay { found = try offset(of: path.dropFirst()) ?? found } else { try skipValue() }
      count += 1
      hasMore = try goOn(to: end)
    }
    return found
  }

  /// Skips the value that begins here, whatever the size of its numbers and the names of its members.
  package mutating func skipValue() throws(TextProblem) {
    var visitor = Skipping()
    try visit(&visitor)
  }

  /// Skips the value that begins here, which is no object and no array.
  mutating func skipScalar() throws(TextProblem) {
    if peek == JSONByte.quote {
      _ = try scanString()
    } else if isAtNumber {
      _ = try skipNumber()
    } else if !(skip("true") || skip("false") || skip("null")) {
      throw noValue
    }
  }
}

private struct Skipping: JSONVisitor {
  mutating func scalar(_ reader: inout JSONReader) throws(TextProblem) { try reader.skipScalar() }

  mutating func enter(_ end: UInt8, _ reader: JSONReader) {}

  mutating func element(of end: UInt8, isFirst: Bool, _ reader: inout JSONReader) throws(TextProblem) {
    guard end == JSONByte.closingBrace else { return }
    _ = try reader.nameString()
    try reader.endName()
  }

  mutating func leave(_ end: UInt8, isEmpty: Bool, _ reader: JSONReader) {}
}
