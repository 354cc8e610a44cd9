import Foundation
import SignalsKit

/// Another copy of this program, in a role.
final class ChildProcess: Sendable {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// The lines that the child has printed.
  let lines = MutableProperty<[String]>([])

  /// Starts a child; it ends when this object goes, or with this process.
  init(_ role: ChildRole) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [ChildRole.flag] + role.arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let lines = lines
    let handle = output.fileHandleForReading
    // A thread, because reading with handlers has brought down whole processes on Linux when many children came and went.
    Thread {
      var rest = ""
      while case let data = handle.availableData, !data.isEmpty {
        rest += String(decoding: data, as: UTF8.self)
        var parts = rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        rest = parts.removeLast()
        if !parts.isEmpty { lines.modify { [parts] in $0 += parts } }
      }
    }.start()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Sends a line to the child.
  func tell(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Waits for a line.
  @discardableResult
  func wait(for line: String) async throws -> [String] {
    try await lines.wait(for: "“\(line)” of process \(process.processIdentifier)") { $0.contains(line) }
  }

  /// Ends the child on the spot, as a crash or the system would.
  func killNow() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
