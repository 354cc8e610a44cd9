import CSQLite
import Foundation

/// The destructor that makes SQLite copy a string or blob at once.
// Sound: this is SQLite's own constant, which is a marker and not a function.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

extension SQLiteValue {
  /// Creates a copy of a value that SQLite owns.
  init(_ cell: SQLiteCell) {
    self =
      switch cell.type {
      case SQLITE_INTEGER: .integer(cell.int64)
      case SQLITE_FLOAT: .real(cell.double)
      case SQLITE_TEXT: .text(cell.string)
      case SQLITE_BLOB: .blob(cell.data)
      default: .null
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
