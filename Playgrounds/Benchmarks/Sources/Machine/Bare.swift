import Foundation

/// The system calls that any shared file needs, and nothing else.
package enum Bare {
  /// Replaces a file by a new one, as `rename` does it: readers see the old content or the new.
  package static func replace(_ path: String, by content: borrowing [UInt8]) throws {
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
  package static func read(_ path: String, into buffer: inout [UInt8]) throws -> Int {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(call: "open") }
    defer { close(descriptor) }
    let count = buffer.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw SystemError(call: "read") }
    return count
  }
}
