/// A pull parser for JSON that accepts nothing but JSON, and has a line and a column for every problem.
///
/// It depends on nothing but the standard library, so that build tools can use it. The caller reads part by part, and
/// nothing is made of parts that it skips.
///
/// - **Encoding.** The text is UTF-8. A byte-order mark at its beginning is ignored and counts as no column.
/// - **Depth.** Arrays and objects are nested at most ``maximumDepth`` deep. No method recurses into a value, so the
///   size of the stack does not matter.
/// - **Duplicates.** The reader itself reports all members of an object, in their order. ``node()``, and a caller that
///   uses a ``NameList``, refuse a second member of the same name. Names are compared as strings, so names that Unicode
///   calls equal are the same.
/// - **Numbers.** They are read as they are written. ``node()`` refuses those that neither `Int` nor `Double` can hold;
///   ``skipValue()`` and ``layOut(into:)`` accept them.
package struct JSONReader {
  /// The number of arrays and objects that may be nested in one another: the same as in Foundation.
  package static let maximumDepth = 512

  /// The rule for a comma before a closing bracket.
  package enum TrailingCommas: Sendable {
    /// It is an error, as in JSON.
    case refused

    /// It is skipped, as Foundation does.
    case accepted
  }

  // Sound: the reader lives as long as `read(_:trailingCommas:depth:_:)` runs, and no index is used that is not less than
  // their number.
  package let bytes: UnsafeBufferPointer<UInt8>
  @usableFromInline let trailingCommas: TrailingCommas

  /// The index of the next byte.
  package internal(set) var index = 0

  /// The number of arrays and objects around the next byte.
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
  ///   - depth: The number of arrays and objects that the value is to be nested in.
  ///   - body: Reads the value that the text consists of, all of it.
  /// - Returns: What `body` returned.
  /// - Throws: ``TextProblem``.
  package static func read<Result>(
    _ bytes: UnsafeBufferPointer<UInt8>, trailingCommas: TrailingCommas = .refused, depth: Int = 0,
    _ body: (inout JSONReader) throws(TextProblem) -> Result
  ) throws(TextProblem) -> Result {
    guard String(validating: bytes, as: UTF8.self) != nil else {
      throw TextProblem("there are bytes that are no UTF-8", at: TextPosition(of: firstInvalid(in: bytes), in: bytes))
    }
    var reader = JSONReader(bytes, trailingCommas, depth)
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

  /// Enters the object or array that begins here.
  ///
  /// - Parameter end: Its closing bracket.
  /// - Returns: Whether there is anything in it.
  /// - Throws: ``TextProblem``.
  @inlinable
  package mutating func enter(_ end: UInt8) throws(TextProblem) -> Bool {
    depth += 1
    guard depth <= Self.maximumDepth else { throw problem("values are nested more than \(Self.maximumDepth) deep") }
    index += 1
    skipSpace()
    return !leaves(end)
  }

  /// Goes on behind an element.
  ///
  /// - Parameter end: The closing bracket of the object or array.
  /// - Returns: Whether there is another element.
  /// - Throws: ``TextProblem``.
  @inlinable
  package mutating func goOn(to end: UInt8) throws(TextProblem) -> Bool {
    skipSpace()
    if leaves(end) { return false }
    guard peek == JSONByte.comma else {
      throw problem("there is neither a comma nor a \"\(Character(UnicodeScalar(end)))\"")
    }
    index += 1
    skipSpace()
    guard peek == end else { return true }
    guard trailingCommas == .accepted else { throw problem("there is nothing after a comma") }
    return !leaves(end)
  }

  @inlinable
  mutating func leaves(_ end: UInt8) -> Bool {
    guard peek == end else { return false }
    index += 1
    depth -= 1
    return true
  }

  /// The closing bracket of the object or array that begins here; `nil` if none does.
  var closingBracket: UInt8? {
    let byte = peek
    if byte == JSONByte.openingBrace { return JSONByte.closingBrace }
    return byte == JSONByte.openingBracket ? JSONByte.closingBracket : nil
  }

  /// Reads the name of a member, up to its value.
  package mutating func name() throws(TextProblem) -> String {
    let name = try nameString()
    try endName()
    return unescaped(name)
  }

  /// Reads the name of a member if it is one of some names that is written without escapes, up to its value.
  ///
  /// - Returns: The index of the name; `nil` if it is another one, which is not read then.
  @inlinable
  package mutating func name(among names: [StaticString]) throws(TextProblem) -> Int? {
    let start = index
    let found = try nameString()
    if !found.hasEscapes {
      for (number, name) in names.enumerated() where name.utf8CodeUnitCount == found.range.count {
        // Sound: the name has as many bytes.
        guard found.range.allSatisfy({ bytes[$0] == name.utf8Start[$0 - found.range.lowerBound] }) else { continue }
        try endName()
        return number
      }
    }
    index = start
    return nil
  }

  @inlinable
  mutating func nameString() throws(TextProblem) -> JSONString {
    guard peek == JSONByte.quote else { throw problem("there is no name in quotation marks") }
    return try scanString()
  }

  @inlinable
  mutating func endName() throws(TextProblem) {
    skipSpace()
    guard peek == JSONByte.colon else { throw problem("there is no colon") }
    index += 1
    skipSpace()
  }

  /// Skips to a byte further on, because the text in between is known.
  @inlinable
  package mutating func skip(to end: Int) { index = end }

  // MARK: Bytes

  /// A Boolean value that indicates whether there are no more bytes.
  @inlinable package var isAtEnd: Bool { index >= bytes.count }

  /// The next byte; at the end, one that begins nothing.
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

  /// A problem at a byte, or at the next one.
  package func problem(_ reason: String, at offset: Int? = nil) -> TextProblem {
    TextProblem(reason, at: TextPosition(of: offset ?? index, in: bytes))
  }

  /// The problem that a member has the same name as an earlier one.
  package func repetition(of name: String, at offset: Int, first: Int) -> TextProblem {
    let line = TextPosition(of: first, in: bytes).line
    return problem(
      "the name \(name.debugDescription) stands here a second time; the first is in line \(line)", at: offset
    )
  }
}

@available(*, unavailable)
extension JSONReader: Sendable {}
