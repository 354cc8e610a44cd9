/// A string in a text, which is known to be valid.
@usableFromInline
struct JSONString: Sendable {
  /// The bytes between the quotation marks.
  @usableFromInline let range: Range<Int>
  @usableFromInline let hasEscapes: Bool
}

extension JSONReader {
  /// Reads the string at the current position.
  package mutating func string() throws(TextProblem) -> String { unescaped(try scanString()) }

  /// Skips the string at the current position.
  @usableFromInline
  mutating func scanString() throws(TextProblem) -> JSONString {
    let start = index + 1
    let end = plainEnd(from: start)
    // Nearly all strings have no escapes.
    guard end < bytes.count, bytes[end] == JSONByte.quote else { return try scanEscapes(start, from: end) }
    index = end + 1
    return JSONString(range: start..<end, hasEscapes: false)
  }

  /// Skips the rest of a string that is not plain.
  ///
  /// - Parameters:
  ///   - start: The first byte after the opening quotation mark.
  ///   - special: The first backslash or control character, or the end of the text.
  /// - Returns: The string.
  /// - Throws: ``TextProblem``.
  private mutating func scanEscapes(_ start: Int, from special: Int) throws(TextProblem) -> JSONString {
    index = special
    while true {
      guard index < bytes.count else { throw problem("a string has no closing quotation mark", at: start - 1) }
      let byte = bytes[index]
      if byte == JSONByte.quote {
        index += 1
        return JSONString(range: start..<index - 1, hasEscapes: true)
      }
      guard byte == JSONByte.backslash else { throw problem("a string contains a control character") }
      try skipEscape()
      index = plainEnd(from: index)
    }
  }

  /// Returns the index of the next quotation mark, backslash or control character, or of the end of the text.
  @inline(__always)
  private func plainEnd(from start: Int) -> Int {
    var end = start
    // Eight bytes at a time, as long as none of them is special.
    while end + 8 <= bytes.count {
      // Sound: there are eight bytes.
      let word = UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: end, as: UInt64.self)
      let special = UInt64(littleEndian: word).specialBytes
      guard special == 0 else { return end + special.trailingZeroBitCount / 8 }
      end += 8
    }
    while end < bytes.count {
      let byte = bytes[end]
      if byte < JSONByte.space || byte == JSONByte.quote || byte == JSONByte.backslash { break }
      end += 1
    }
    return end
  }

  /// Returns the text of a range of bytes, without decoding escapes.
  func text(of range: Range<Int>) -> String {
    String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
  }

  // MARK: Escapes

  private mutating func skipEscape() throws(TextProblem) {
    let start = index
    index += 1
    let letter = peek
    index += 1
    guard letter == JSONByte.letterU else {
      guard Self.meaning(of: letter) != nil else { throw problem("a string contains an unknown escape", at: start) }
      return
    }
    let unit = try codeUnit()
    if UTF16.isTrailSurrogate(unit) { throw problem("a string contains an unpaired surrogate", at: start) }
    guard UTF16.isLeadSurrogate(unit) else { return }
    guard skip("\\u"), UTF16.isTrailSurrogate(try codeUnit()) else {
      throw problem("a string contains an unpaired surrogate", at: start)
    }
  }

  /// Reads the four digits of an escaped code unit.
  private mutating func codeUnit() throws(TextProblem) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = Self.hexadecimal(peek) else { throw problem("expected a hexadecimal digit in an escape") }
      unit = unit << 4 | UInt16(digit)
      index += 1
    }
    return unit
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Returns the byte that an escape of one letter represents, or `nil` if there is no such escape.
  package static func meaning(of letter: UInt8) -> UInt8? {
    switch letter {
    case JSONByte.quote, JSONByte.backslash, UInt8(ascii: "/"): letter
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: nil
    }
  }

  /// Returns the decoded string.
  @inline(__always)
  func unescaped(_ string: JSONString) -> String {
    string.hasEscapes ? decoded(string) : text(of: string.range)
  }

  private func decoded(_ string: JSONString) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(string.range.count)
    var units: [UInt16] = []
    var index = string.range.lowerBound
    while index < string.range.upperBound {
      guard bytes[index] == JSONByte.backslash else {
        text.append(bytes[index])
        index += 1
        continue
      }
      let letter = bytes[index + 1]
      index += 2
      guard letter == JSONByte.letterU else {
        text.append(Self.meaning(of: letter) ?? letter)
        continue
      }
      units.append(bytes[index..<index + 4].reduce(0) { $0 << 4 | UInt16(Self.hexadecimal($1) ?? 0) })
      index += 4
      // The first half of a surrogate pair waits for the second, which must follow.
      if UTF16.isLeadSurrogate(units[0]), units.count == 1 { continue }
      text += String(decoding: units, as: UTF16.self).utf8
      units.removeAll(keepingCapacity: true)
    }
    return String(decoding: text, as: UTF8.self)
  }
}

extension UInt64 {
  /// Returns a word with the highest bit set in each special byte.
  ///
  /// Only the lowest of these bits is reliable.
  fileprivate var specialBytes: UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = self ^ (ones &* UInt64(JSONByte.quote))
    let backslashes = self ^ (ones &* UInt64(JSONByte.backslash))
    let zeros = (quotes &- ones) & ~quotes | (backslashes &- ones) & ~backslashes
    return (zeros | (self &- ones &* 0x20) & ~self) & (ones &* 0x80)
  }
}
