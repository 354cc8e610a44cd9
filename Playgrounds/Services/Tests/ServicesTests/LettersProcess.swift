import Foundation
import Signals

/// A process of the program `letters`, and the lines that it writes to its log.
final class LettersProcess: Sendable {
  let lines = MutableProperty<[String]>([])
  private let process = Process()
  private let status: AsyncStream<Int32>

  private static var executable: URL {
    let arguments = CommandLine.arguments
    let bundle = arguments.firstIndex(of: "--test-bundle-path").map { arguments[$0 + 1] } ?? arguments[0]
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: "letters")
  }

  init(_ arguments: String...) throws {
    process.executableURL = Self.executable
    process.arguments = arguments
    let output = Pipe()
    process.standardError = output
    let rest = MutableProperty("")
    output.fileHandleForReading.readabilityHandler = { [lines] handle in
      let data = handle.availableData
      if data.isEmpty { return handle.readabilityHandler = nil }
      let new = rest.modify { rest -> [Substring] in
        rest += String(decoding: data, as: UTF8.self)
        var lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
        rest = String(lines.removeLast())
        return lines
      }
      lines.modify { $0 += new.map(String.init) }
    }
    let (status, end) = AsyncStream.makeStream(of: Int32.self)
    self.status = status
    process.terminationHandler = { end.yield($0.terminationStatus) }
    try process.run()
  }

  deinit {
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// Waits for a line of the log that contains a text.
  func line(containing text: String) async throws {
    for await lines in lines.values where lines.contains(where: { $0.contains(text) }) { return }
    throw CancellationError()
  }

  func terminate() { kill(process.processIdentifier, SIGTERM) }

  /// Waits for the end of the process.
  func end() async throws -> Int32 {
    for await status in status { return status }
    throw CancellationError()
  }
}
