/// Reads JSON, strictly: no duplicate names, no numbers that are not what is written, and a position for every fault.
///
/// It stands on nothing but the standard library, because the generator of accessors does. What is read is taken part
/// by part, so that nothing is made of what nobody wants.
package struct JSONReader {
  /// How deep values may be nested.
  static let maximumDepth = 128

  /// The bytes that mean something.
  enum Byte {
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let brace = UInt8(ascii: "{")
    static let braceEnd = UInt8(ascii: "}")
    static let bracket = UInt8(ascii: "[")
    static let bracketEnd = UInt8(ascii: "]")
    static let comma = UInt8(ascii: ",")
    static let colon = UInt8(ascii: ":")
    static let minus = UInt8(ascii: "-")
    static let zero = UInt8(ascii: "0")
    static let nine = UInt8(ascii: "9")
  }

  // Sound: the reader lives as long as `read(_:_:)` runs, and no index is used that is not less than their number.
  private let bytes: UnsafeBufferPointer<UInt8>
  private let trailingCommas: TrailingCommas

  /// The index of the next byte.
  private(set) var index = 0
  private var depth = 0

  /// Whether a comma may stand before a closing bracket.
  package enum TrailingCommas: Sendable {
    /// It is an error, as in JSON.
    case refused

    /// It is read over, as Foundation does.
    case accepted
  }

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ trailingCommas: TrailingCommas) {
    self.bytes = bytes
    self.trailingCommas = trailingCommas
  }

  /// Reads a text; what `body` reads must be all of it.
  ///
  /// - Throws: ``TextProblem``.
  static func read<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, trailingCommas: TrailingCommas = .refused,
    _ body: (inout JSONReader) throws(TextProblem) -> Result
  ) throws(TextProblem) -> Result {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw TextProblem("there are bytes that are no UTF-8", at: TextPosition(of: firstInvalid(in: bytes), in: bytes))
    }
    var reader = JSONReader(bytes, trailingCommas)
    if bytes.starts(with: ByteOrderMark.bytes) { reader.index = ByteOrderMark.bytes.count }
    reader.skipSpace()
    let result = try body(&reader)
    reader.skipSpace()
    guard reader.isAtEnd else { throw reader.problem("there is more than one value") }
    return result
  }

  private static func firstInvalid(in bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    var index = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { index += UTF8.width(scalar) }
    return index
  }

  // MARK: Objects and arrays

  /// Goes into the object or array that begins here, and says whether there is anything in it.
  mutating func enter(_ end: UInt8) throws(TextProblem) -> Bool {
    depth += 1
    guard depth <= Self.maximumDepth else { throw problem("values are nested more than \(Self.maximumDepth) deep") }
    index += 1
    skipSpace()
    return !leaves(end)
  }

  /// Goes on behind an element, and says whether there is another one.
  mutating func goOn(to end: UInt8) throws(TextProblem) -> Bool {
    skipSpace()
    if leaves(end) { return false }
    guard peek == Byte.comma else {
      throw problem("there is neither a comma nor a \"\(Character(UnicodeScalar(end)))\"")
    }
    index += 1
    skipSpace()
    guard peek == end else { return true }
    guard trailingCommas == .accepted else { throw problem("there is nothing after a comma") }
    return !leaves(end)
  }

  private mutating func leaves(_ end: UInt8) -> Bool {
    guard peek == end else { return false }
    index += 1
    depth -= 1
    return true
  }

  /// The name of a member, up to its value.
  mutating func name() throws(TextProblem) -> String {
    try beginName()
    let name = try string()
    try endName()
    return name
  }

  /// Which one of some names the next one is, up to its value; any other, or one with escapes, is not read.
  mutating func name(among names: [StaticString]) throws(TextProblem) -> Int? {
    try beginName()
    let start = index
    if let plain = try plainString() {
      for (number, name) in names.enumerated() where name.utf8CodeUnitCount == plain.count {
        // Sound: the name has as many bytes.
        guard plain.allSatisfy({ bytes[$0] == name.utf8Start[$0 - plain.lowerBound] }) else { continue }
        try endName()
        return number
      }
    }
    index = start
    return nil
  }

  private func beginName() throws(TextProblem) {
    guard peek == Byte.quote else { throw problem("there is no name in quotation marks") }
  }

  private mutating func endName() throws(TextProblem) {
    skipSpace()
    guard peek == Byte.colon else { throw problem("there is no colon") }
    index += 1
    skipSpace()
  }

  /// Goes on at a byte further behind, because what stands in between is known.
  mutating func skip(to end: Int) { index = end }

  // MARK: Numbers and words

  /// Reads over a number, and says whether it is a whole one.
  mutating func skipNumber() throws(TextProblem) -> Bool {
    let start = index
    if peek == Byte.minus { index += 1 }
    let isZero = peek == Byte.zero
    let count = try digits()
    guard !isZero || count == 1 else { throw problem("a number begins with 0", at: start) }
    var isInteger = true
    if peek == UInt8(ascii: ".") {
      isInteger = false
      index += 1
      try digits()
    }
    if peek | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      index += 1
      if peek == UInt8(ascii: "+") || peek == Byte.minus { index += 1 }
      try digits()
    }
    return isInteger
  }

  @discardableResult
  private mutating func digits() throws(TextProblem) -> Int {
    let start = index
    while (Byte.zero...Byte.nine).contains(peek) { index += 1 }
    guard index > start else { throw problem("a number lacks a digit") }
    return index - start
  }

  /// Reads over a word, if it is the next one.
  mutating func skip(_ word: String) -> Bool {
    guard bytes[index...].starts(with: word.utf8) else { return false }
    index += word.utf8.count
    return true
  }

  // MARK: Strings

  /// The string that begins here.
  mutating func string() throws(TextProblem) -> String {
    if let plain = try plainString() { return text(from: plain.lowerBound, to: plain.upperBound) }
    let start = index
    index += 1
    var text: [UInt8] = []
    while index < bytes.count {
      let byte = bytes[index]
      if byte == Byte.quote {
        index += 1
        return String(decoding: text, as: UTF8.self)
      } else if byte == Byte.backslash {
        try escape(into: &text)
      } else if byte < 0x20 {
        throw problem("a string contains a control character")
      } else {
        text.append(byte)
        index += 1
      }
    }
    throw problem("a string has no end", at: start)
  }

  /// Where the bytes of the string are that begins here; `nil`, and nothing is read, if it is not written as it is.
  private mutating func plainString() throws(TextProblem) -> Range<Int>? {
    let first = index + 1
    var end = first
    // Eight at once, as long as none of them is a quotation mark, a backslash or a control character.
    while end + 8 <= bytes.count {
      // Sound: there are eight bytes.
      let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: end, as: UInt64.self)
      let special = UInt64(littleEndian: word).specialBytes
      guard special == 0 else {
        end += special.trailingZeroBitCount / 8
        break
      }
      end += 8
    }
    while end < bytes.count, bytes[end] >= 0x20, bytes[end] != Byte.quote, bytes[end] != Byte.backslash { end += 1 }
    guard end < bytes.count else { throw problem("a string has no end") }
    if bytes[end] == Byte.backslash { return nil }
    if bytes[end] < 0x20 { throw problem("a string contains a control character", at: end) }
    index = end + 1
    return first..<end
  }

  /// The text of some bytes.
  func text(from start: Int, to end: Int) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
  }

  private mutating func escape(into text: inout [UInt8]) throws(TextProblem) {
    let start = index
    index += 1
    let letter = peek
    index += 1
    switch letter {
    case Byte.quote, Byte.backslash, UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      let unit = try codeUnit()
      var units = [unit]
      if UTF16.isLeadSurrogate(unit) {
        guard skip("\\u") else { throw problem("a string contains half a character", at: start) }
        units.append(try codeUnit())
      }
      guard let decoded = String(validating: units, as: UTF16.self) else {
        throw problem("a string contains half a character", at: start)
      }
      text += decoded.utf8
    default: throw problem("a string contains an unknown escape", at: start)
    }
  }

  private mutating func codeUnit() throws(TextProblem) -> UInt16 {
    let digits = bytes[min(index, bytes.count)...].prefix(4)
    guard digits.count == 4, !digits.contains(UInt8(ascii: "+")), !digits.contains(Byte.minus),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw problem("an escape lacks a digit") }
    index += 4
    return unit
  }

  // MARK: Bytes

  /// Whether there are no more bytes.
  var isAtEnd: Bool { index >= bytes.count }

  /// The next byte; at the end, one that begins nothing.
  var peek: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private mutating func skipSpace() {
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      index += 1
    }
  }

  func problem(_ reason: String, at offset: Int? = nil) -> TextProblem {
    TextProblem(reason, at: TextPosition(of: offset ?? index, in: bytes))
  }

  func repetition(of name: String, at offset: Int, first: Int) -> TextProblem {
    let line = TextPosition(of: first, in: bytes).line
    return problem(
      "the name \(name.debugDescription) stands here a second time; the first is in line \(line)", at: offset
    )
  }
}

@available(*, unavailable)
extension JSONReader: Sendable {}

extension UInt64 {
  /// The highest bit of each byte that is a quotation mark, a backslash or a control character; only the lowest one
  /// counts.
  fileprivate var specialBytes: UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = self ^ (ones &* UInt64(JSONReader.Byte.quote))
    let backslashes = self ^ (ones &* UInt64(JSONReader.Byte.backslash))
    let zeros = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
    return (zeros | (self &- ones &* 0x20) & ~self) & (ones &* 0x80)
  }
}
