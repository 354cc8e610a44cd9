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
    try process.run()
    identifier = process.processIdentifier
    Self.follow(output.fileHandleForReading, in: beginnings)
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

  /// Collects lines on a thread, because libdispatch has crashed in handlers of files when many processes came and went.
  private static func follow(_ handle: FileHandle, in beginnings: MutableProperty<[Beginning]>) {
    Thread {
      var rest = ""
      while case let data = handle.availableData, !data.isEmpty {
        rest += String(decoding: data, as: UTF8.self)
        var lines = rest.split(separator: "\n", omittingEmptySubsequences: false)
        rest = String(lines.removeLast())
        let new = lines.compactMap { line -> Beginning? in
          let words = line.split(separator: " ")
          guard words.count == 4, let build = Int(words[1]), let attempt = Int(words[2]), let time = Double(words[3])
          else { return nil }
          return Beginning(build: build, attempt: attempt, time: time)
        }
        beginnings.modify { $0 += new }
      }
    }.start()
  }
}
