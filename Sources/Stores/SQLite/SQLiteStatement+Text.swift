import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension SQLiteStatement {
  /// Binds UTF-8 text, which is copied.
  func bindText(_ bytes: UnsafeRawBufferPointer, at index: Int32) {
    // Sound: a string is decoded from the bytes before it is bound.
    bind(String(decoding: bytes, as: UTF8.self), at: index)
  }

  /// Binds the text of a UUID, in capital letters.
  @inline(__always)
  func bind(_ value: UUID, at index: Int32) {
    bind(value.uuidString, at: index)
  }

  /// Returns the text of a column, or `nil` if it is not valid UTF-8.
  @inline(__always)
  func validText(at index: Int32) -> String? {
    guard let text = sqlite3_column_text(handle, index) else { return "" }
    // Sound: the bytes are valid until the next step, and are copied here.
    let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(handle, index)))
    let string = String(decoding: bytes, as: UTF8.self)
    // Invalid UTF-8 has been repaired, which changes the bytes. `String(validating:as:)` takes several times as long.
    let isSame = string.utf8.withContiguousStorageIfAvailable { content in
      guard content.count == bytes.count, let start = content.baseAddress else { return content.count == bytes.count }
      return memcmp(start, text, bytes.count) == 0
    }
    return isSame == false ? nil : string
  }

  /// Returns the UUID whose text a column contains, or `nil` if it is not a UUID.
  func uuid(at index: Int32) -> UUID? {
    guard let text = sqlite3_column_text(handle, index), sqlite3_column_bytes(handle, index) == 36 else { return nil }
    // Sound: the bytes are valid until the next step, and are read here.
    let bytes = UnsafeBufferPointer(start: text, count: 36)
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
