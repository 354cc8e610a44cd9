/// A strict pull parser for JSON that reports the line and column of every problem.
///
/// It depends only on the standard library, so build tools can use it. The caller reads the parts one by one, and
/// skipped parts create no values.
///
/// - **Encoding:** The text is UTF-8. A byte-order mark at the beginning is ignored and does not count as a column.
/// - **Depth:** Arrays and objects may be nested up to ``maximumDepth``. No method recurses into a value, so the size
///   of the stack does not matter.
/// - **Duplicates:** The reader itself reports all members of an object, in order. ``node()``, and any caller that uses
///   a ``NameList``, rejects a second member with the same name. Names are compared as strings, so canonically
///   equivalent names are equal.
/// - **Numbers:** Numbers are read as they are written. ``node()`` rejects numbers that neither `Int` nor `Double` can
///   hold; ``skipValue()`` and ``layOut(into:)`` accept them.
package struct JSONReader {
  /// The maximum nesting depth of arrays and objects, which is the same as Foundation's.
  package static let maximumDepth = 512

  /// A rule for a comma before a closing bracket.
  package enum TrailingCommas: Sendable {
    /// The comma is an error, as in JSON.
    case refused

    /// The comma is skipped, as in Foundation.
    case accepted
  }

  // Sound: the reader lives only while `read(_:trailingCommas:depth:_:)` runs, and every index is less than the count.
  package let bytes: UnsafeBufferPointer<UInt8>
  @usableFromInline let trailingCommas: TrailingCommas

  /// The index of the next byte.
  package internal(set) var index = 0

  /// The number of arrays and objects that enclose the next byte.
  @usableFromInline var depth = 0

  private init(_ bytes: UnsafeBufferPointer<UInt8>, _ trailingCommas: TrailingCommas, _ depth: Int) {
    self.bytes = bytes
    self.trailingCommas = trailingCommas
    self.depth = depth
  }

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - bytes: The text.
  ///   - trailingCommas: The rule for a comma before a closing bracket.
  ///   - depth: The number of arrays and objects that will enclose the value.
  ///   - body: A closure that reads the value, which is the whole text.
  /// - Returns: The result of `body`.
  /// - Throws: ``TextProblem``.
  package static func read<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, trailingCommas: TrailingCommas = .refused, depth: Int = 0,
    _ body: (inout JSONReader) throws(TextProblem) -> Result
  ) throws(TextProblem) -> Result {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw TextProblem("the text is not valid UTF-8", at: TextPosition(of: firstInvalid(in: bytes), in: bytes))
    }
    var reader = JSONReader(bytes, trailingCommas, depth)
    if bytes.starts(with: ByteOrderMark.bytes) { reader.index = ByteOrderMark.bytes.count }
    reader.skipSpace()
    let result = try body(&reader)
    reader.skipSpace()
    guard reader.isAtEnd else { throw reader.problem("unexpected text after the value") }
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

  /// Enters the object or array at the current position.
  ///
  /// - Parameter end: Its closing bracket.
  /// - Returns: `true` if it is not empty.
  /// - Throws: ``TextProblem``.
  @inlinable
  package mutating func enter(_ end: UInt8) throws(TextProblem) -> Bool {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw problem("values are nested more than \(Self.maximumDepth) levels deep")
    }
    index += 1
    skipSpace()
    return !leaves(end)
  }

  /// Continues after an element.
  ///
  /// - Parameter end: The closing bracket of the object or array.
  /// - Returns: `true` if there is another element.
  /// - Throws: ``TextProblem``.
  @inlinable
  package mutating func goOn(to end: UInt8) throws(TextProblem) -> Bool {
    skipSpace()
    if leaves(end) { return false }
    guard peek == JSONByte.comma else {
      throw problem("expected a comma or \"\(Character(UnicodeScalar(end)))\"")
    }
    index += 1
    skipSpace()
    guard peek == end else { return true }
    guard trailingCommas == .accepted else { throw problem("a trailing comma is not allowed") }
    return !leaves(end)
  }

  @inlinable
  mutating func leaves(_ end: UInt8) -> Bool {
    guard peek == end else { return false }
    index += 1
    depth -= 1
    return true
  }

  /// The closing bracket of the object or array at the current position, or `nil` if there is none.
  var closingBracket: UInt8? {
    let byte = peek
    if byte == JSONByte.openingBrace { return JSONByte.closingBrace }
    return byte == JSONByte.openingBracket ? JSONByte.closingBracket : nil
  }

  /// Reads the name of a member, and stops before its value.
  package mutating func name() throws(TextProblem) -> String {
    let name = try nameString()
    try endName()
    return unescaped(name)
  }

  /// Reads the name of a member and stops before its value, if the name is one of a list and is written without
  /// escapes.
  ///
  /// - Returns: The index of the name, or `nil` if it is a different one, which is then not read.
  @inlinable
  package mutating func name(among names: [StaticString]) throws(TextProblem) -> Int? {
    let start = index
    let found = try nameString()
    if !found.hasEscapes {
      for (number, name) in names.enumerated() where name.utf8CodeUnitCount == found.range.count {
        guard contains(name, at: found.range.lowerBound) else { continue }
        try endName()
        return number
      }
    }
    index = start
    return nil
  }

  @inlinable @inline(__always)
  mutating func nameString() throws(TextProblem) -> JSONString {
    guard peek == JSONByte.quote else { throw problem("expected a name in quotation marks") }
    return try scanString()
  }

  @inlinable
  mutating func endName() throws(TextProblem) {
    skipSpace()
    guard peek == JSONByte.colon else { throw problem("expected a colon") }
    index += 1
    skipSpace()
  }

  /// Skips to a later byte, because the text in between is known.
  @inlinable
  package mutating func skip(to end: Int) { index = end }

  // MARK: Bytes

  /// A Boolean value that indicates whether the end has been reached.
  @inlinable package var isAtEnd: Bool { index >= bytes.count }

  /// The next byte; at the end, a byte that no value begins with.
  @inlinable package var peek: UInt8 { index < bytes.count ? bytes[index] : 0 }

  @inlinable
  mutating func skipSpace() {
    while index < bytes.count {
      let byte = bytes[index]
      guard
        byte == JSONByte.space || byte == JSONByte.lineFeed || byte == JSONByte.carriageReturn || byte == JSONByte.tab
      else { return }
      index += 1
    }
  }

  /// Returns a problem at a byte, by default the next one.
  package func problem(_ reason: String, at offset: Int? = nil) -> TextProblem {
    TextProblem(reason, at: TextPosition(of: offset ?? index, in: bytes))
  }

  /// Returns the problem of a member that has the same name as an earlier one.
  package func repetition(of name: String, at offset: Int, first: Int) -> TextProblem {
    let line = TextPosition(of: first, in: bytes).line
    return problem(
      "duplicate name \(name.debugDescription); the first one is on line \(line)", at: offset
    )
  }
}

@available(*, unavailable)
extension JSONReader: Sendable {}

/// The bytes that have a meaning in JSON.
///
/// Compare them with `==`, not in a `switch`, which calls a function for each case in code that is not optimised.
package enum JSONByte {
  package static let tab: UInt8 = 0x09
  package static let lineFeed: UInt8 = 0x0A
  package static let carriageReturn: UInt8 = 0x0D
  package static let space: UInt8 = 0x20
  package static let quote: UInt8 = 0x22
  package static let comma: UInt8 = 0x2C
  package static let minus: UInt8 = 0x2D
  package static let plus: UInt8 = 0x2B
  package static let dot: UInt8 = 0x2E
  package static let zero: UInt8 = 0x30
  package static let nine: UInt8 = 0x39
  package static let colon: UInt8 = 0x3A
  package static let openingBracket: UInt8 = 0x5B
  package static let backslash: UInt8 = 0x5C
  package static let closingBracket: UInt8 = 0x5D
  package static let letterE: UInt8 = 0x65
  package static let letterU: UInt8 = 0x75
  package static let openingBrace: UInt8 = 0x7B
  package static let closingBrace: UInt8 = 0x7D
}
