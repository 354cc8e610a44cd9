import Foundation
import SignalsKit

/// Another copy of this program, in a role.
final class ChildProcess: Sendable {
  /// What a child has printed so far.
  struct Transcript: Sendable {
    var lines: [String] = []
    var hasEnded = false
  }

  let transcript = MutableProperty(Transcript())

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// The number of children that were started.
  static let startedCount = MutableProperty(0)

  /// The number of children that were killed in the middle of their work.
  static let killedCount = MutableProperty(0)

  /// The number by which the system knows the child.
  var identifier: Int32 { process.processIdentifier }

  /// Starts a child; it ends when this object goes, or with this process.
  ///
  /// - Parameters:
  ///   - role: What the child does.
  ///   - keeping: How many of the lines that it has printed are kept.
  /// - Throws: An error of the system's.
  init(_ role: ChildRole, keeping: Int = .max) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = [ChildRole.flag] + role.arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    Self.startedCount.modify { $0 += 1 }
    Self.follow(output.fileHandleForReading, in: transcript, keeping: keeping)
  }

  deinit {
    end()
  }

  /// Sends a line to the child.
  func tell(_ line: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Waits until the child has printed a line.
  func wait(for line: String) async throws {
    try await wait(for: "“\(line)”") { $0.contains(line) }
  }

  /// Waits until what the child has printed satisfies a condition.
  ///
  /// - Returns: The lines that do.
  /// - Throws: ``Disappointment`` if the child ends before, or takes too long.
  @discardableResult
  func wait(for what: String, until isSatisfied: @escaping @Sendable ([String]) -> Bool) async throws -> [String] {
    let what = "\(what) from process \(process.processIdentifier)"
    let lines = try await transcript.wait(for: what) { $0.hasEnded || isSatisfied($0.lines) }.lines
    guard isSatisfied(lines) else { throw Disappointment("\(what) will not come, since the process has ended") }
    return lines
  }

  /// Ends the child on the spot, as a crash or the system would.
  func killNow() {
    Self.killedCount.modify { $0 += 1 }
    end()
  }

  private func end() {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
    process.waitUntilExit()
  }

  /// Collects lines on a thread, because reading with handlers has brought down whole processes on Linux when many
  /// children came and went.
  private static func follow(_ handle: FileHandle, in transcript: MutableProperty<Transcript>, keeping: Int) {
    Thread {
      var rest = ""
      while case let data = handle.availableData, !data.isEmpty {
        rest += String(decoding: data, as: UTF8.self)
        var parts = rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        rest = parts.removeLast()
        guard !parts.isEmpty else { continue }
        transcript.modify { [parts] transcript in
          transcript.lines += parts
          transcript.lines.removeFirst(max(0, transcript.lines.count - keeping))
        }
      }
      transcript.modify { $0.hasEnded = true }
    }.start()
  }
}
