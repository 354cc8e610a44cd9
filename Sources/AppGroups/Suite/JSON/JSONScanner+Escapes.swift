import Foundation

extension JSONScanner {
  /// Passes over an escape in a string.
  mutating func escape() throws(JSONSyntaxError) {
    let start = index
    index += 1
    switch peek {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      index += 1
    case UInt8(ascii: "u"):
      index += 1
      switch try codeUnit() {
      case 0xD800...0xDBFF:
        guard peek == JSONByte.backslash else { throw half(at: start) }
        index += 1
        guard peek == JSONByte.letterU else { throw half(at: start) }
        index += 1
        guard (0xDC00...0xDFFF).contains(try codeUnit()) else { throw half(at: start) }
      case 0xDC00...0xDFFF: throw half(at: start)
      default: break
      }
    default: throw JSONSyntaxError("a string contains an unknown escape", at: start, in: bytes)
    }
  }

  private func half(at start: Int) -> JSONSyntaxError {
    JSONSyntaxError("a string contains half a character", at: start, in: bytes)
  }

  /// Reads the four digits of an escaped code unit.
  private mutating func codeUnit() throws(JSONSyntaxError) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard let digit = Self.hexadecimal(peek) else { throw failure("an escape lacks a digit") }
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

  /// What the inside of a string means, which has been read without a failure.
  func unescaped(_ range: Range<Int>) -> String {
    let inside = bytes[range]
    guard inside.contains(JSONByte.backslash) else {
      return String(decoding: UnsafeBufferPointer(rebasing: inside), as: UTF8.self)
    }
    var text: [UInt8] = []
    var units: [UInt16] = []
    var index = range.lowerBound
    while index < range.upperBound {
      guard bytes[index] == JSONByte.backslash else {
        text.append(bytes[index])
        index += 1
        continue
      }
      let letter = bytes[index + 1]
      index += 2
      guard letter == JSONByte.letterU else {
        text.append(Self.meaning(of: letter))
        continue
      }
      units.append(bytes[index..<index + 4].reduce(0) { $0 << 4 | UInt16(Self.hexadecimal($1) ?? 0) })
      index += 4
      // The first half of a pair waits for the second, which follows.
      if UTF16.isLeadSurrogate(units[0]), units.count == 1 { continue }
      text += String(decoding: units, as: UTF16.self).utf8
      units.removeAll(keepingCapacity: true)
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func meaning(of letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  /// A string as JSON writes it, in quotation marks.
  static func quoted(_ string: String) -> Data {
    var text = Data([JSONByte.quote])
    for byte in string.utf8 {
      if byte == JSONByte.quote || byte == JSONByte.backslash {
        text.append(JSONByte.backslash)
        text.append(byte)
      } else if byte >= JSONByte.space {
        text.append(byte)
      } else {
        let digits = String(byte, radix: 16)
        text.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).utf8)
      }
    }
    text.append(JSONByte.quote)
    return text
  }
}
