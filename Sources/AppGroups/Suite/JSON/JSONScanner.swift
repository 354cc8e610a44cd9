/// Reads JSON text, strictly, and writes it down again in one and the same layout, without decoding any value.
///
/// Numbers and strings pass through letter by letter, so a number that no type of ours can hold, or an escape that nobody
/// else would use, is what it was. Only the white space between them changes, and thus equal values look the same whoever
/// laid them out.
struct JSONScanner {
  /// How deep arrays and objects may be nested: as deep as in Foundation.
  static let maximumDepth = 512

  let bytes: [UInt8]
  var index = 0
  private var depth = 0

  /// What has been read since it was last taken.
  private var output: [UInt8] = []

  private init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
    self.bytes = bytes
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw JSONSyntaxError("there are bytes that are no UTF-8", at: JSONScanner.firstInvalid(of: bytes), in: bytes)
    }
    // A mark at the beginning, which some editors leave, is no part of the text.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
  }

  /// The members of the object that a text consists of, in their order, with the text of each value.
  static func members(of bytes: [UInt8]) throws(JSONSyntaxError) -> [(name: String, text: [UInt8])] {
    var scanner = try JSONScanner(bytes)
    var members: [(name: String, text: [UInt8])] = []
    try scanner.sequence(from: UInt8(ascii: "{"), to: UInt8(ascii: "}")) { scanner throws(JSONSyntaxError) in
      let start = scanner.index
      try scanner.string()
      let name = scanner.unescaped(start + 1..<scanner.index - 1)
      scanner.output.removeAll(keepingCapacity: true)
      try scanner.colon()
      try scanner.value(indent: 2)
      members.append((name, scanner.output))
      scanner.output.removeAll(keepingCapacity: true)
    }
    try scanner.end()
    return members
  }

  /// The text of a value, laid out as that of a member.
  static func value(of bytes: [UInt8]) throws(JSONSyntaxError) -> [UInt8] {
    var scanner = try JSONScanner(bytes)
    scanner.skipSpace()
    try scanner.value(indent: 2)
    try scanner.end()
    return scanner.output
  }

  // MARK: Structure

  private mutating func value(indent: Int) throws(JSONSyntaxError) {
    switch peek {
    case UInt8(ascii: "{"):
      try container(to: UInt8(ascii: "}"), indent: indent) { scanner throws(JSONSyntaxError) in
        try scanner.string()
        try scanner.colon()
        scanner.output += " : ".utf8
        try scanner.value(indent: indent + 2)
      }
    case UInt8(ascii: "["):
      try container(to: UInt8(ascii: "]"), indent: indent) { scanner throws(JSONSyntaxError) in
        try scanner.value(indent: indent + 2)
      }
    case UInt8(ascii: "\""): try string()
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
    case UInt8(ascii: "t"): try word("true")
    case UInt8(ascii: "f"): try word("false")
    case UInt8(ascii: "n"): try word("null")
    default: throw failure("there is no value")
    }
  }

  /// Reads an array or an object, and writes each element on a line of its own.
  private mutating func container(
    to last: UInt8, indent: Int, _ element: (inout JSONScanner) throws(JSONSyntaxError) -> Void
  ) throws(JSONSyntaxError) {
    output.append(bytes[index])
    var isEmpty = true
    try sequence(from: bytes[index], to: last) { scanner throws(JSONSyntaxError) in
      if !isEmpty { scanner.output.append(UInt8(ascii: ",")) }
      isEmpty = false
      scanner.breakLine(indent: indent + 2)
      try element(&scanner)
    }
    if !isEmpty { breakLine(indent: indent) }
    output.append(last)
  }

  /// Reads what stands between brackets, with commas in between.
  private mutating func sequence(
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
        guard byte == UInt8(ascii: ",") || byte == last else {
          throw failure("there is neither a comma nor a \"\(Character(UnicodeScalar(last)))\"")
        }
        index += 1
        if byte == last { break }
        skipSpace()
      }
    }
    depth -= 1
  }

  private mutating func colon() throws(JSONSyntaxError) {
    skipSpace()
    guard peek == UInt8(ascii: ":") else { throw failure("there is no colon") }
    index += 1
    skipSpace()
  }

  private mutating func end() throws(JSONSyntaxError) {
    skipSpace()
    guard index == bytes.count else { throw failure("there is more than one value") }
  }

  private mutating func skipSpace() {
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): index += 1
      default: return
      }
    }
  }

  private mutating func breakLine(indent: Int) {
    output.append(UInt8(ascii: "\n"))
    output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent))
  }

  // MARK: Tokens

  /// The next byte; at the end, one that begins nothing.
  var peek: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private mutating func word(_ word: String) throws(JSONSyntaxError) {
    guard bytes[index...].starts(with: word.utf8) else { throw failure("there is no value") }
    output += word.utf8
    index += word.utf8.count
  }

  private mutating func number() throws(JSONSyntaxError) {
    let start = index
    if peek == UInt8(ascii: "-") { index += 1 }
    let isZero = peek == UInt8(ascii: "0")
    let count = try digits()
    guard !isZero || count == 1 else { throw failure("a number begins with 0") }
    if peek == UInt8(ascii: ".") {
      index += 1
      try digits()
    }
    if peek | 0x20 == UInt8(ascii: "e") {
      index += 1
      if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { index += 1 }
      try digits()
    }
    output += bytes[start..<index]
  }

  @discardableResult
  private mutating func digits() throws(JSONSyntaxError) -> Int {
    let start = index
    while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(peek) { index += 1 }
    guard index > start else { throw failure("a number lacks a digit") }
    return index - start
  }

  private mutating func string() throws(JSONSyntaxError) {
    guard peek == UInt8(ascii: "\"") else { throw failure("there is no name in quotation marks") }
    let start = index
    index += 1
    while index < bytes.count {
      switch bytes[index] {
      case UInt8(ascii: "\""):
        index += 1
        output += bytes[start..<index]
        return
      case UInt8(ascii: "\\"): try escape()
      case 0..<0x20: throw failure("a string contains a control character")
      default: index += 1
      }
    }
    throw JSONSyntaxError("a string has no end", at: start, in: bytes)
  }

  func failure(_ reason: String) -> JSONSyntaxError {
    JSONSyntaxError(reason, at: index, in: bytes)
  }

  private static func firstInvalid(of bytes: [UInt8]) -> Int {
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    var index = 0
    while case .scalarValue(let scalar) = decoder.decode(&iterator) { index += UTF8.width(scalar) }
    return index
  }
}
