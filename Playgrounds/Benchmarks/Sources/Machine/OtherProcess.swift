package import Foundation

/// Another process of this executable, in a role.
///
/// It learns the role from its environment, because the command line belongs to the harness. It ends when its standard
/// input does, so none outlives a benchmark, however that ends.
package final class OtherProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  private static let roleKey = "SIGNALS_BENCHMARK_ROLE"
  private static let directoryKey = "SIGNALS_BENCHMARK_DIRECTORY"

  /// The role of this process, if another one started it for a role.
  package static var role: String? { ProcessInfo.processInfo.environment[roleKey] }

  /// The directory that this process shares with the one that started it.
  package static var directory: URL { URL(filePath: ProcessInfo.processInfo.environment[directoryKey] ?? "/") }

  /// Starts the process and waits until it is ready.
  package init(_ role: some RawRepresentable<String>, in directory: URL) throws {
    process.executableURL = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    process.environment = ProcessInfo.processInfo.environment.merging([
      Self.roleKey: role.rawValue, Self.directoryKey: directory.path,
    ]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard answer() != nil else { throw EndedEarly(role: role.rawValue) }
  }

  deinit {
    input.fileHandleForWriting.closeFile()
    process.waitUntilExit()
  }

  package func send(_ message: Message) {
    Machine.send(message, to: input.fileHandleForWriting.fileDescriptor)
  }

  /// Waits for the process to answer; `nil` if it ended instead, or says nothing for too long.
  package func answer() -> Message? {
    receive(from: output.fileHandleForReading.fileDescriptor, timeout: .seconds(20))
  }

  struct EndedEarly: Error {
    let role: String
  }
}
