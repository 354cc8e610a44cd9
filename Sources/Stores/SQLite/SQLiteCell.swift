import CLibrary
import CSQLite
import Foundation

/// A value that SQLite owns: a column of the current row, until the next step, or an argument of a function, until it
/// returns.
///
/// Reading the value of a column once and then its parts takes half as long as reading each part of the column. Only
/// the thread that uses the connection reads it, as SQLite requires for such values.
struct SQLiteCell {
  let value: OpaquePointer?

  /// SQLite's number for the type.
  @inline(__always)
  var type: Int32 { sqlite3_value_type(value) }

  @inline(__always)
  var isNull: Bool { sqlite3_value_type(value) == SQLITE_NULL }

  @inline(__always)
  var int64: Int64 { sqlite3_value_int64(value) }

  @inline(__always)
  var double: Double { sqlite3_value_double(value) }

  /// The bytes of a text.
  @inline(__always)
  var utf8: UnsafeBufferPointer<UInt8> {
    // Sound: the bytes are valid as long as the cell. This call converts the text, so it comes before the count.
    guard let text = sqlite3_value_text(value) else { return UnsafeBufferPointer(start: nil, count: 0) }
    return UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
  }

  /// The bytes of a blob.
  @inline(__always)
  var bytes: UnsafeRawBufferPointer {
    // Sound: the bytes are valid as long as the cell.
    guard let bytes = sqlite3_value_blob(value) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value)))
  }

  @inline(__always)
  var string: String { String(decoding: utf8, as: UTF8.self) }

  var data: Data { Data(bytes) }

  /// The text, or `nil` if it is not valid UTF-8.
  @inline(__always)
  var validText: String? {
    let bytes = utf8
    let string = String(decoding: bytes, as: UTF8.self)
    // Invalid UTF-8 has been repaired, which changes the bytes. `String(validating:as:)` takes several times as long.
    let isSame = string.utf8.withContiguousStorageIfAvailable { content in
      guard content.count == bytes.count, let first = content.baseAddress, let second = bytes.baseAddress else {
        return content.count == bytes.count
      }
      return memcmp(first, second, bytes.count) == 0
    }
    return isSame == false ? nil : string
  }

  /// The UUID whose text the cell contains, or `nil` if it is not a UUID.
  var uuid: UUID? {
    let bytes = utf8
    guard bytes.count == 36 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    var digits = 0
    for (place, byte) in bytes.enumerated() {
      if place == 8 || place == 13 || place == 18 || place == 23 {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if digits < 16 { high = high << 4 | UInt64(digit) } else { low = low << 4 | UInt64(digit) }
      digits += 1
    }
    return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}
