import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif

/// The destructor that makes SQLite copy a string or blob at once.
// Sound: this is SQLite's own constant, which is a marker and not a function.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension SQLiteValue {
  /// Creates a copy of an argument of an SQL function.
  init(copying value: OpaquePointer?) {
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_NULL: self = .null
    case SQLITE_BLOB:
      let count = Int(sqlite3_value_bytes(value))
      // Sound: the bytes are valid until the function returns, and are copied here.
      self = .blob(sqlite3_value_blob(value).map { Data(bytes: $0, count: count) } ?? Data())
    default:
      guard let text = sqlite3_value_text(value) else {
        self = .null
        return
      }
      let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
      self = .text(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Sets the result of an SQL function.
  static func setResult(of call: OpaquePointer?, to value: SQLiteValue) {
    switch value {
    case .null: sqlite3_result_null(call)
    case .integer(let value): sqlite3_result_int64(call, value)
    case .real(let value): sqlite3_result_double(call, value)
    case .text(var value):
      value.withUTF8 { bytes in
        // Sound: SQLite copies the bytes before it returns. An address is needed because an empty text is not NULL.
        bytes.withMemoryRebound(to: CChar.self) { characters in
          sqlite3_result_text64(
            call, characters.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64(characters.count), transient,
            UInt8(SQLITE_UTF8))
        }
      }
    case .blob(let value):
      value.withUnsafeBytes { bytes in
        // Sound: SQLite copies the bytes before it returns.
        bytes.isEmpty
          ? sqlite3_result_zeroblob(call, 0)
          : sqlite3_result_blob64(call, bytes.baseAddress, UInt64(bytes.count), transient)
      }
    }
  }
}
