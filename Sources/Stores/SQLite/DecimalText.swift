import CLibrary
import CSQLite
import Foundation

/// A decimal number as text, such as `-12.50` or `3e-7`, that is compared digit by digit and never rounded.
///
/// It refers to the bytes of the text and is valid as long as they are.
struct DecimalText {
  private let isNegative: Bool
  /// The digits from the first non-zero one, possibly with a decimal point in between; empty if the number is 0.
  private let digits: UnsafeRawBufferPointer
  /// The position of the decimal point: the number is 0.digits × 10^magnitude.
  private let magnitude: Int

  /// Parses a text.
  ///
  /// Fails if the whole string is not a number.
  init?(_ text: UnsafeRawBufferPointer) {
    var index = 0
    isNegative = text.first == UInt8(ascii: "-")
    if isNegative || text.first == UInt8(ascii: "+") { index = 1 }

    var start: Int?
    var place = 0
    var hasDigits = false
    var hasPoint = false
    while index < text.count {
      let byte = text[index]
      if byte == UInt8(ascii: "."), !hasPoint {
        hasPoint = true
      } else if Self.isDigit(byte) {
        hasDigits = true
        if start == nil, byte != UInt8(ascii: "0") { start = index }
        if !hasPoint, start != nil { place += 1 }
        if hasPoint, start == nil { place -= 1 }
      } else {
        break
      }
      index += 1
    }
    guard hasDigits, let exponent = Self.exponent(text[index...]) else { return nil }
    digits = UnsafeRawBufferPointer(rebasing: text[(start ?? index)..<index])
    magnitude = place + exponent
  }

  /// Returns the exponent after the letter `e`: 0 if there is none, or `nil` if it is invalid.
  private static func exponent(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
    guard let letter = text.first else { return 0 }
    guard letter | 0x20 == UInt8(ascii: "e") else { return nil }
    var rest = text.dropFirst()
    let isNegative = rest.first == UInt8(ascii: "-")
    if isNegative || rest.first == UInt8(ascii: "+") { rest = rest.dropFirst() }
    guard !rest.isEmpty, rest.allSatisfy(isDigit) else { return nil }
    let value = rest.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1 << 40) }
    return isNegative ? -value : value
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  private var sign: CInt { digits.isEmpty ? 0 : isNegative ? -1 : 1 }

  /// Compares two numbers.
  ///
  /// - Returns: A negative number, zero or a positive number, like `memcmp`.
  func compare(to other: DecimalText) -> CInt {
    guard sign == other.sign, sign != 0 else { return sign - other.sign }
    return sign * compareSize(to: other)
  }

  private func compareSize(to other: DecimalText) -> CInt {
    if magnitude != other.magnitude { return magnitude < other.magnitude ? -1 : 1 }
    var (left, right) = (digits.makeIterator(), other.digits.makeIterator())
    while true {
      let (ours, theirs) = (Self.next(&left), Self.next(&right))
      if ours == nil, theirs == nil { return 0 }
      let (first, second) = (ours ?? UInt8(ascii: "0"), theirs ?? UInt8(ascii: "0"))
      if first != second { return first < second ? -1 : 1 }
    }
  }

  private static func next(_ digits: inout UnsafeRawBufferPointer.Iterator) -> UInt8? {
    let byte = digits.next()
    return byte == UInt8(ascii: ".") ? digits.next() : byte
  }
}

extension DecimalText {
  /// Returns a Boolean value that indicates whether a string is a number.
  static func isNumber(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { DecimalText(UnsafeRawBufferPointer($0)) != nil }
  }

  /// Compares two strings as numbers.
  ///
  /// Strings that are not numbers come before all numbers, ordered by their bytes.
  static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> CInt {
    switch (DecimalText(left), DecimalText(right)) {
    case (let left?, let right?): return left.compare(to: right)
    case (nil, _?): return -1
    case (_?, nil): return 1
    case (nil, nil):
      let shorter = min(left.count, right.count)
      if shorter > 0, let first = left.baseAddress, let second = right.baseAddress {
        let order = memcmp(first, second, shorter)
        if order != 0 { return order }
      }
      return left.count == right.count ? 0 : left.count < right.count ? -1 : 1
    }
  }
}

extension SQLiteConnection {
  /// Installs the collation that compares strings as decimal numbers.
  ///
  /// No table or index is declared with this collation, so other programs can use the file without it.
  func installDecimals() {
    sqlite3_create_collation_v2(
      handle, SQL.decimalCollation, SQLITE_UTF8, nil,
      { _, leftCount, left, rightCount, right in
        // Sound: SQLite's texts are valid during the call.
        DecimalText.compare(
          UnsafeRawBufferPointer(start: left, count: Int(leftCount)),
          UnsafeRawBufferPointer(start: right, count: Int(rightCount)))
      },
      nil)
  }
}
