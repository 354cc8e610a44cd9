package import Foundation

/// A file that is appended to with one system call for each record.
package final class AppendedFile {
  package static func path(in directory: URL) -> String { directory.appending(path: "events").path }

  private let descriptor: CInt

  package init(in directory: URL) throws {
    descriptor = open(Self.path(in: directory), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(call: "open") }
  }

  deinit {
    close(descriptor)
  }

  package func append(_ record: [UInt8]) throws {
    let count = record.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count == record.count else { throw SystemError(call: "write") }
  }
}
