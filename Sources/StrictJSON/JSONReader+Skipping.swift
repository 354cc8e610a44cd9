extension JSONReader {
  /// Returns the first problem of a text, or `nil` if it is valid JSON.
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

  /// Finds the value at a coding path.
  ///
  /// Of several members with the same name, the last one counts.
  ///
  /// - Returns: The position of its first byte, or `nil` if there is no value at that path.
  /// - Throws: ``TextProblem``.
  package static func position(
    of path: [any CodingKey], in bytes: UnsafeBufferPointer<UInt8>, trailingCommas: TrailingCommas = .refused
  ) throws(TextProblem) -> TextPosition? {
    let offset = try read(bytes, trailingCommas: trailingCommas) { reader throws(TextProblem) in
      try reader.offset(of: path[...])
    }
    return offset.map { TextPosition(of: $0, in: bytes) }
  }

  /// Skips the value at the current position, and finds the value at a path inside it.
  ///
  /// The recursion is one level deep for each key of the path that is found, so at most ``maximumDepth``.
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

  /// Skips the value at the current position without checking the size of numbers or the names of members.
  package mutating func skipValue() throws(TextProblem) {
    var visitor = Skipping()
    try visit(&visitor)
  }

  /// Skips the value at the current position, which is neither an object nor an array.
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
