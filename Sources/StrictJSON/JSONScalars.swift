/// A number, text, Boolean value or `null` in a JSON text.
package struct JSONScalar: Sendable {
  /// The bytes of the value in the text.
  package let range: Range<Int>

  package let isNumber: Bool
  package let isString: Bool

  /// The names and indices that lead to the value.
  package let path: [JSONKey]
}

/// A name or an index in the path of a value.
package struct JSONKey: CodingKey, Hashable, Sendable {
  package let stringValue: String
  package let intValue: Int?

  package init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  package init(intValue: Int) {
    stringValue = "\(intValue)"
    self.intValue = intValue
  }
}

extension JSONReader {
  /// Returns all values in a text that are neither objects nor arrays, in the order of the text.
  ///
  /// Numbers may have any size.
  ///
  /// - Throws: ``TextProblem``.
  package static func scalars(
    in bytes: UnsafeBufferPointer<UInt8>, trailingCommas: TrailingCommas = .refused
  ) throws(TextProblem) -> [JSONScalar] {
    try read(bytes, trailingCommas: trailingCommas) { reader throws(TextProblem) in
      var collector = ScalarCollector()
      try reader.visit(&collector)
      return collector.scalars
    }
  }
}

private struct ScalarCollector: JSONVisitor {
  var scalars: [JSONScalar] = []
  private var path: [JSONKey] = []

  mutating func scalar(_ reader: inout JSONReader) throws(TextProblem) {
    let start = reader.index
    let isString = reader.peek == JSONByte.quote
    let isNumber = reader.isAtNumber
    try reader.skipScalar()
    scalars.append(JSONScalar(range: start..<reader.index, isNumber: isNumber, isString: isString, path: path))
  }

  mutating func enter(_ end: UInt8, _ reader: JSONReader) {}

  mutating func element(of end: UInt8, isFirst: Bool, _ reader: inout JSONReader) throws(TextProblem) {
    let index = isFirst ? 0 : (path.popLast()?.intValue ?? 0) + 1
    path.append(end == JSONByte.closingBrace ? JSONKey(stringValue: try reader.name()) : JSONKey(intValue: index))
  }

  mutating func leave(_ end: UInt8, isEmpty: Bool, _ reader: JSONReader) {
    if !isEmpty { path.removeLast() }
  }
}

extension JSONReader {
  /// Skips the number at the current position.
  ///
  /// - Returns: `true` if the number is written as an integer.
  mutating func skipNumber() throws(TextProblem) -> Bool {
    let start = index
    if peek == JSONByte.minus { index += 1 }
    let isZero = peek == JSONByte.zero
    let count = try digits()
    guard !isZero || count == 1 else { throw problem("a number has a leading zero", at: start) }
    var isInteger = true
    if peek == JSONByte.dot {
      isInteger = false
      index += 1
      try digits()
    }
    if peek | 0x20 == JSONByte.letterE {
      isInteger = false
      index += 1
      if peek == JSONByte.plus || peek == JSONByte.minus { index += 1 }
      try digits()
    }
    return isInteger
  }

  @discardableResult
  private mutating func digits() throws(TextProblem) -> Int {
    let start = index
    while index < bytes.count, bytes[index] >= JSONByte.zero, bytes[index] <= JSONByte.nine { index += 1 }
    guard index > start else { throw problem("expected a digit in a number") }
    return index - start
  }

  /// A Boolean value that indicates whether a number begins at the current position.
  var isAtNumber: Bool {
    let byte = peek
    return byte == JSONByte.minus || byte >= JSONByte.zero && byte <= JSONByte.nine
  }

  /// Skips a text if it comes next.
  mutating func skip(_ text: StaticString) -> Bool {
    guard contains(text, at: index) else { return false }
    index += text.utf8CodeUnitCount
    return true
  }

  /// Returns a Boolean value that indicates whether a text is at a position.
  @inlinable @inline(__always)
  func contains(_ text: StaticString, at position: Int) -> Bool {
    let (start, count) = (text.utf8Start, text.utf8CodeUnitCount)
    guard count <= bytes.count - position else { return false }
    // Sound: the text has that many bytes.
    for offset in 0..<count where bytes[position + offset] != start[offset] { return false }
    return true
  }

  /// Reads the number at the current position as it is written.
  ///
  /// - Returns: The text, and whether it is written as an integer; `nil` if there is no number.
  /// - Throws: ``TextProblem``.
  package mutating func numberText() throws(TextProblem) -> (text: String, isInteger: Bool)? {
    guard isAtNumber else { return nil }
    let start = index
    let isInteger = try skipNumber()
    return (text(of: start..<index), isInteger)
  }

  /// Reads the value at the current position, which is neither an object nor an array.
  package mutating func scalar() throws(TextProblem) -> JSONNode.Content {
    if peek == JSONByte.quote { return .string(try string()) }
    if let number = try number() { return number }
    if skip("true") { return .bool(true) }
    if skip("false") { return .bool(false) }
    if skip("null") { return .null }
    throw noValue
  }

  /// The problem of a missing value at the current position.
  var noValue: TextProblem { problem(isAtEnd ? "expected a value, but the text ends" : "expected a value") }

  private mutating func number() throws(TextProblem) -> JSONNode.Content? {
    let start = index
    guard let (text, isInteger) = try numberText() else { return nil }
    if isInteger {
      guard let number = Int(text) else { throw problem("\(text) does not fit in an Int", at: start) }
      return .int(number)
    }
    guard let number = Double(text), number.isFinite else {
      throw problem("\(text) does not fit in a Double", at: start)
    }
    return .double(number)
  }
}
