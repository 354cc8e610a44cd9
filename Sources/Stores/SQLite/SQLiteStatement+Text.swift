import CSQLite
import Foundation

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
}
