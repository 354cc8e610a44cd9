import Foundation

/// A shell command that did not succeed.
struct ShellError: Error, CustomStringConvertible {
  let description: String
}

/// Runs a command as another program would: in a process of its own.
///
/// The command finds `arguments` as `$1`, `$2` and so on.
func shell(_ command: String, _ arguments: String...) async throws {
  let process = Process()
  process.executableURL = URL(filePath: "/bin/sh")
  process.arguments = ["-c", "set -e; " + command, "sh"] + arguments
  let status = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
    process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
    do {
      try process.run()
    } catch {
      process.terminationHandler = nil
      continuation.resume(throwing: error)
    }
  }
  guard status == 0 else { throw ShellError(description: "\(command) ended with \(status)") }
}
