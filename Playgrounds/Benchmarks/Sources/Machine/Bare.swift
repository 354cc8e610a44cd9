import Foundation

/// The system calls that any shared file needs, and nothing else.
enum Bare {
  /// Replaces a file by a new one, as `rename` does it: readers see the old content or the new.
  static func replace(_ path: String, by content: borrowing [UInt8]) throws {
    let temporary = path + ".new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(call: "open") }
    let count = content.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    guard count == content.count else { throw SystemError(call: "write") }
    guard rename(temporary, path) == 0 else { throw SystemError(call: "rename") }
  }

  /// Reads a small file into a buffer.
  ///
  /// - Returns: How many bytes there are.
  static func read(_ path: String, into buffer: inout [UInt8]) throws -> Int {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(call: "open") }
    defer { close(descriptor) }
    let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw SystemError(call: "read") }
    return count
  }
}

/// A payload like a small settings file: the same bytes, whoever writes it.
struct Payload: Codable, Sendable, Equatable {
  var count: Int
  var name = "a name of some length"
  var isEnabled = true

  /// The JSON text, for who writes it without an encoder.
  static func bytes(count: Int) -> [UInt8] {
    Array(#"{"count":\#(count),"isEnabled":true,"name":"a name of some length"}"#.utf8)
  }

  /// The count in the JSON text, for who reads it without a decoder.
  static func count(in bytes: ArraySlice<UInt8>) -> Int {
    bytes.dropFirst(#"{"count":"#.utf8.count).prefix { $0 >= 48 && $0 <= 57 }.reduce(0) { $0 * 10 + Int($1 - 48) }
  }
}
