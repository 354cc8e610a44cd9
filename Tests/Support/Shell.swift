import Foundation

/// A shell command that did not succeed.
public struct ShellError: Error, CustomStringConvertible {
  /// What was run, and how it ended.
  public let description: String
}

/// Runs a command as another program would: in a process of its own.
///
/// The command finds `arguments` as `$1`, `$2` and so on. Foundation's `Process` would do, but leaks.
public func shell(_ command: String, _ arguments: String...) async throws {
  let process = try PeerProcess(
    executable: URL(filePath: "/bin/sh"), arguments: ["-c", "set -e; " + command, "sh"] + arguments)
  let status = try await process.exit.wait(for: "the end of \(command)") { !$0.isEmpty }
  guard status == [0] else { throw ShellError(description: "\(command) ended with \(status)") }
}
