/// Reads JSON, strictly: no duplicate names, no numbers that are not what is written, and a position for every fault.
///
/// It stands on nothing but the standard library, because the generator of accessors does.
package struct JSONReader {
  /// How deep values may be nested.
  static let maximumDepth = 128

  private let bytes: [UInt8]
  private var index = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The value that a text consists of.
  ///
  /// - Throws: ``TextProblem``.
  package static func read(_ bytes: [UInt8]) throws(TextProblem) -> JSONNode {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw TextProblem("there are bytes that are no UTF-8", at: TextPosition(of: firstInvalid(in: bytes), in: bytes))
    }
    var reader = JSONReader(bytes)
    // A mark at the beginning, which some editors leave, is no part of the text.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { reader.index = 3 }
    reader.skipSpace()
    let node = try reader.value()
    reader.skipSpace()
    guard reader.index == bytes.count else { throw reader.problem("there is more than one value") }
    return node
  }

  // MARK: Values

  private mutating func value() throws(TextProblem) -> JSONNode {
    let start = index
    switch peek {
    case UInt8(ascii: "{"): return JSONNode(content: .object(try members()), offset: start)
    case UInt8(ascii: "["): return JSONNode(content: .array(try elements()), offset: start)
    case UInt8(ascii: "\""): return JSONNode(content: .string(try string()), offset: start)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      return JSONNode(content: try number(), offset: start)
    default:
      for (word, content) in [("true", JSONNode.Content.bool(true)), ("false", .bool(false)), ("null", .null)]
      where bytes[index...].starts(with: word.utf8) {
        index += word.utf8.count
        return JSONNode(content: content, offset: start)
      }
      throw problem(index < bytes.count ? "there is no value" : "the text ends where a value should be")
    }
  }

  private mutating func members() throws(TextProblem) -> [JSONMember] {
    var members: [JSONMember] = []
    var places: [String: Int] = [:]
    try sequence(to: UInt8(ascii: "}")) { reader throws(TextProblem) in
      let start = reader.index
      guard reader.peek == UInt8(ascii: "\"") else { throw reader.problem("there is no name in quotation marks") }
      let name = try reader.string()
      reader.skipSpace()
      guard reader.peek == UInt8(ascii: ":") else { throw reader.problem("there is no colon") }
      reader.index += 1
      reader.skipSpace()
      if let first = places.updateValue(start, forKey: name) {
        let line = TextPosition(of: first, in: reader.bytes).line
        throw TextProblem(
          "the name \(name.debugDescription) stands here a second time; the first is in line \(line)",
          at: TextPosition(of: start, in: reader.bytes)
        )
      }
      members.append(JSONMember(name: name, offset: start, value: try reader.value()))
    }
    return members
  }

  private mutating func elements() throws(TextProblem) -> [JSONNode] {
    var elements: [JSONNode] = []
    try sequence(to: UInt8(ascii: "]")) { reader throws(TextProblem) in elements.append(try reader.value()) }
    return elements
  }

  /// Reads what stands between brackets, with commas in between.
  private mutating func sequence(
    to last: UInt8, _ element: (inout JSONReader) throws(TextProblem) -> Void
  ) throws(TextProblem) {
    depth += 1
    guard depth <= Self.maximumDepth else { throw problem("values are nested more than \(Self.maximumDepth) deep") }
    index += 1
    skipSpace()
    if peek == last {
      index += 1
    } else {
      while true {
        try element(&self)
        skipSpace()
        let byte = peek
        guard byte == UInt8(ascii: ",") || byte == last else {
          throw problem("there is neither a comma nor a \"\(Character(UnicodeScalar(last)))\"")
        }
        index += 1
        if byte == last { break }
        skipSpace()
        if peek == last { throw problem("there is nothing after a comma") }
      }
    }
    depth -= 1
  }

  // MARK: Numbers

  private mutating func number() throws(TextProblem) -> JSONNode.Content {
    let start = index
    if peek == UInt8(ascii: "-") { index += 1 }
    let isZero = peek == UInt8(ascii: "0")
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
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    let text = String(decoding: bytes[start..<index], as: UTF8.self)
    if isInteger {
      guard let number = Int(text) else { throw problem("\(text) is larger than an Int can be", at: start) }
      return .int(number)
    }
    guard let number = Double(text), number.isFinite else {
      throw problem("\(text) is larger than a Double can be", at: start)
    }
    return .double(number)
  }

  @discardableResult
  private mutating func digits() throws(TextProblem) -> Int {
    let start = index
    while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(peek) { index += 1 }
    guard index > start else { throw problem("a number lacks a digit") }
    return index - start
  }

  // MARK: Strings

  private mutating func string() throws(TextProblem) -> String {
    let start = index
    index += 1
    let first = index
    while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\") {
      if bytes[index] < 0x20 { throw problem("a string contains a control character") }
      index += 1
    }
    if peek == UInt8(ascii: "\"") {
      defer { index += 1 }
      return String(decoding: bytes[first..<index], as: UTF8.self)
    }
    var text = Array(bytes[first..<index])
    while index < bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        index += 1
        return String(decoding: text, as: UTF8.self)
      } else if byte == UInt8(ascii: "\\") {
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

  private mutating func escape(into text: inout [UInt8]) throws(TextProblem) {
    let start = index
    index += 1
    let letter = peek
    index += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      let unit = try codeUnit()
      var units = [unit]
      if UTF16.isLeadSurrogate(unit) {
        guard bytes[index...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
          throw problem("a string contains half a character", at: start)
        }
        index += 2
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
    let digits = bytes[index...].prefix(4)
    guard digits.count == 4, !digits.contains(UInt8(ascii: "+")), !digits.contains(UInt8(ascii: "-")),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw problem("an escape lacks a digit") }
    index += 4
    return unit
  }

  // MARK: Bytes

  /// The next byte; at the end, one that begins nothing.
  private var peek: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private mutating func skipSpace() {
    while index < bytes.count {
      let byte = bytes[index]
      guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
      index += 1
    }
  }

  private func problem(_ reason: String, at offset: Int? = nil) -> TextProblem {
    TextProblem(reason, at: TextPosition(of: offset ?? index, in: bytes))
  }

  private static func firstInvalid(in bytes: [UInt8]) -> Int {
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    var index = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { index += UTF8.width(scalar) }
    return index
  }
}

@available(*, unavailable)
extension JSONReader: Sendable {}
