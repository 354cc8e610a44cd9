extension JSONReader {
  /// Skips the number that begins here.
  ///
  /// - Returns: Whether it is written as a whole one.
  mutating func skipNumber() throws(TextProblem) -> Bool {
    let start = index
    if peek == JSONByte.minus { index += 1 }
    let isZero = peek == JSONByte.zero
    let count = try digits()
    guard !isZero || count == 1 else { throw problem("a number begins with 0", at: start) }
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
    guard index > start else { throw problem("a number lacks a digit") }
    return index - start
  }

  /// A Boolean value that indicates whether a number begins here.
  var isAtNumber: Bool {
    let byte = peek
    return byte == JSONByte.minus || byte >= JSONByte.zero && byte <= JSONByte.nine
  }

  /// Skips a text, if it is the next one.
  mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard count <= bytes.count - index else { return false }
    // Sound: the text has as many bytes.
    for offset in 0..<count where bytes[index + offset] != text.utf8Start[offset] { return false }
    index += count
    return true
  }

  /// Reads the value that begins here, which is no object and no array.
  mutating func scalar() throws(TextProblem) -> JSONNode.Content {
    if peek == JSONByte.quote { return .string(try string()) }
    if isAtNumber { return try number() }
    if skip("true") { return .bool(true) }
    if skip("false") { return .bool(false) }
    if skip("null") { return .null }
    throw noValue
  }

  /// The problem that no value begins here.
  var noValue: TextProblem { problem(isAtEnd ? "the text ends where a value should be" : "there is no value") }

  private mutating func number() throws(TextProblem) -> JSONNode.Content {
    let start = index
    let isInteger = try skipNumber()
    let text = text(of: start..<index)
    if isInteger {
      guard let number = Int(text) else { throw problem("\(text) is larger than an Int can be", at: start) }
      return .int(number)
    }
    guard let number = Double(text), number.isFinite else {
      throw problem("\(text) is larger than a Double can be", at: start)
    }
    return .double(number)
  }
}
