import Foundation
import Signals

/// A worker in a process of its own, and the builds that it has begun.
final class WorkerProcess: Sendable {
  /// A build that began.
  struct Beginning: Sendable {
    let build: Int
    let attempt: Int
    let time: Double
  }

  let identifier: Int32
  let beginnings = MutableProperty<[Beginning]>([])
  private let process: Process

  static var executable: URL {
    let arguments = CommandLine.arguments
    let bundle = arguments.firstIndex(of: "--test-bundle-path").map { arguments[$0 + 1] } ?? arguments[0]
    return URL(filePath: bundle).deletingLastPathComponent().appending(path: "farm")
  }

  init(home: URL) throws {
    process = Process()
    process.executableURL = Self.executable
    process.arguments = ["work", "--verbose", "--home", home.path]
    let output = Pipe()
    process.standardOutput = output
    let rest = MutableProperty("")
    output.fileHandleForReading.readabilityHandler = { [beginnings] handle in
      let data = handle.availableData
      if data.isEmpty { return handle.readabilityHandler = nil }
      let lines = rest.modify { rest -> [Substring] in
        rest += String(decoding: data, as: UTF8.self)
        var lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
        rest = String(lines.removeLast())
        return lines
      }
      let new = lines.compactMap { line -> Beginning? in
        let words = line.split(separator: " ")
        guard words.count == 4, let build = Int(words[1]), let attempt = Int(words[2]), let time = Double(words[3])
        else { return nil }
        return Beginning(build: build, attempt: attempt, time: time)
      }
      beginnings.modify { $0 += new }
    }
    try process.run()
    identifier = process.processIdentifier
  }

  deinit {
    if process.isRunning { Foundation.kill(identifier, SIGKILL) }
  }

  /// Kills the process, and returns the time.
  func kill() -> Double {
    let time = Date().timeIntervalSince1970
    Foundation.kill(identifier, SIGKILL)
    return time
  }

  /// Asks the process to end, and returns its status.
  func terminate() -> Int32 {
    process.terminate()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
