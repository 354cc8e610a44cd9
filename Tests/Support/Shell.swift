import Foundation

/// A shell command that did not succeed.
public struct ShellError: Error, CustomStringConvertible {
  /// A description of the command and its exit status.
  public let description: String
}

/// Runs a shell command in a separate process.
///
/// The command's `arguments` are `$1`, `$2` and so on. Foundation's `Process` is not used because it leaks.
public func shell(_ command: String, _ arguments: String...) async throws {
  let process = try PeerProcess(
    executable: URL(filePath: "/bin/sh"), arguments: ["-c", "set -e; " + command, "sh"] + arguments)
  let status = try await process.exit.wait(for: "the end of \(command)") { !$0.isEmpty }
  guard status == [0] else { throw ShellError(description: "\(command) ended with \(status)") }
}
