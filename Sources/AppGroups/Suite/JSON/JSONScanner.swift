import Foundation

/// Reads JSON text, strictly, and writes it down again in one and the same layout, without decoding any value.
///
/// Numbers and strings pass through letter by letter, so a number that no type of ours can hold, or an escape that
/// nobody else would use, is what it was. Only the white space between them changes, and thus equal values look the
/// same whoever laid them out.
struct JSONScanner {
  /// How deep arrays and objects may be nested: as deep as in Foundation.
  static let maximumDepth = 512

  /// How deep they may be nested and still have a line for each element; whatever is deeper is written without white
  /// space, which could otherwise make a text hundreds of times as long.
  static let maximumIndentedDepth = 8

  // Sound: the scanner does not outlive the call that made it, and no index is used that is not less than their number.
  let bytes: UnsafeBufferPointer<UInt8>
  var index = 0
  private var depth = 0

  /// What has been read since it was last taken.
  var output: [UInt8] = []

  init(_ bytes: UnsafeBufferPointer<UInt8>, depth: Int = 0) throws(JSONSyntaxError) {
    self.bytes = bytes
    self.depth = depth
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw JSONSyntaxError("there are bytes that are no UTF-8", at: JSONScanner.firstInvalid(of: bytes), in: bytes)
    }
    // A mark at the beginning, which some editors leave, is no part of the text.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// A member of an object.
  enum Member {
    /// It stands there to the letter as one that is known; its place in the list of those.
    case known(Int)
    case new(name: String, text: Data)
  }

  /// The members of the object that a text consists of, in their order, with the text of each value.
  ///
  /// - Parameters:
  ///   - text: JSON.
  ///   - known: Members, from name to value, as they are likely to stand there, about in this order. They are
  ///     recognised and not read.
  /// - Returns: The members.
  /// - Throws: ``JSONSyntaxError``.
  static func members(of text: Data, known: [Data] = []) throws -> [Member] {
    // Sound: the scanner does not outlive the bytes.
    try text.withUnsafeBytes { bytes in
      var scanner = try JSONScanner(bytes.bindMemory(to: UInt8.self))
      var members: [Member] = []
      var next = 0
      try scanner.sequence(from: JSONByte.openingBrace, to: JSONByte.closingBrace) { scanner throws(JSONSyntaxError) in
        // The next one, or the one after that if it was changed or removed.
        for candidate in next..<Swift.min(next + 2, known.count) where scanner.skip(known[candidate]) {
          next = candidate + 1
          return members.append(.known(candidate))
        }
        let start = scanner.index
        try scanner.string()
        let name = scanner.unescaped(start + 1..<scanner.index - 1)
        scanner.output.removeAll(keepingCapacity: true)
        try scanner.colon()
        try scanner.value()
        members.append(.new(name: name, text: scanner.takeOutput()))
      }
      try scanner.end()
      return members
    }
  }

  /// Passes over a member if it stands here to the letter, and does not go on.
  private mutating func skip(_ known: Data) -> Bool {
    let end = index + known.count
    // A number might go on behind it.
    guard end < bytes.count, bytes[end] == JSONByte.comma || bytes[end] == JSONByte.lineFeed else { return false }
    let here = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[index..<end])
    guard let address = here.baseAddress,
      known.withUnsafeBytes({ $0.baseAddress.map { memcmp($0, address, here.count) } }) == 0
    else { return false }
    index = end
    return true
  }

  /// The text of a value, laid out as that of a member.
  ///
  /// - Throws: ``JSONSyntaxError``.
  static func value(of text: Data) throws -> Data {
    // Sound: the scanner does not outlive the bytes.
    try text.withUnsafeBytes { bytes in
      var scanner = try JSONScanner(bytes.bindMemory(to: UInt8.self), depth: 1)
      scanner.skipSpace()
      try scanner.value()
      try scanner.end()
      return scanner.takeOutput()
    }
  }

  // MARK: Structure

  mutating func value() throws(JSONSyntaxError) {
    let byte = peek
    if byte == JSONByte.quote {
      try string()
    } else if isDigit || byte == JSONByte.minus {
      try number()
    } else if byte == JSONByte.openingBrace {
      try container(to: JSONByte.closingBrace) { scanner throws(JSONSyntaxError) in
        try scanner.string()
        try scanner.colon()
        scanner.output += (scanner.isIndented ? " : " : ":").utf8
        try scanner.value()
      }
    } else if byte == JSONByte.openingBracket {
      try container(to: JSONByte.closingBracket) { scanner throws(JSONSyntaxError) in
        try scanner.value()
      }
    } else {
      try word()
    }
  }

  /// Whether each element of the innermost array or object has a line of its own.
  private var isIndented: Bool { depth <= Self.maximumIndentedDepth }

  /// Reads an array or an object, and writes each element on a line of its own, unless that is nested deep.
  private mutating func container(
    to last: UInt8, _ element: (inout JSONScanner) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    let first = peek
    output.append(first)
    var isEmpty = true
    try sequence(from: first, to: last) { scanner throws(JSONSyntaxError) in
      if !isEmpty { scanner.output.append(JSONByte.comma) }
      isEmpty = false
      if scanner.isIndented { scanner.breakLine() }
      try element(&scanner)
    }
    if !isEmpty, depth < Self.maximumIndentedDepth { breakLine() }
    output.append(last)
  }

  /// Reads what stands between brackets, with commas in between.
  mutating func sequence(
    from first: UInt8, to last: UInt8, _ element: (inout JSONScanner) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    skipSpace()
    guard peek == first else { throw failure("there is no object") }
    depth += 1
    guard depth <= Self.maximumDepth else { throw failure("values are nested more than \(Self.maximumDepth) deep") }
    index += 1
    skipSpace()
    if peek == last {
      index += 1
    } else {
      while true {
        try element(&self)
        skipSpace()
        let byte = peek
        guard byte == JSONByte.comma || byte == last else {
          throw failure("there is neither a comma nor a \"\(Character(UnicodeScalar(last)))\"")
        }
        index += 1
        if byte == last { break }
        skipSpace()
      }
    }
    depth -= 1
  }

  mutating func colon() throws(JSONSyntaxError) {
    skipSpace()
    guard peek == JSONByte.colon else { throw failure("there is no colon") }
    index += 1
    skipSpace()
  }

  mutating func end() throws(JSONSyntaxError) {
    skipSpace()
    guard index == bytes.count else { throw failure("there is more than one value") }
  }

  mutating func skipSpace() {
    while true {
      let byte = peek
      guard
        byte == JSONByte.space || byte == JSONByte.lineFeed || byte == JSONByte.carriageReturn || byte == JSONByte.tab
      else { return }
      index += 1
    }
  }

  // MARK: Writing

  private mutating func breakLine() {
    output.append(JSONByte.lineFeed)
    output.append(contentsOf: repeatElement(JSONByte.space, count: 2 * depth))
  }

  /// Writes what has been read since `start` as it is.
  private mutating func pass(from start: Int) {
    output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
  }

  private mutating func takeOutput() -> Data {
    defer { output.removeAll(keepingCapacity: true) }
    return Data(output)
  }

  // MARK: Tokens

  /// The next byte; at the end, one that begins nothing.
  var peek: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private var isDigit: Bool { peek >= JSONByte.zero && peek <= JSONByte.nine }

  private mutating func word() throws(JSONSyntaxError) {
    let start = index
    let rest = bytes[index...]
    guard let word = ["true", "false", "null"].first(where: { rest.starts(with: $0.utf8) }) else {
      throw failure("there is no value")
    }
    index += word.utf8.count
    pass(from: start)
  }

  private mutating func number() throws(JSONSyntaxError) {
    let start = index
    if peek == JSONByte.minus { index += 1 }
    let isZero = peek == JSONByte.zero
    let count = try digits()
    guard !isZero || count == 1 else { throw failure("a number begins with 0") }
    if peek == JSONByte.dot {
      index += 1
      try digits()
    }
    if peek | 0x20 == JSONByte.letterE {
      index += 1
      if peek == JSONByte.plus || peek == JSONByte.minus { index += 1 }
      try digits()
    }
    pass(from: start)
  }

  @discardableResult
  private mutating func digits() throws(JSONSyntaxError) -> Int {
    let start = index
    while isDigit { index += 1 }
    guard index > start else { throw failure("a number lacks a digit") }
    return index - start
  }

  mutating func string() throws(JSONSyntaxError) {
    guard peek == JSONByte.quote else { throw failure("there is no name in quotation marks") }
    let start = index
    index += 1
    while index < bytes.count {
      let byte = bytes[index]
      if byte == JSONByte.quote {
        index += 1
        return pass(from: start)
      } else if byte == JSONByte.backslash {
        try escape()
      } else if byte < JSONByte.space {
        throw failure("a string contains a control character")
      } else {
        index += 1
      }
    }
    throw JSONSyntaxError("a string has no end", at: start, in: bytes)
  }

  func failure(_ reason: String) -> JSONSyntaxError {
    JSONSyntaxError(reason, at: index, in: bytes)
  }

  private static func firstInvalid(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    var index = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { index += UTF8.width(scalar) }
    return index
  }
}

@available(*, unavailable)
extension JSONScanner: Sendable {}
