import Foundation

/// Another process of this executable, in a role.
final class OtherProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Starts the process and waits until it is ready.
  init(_ role: Role, in directory: URL) throws {
    process.executableURL = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    process.environment = ProcessInfo.processInfo.environment.merging([
      Role.key: role.rawValue, Role.directoryKey: directory.path,
    ]) { $1 }
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard answer() != nil else { throw EndedEarly(role: role) }
  }

  deinit {
    input.fileHandleForWriting.closeFile()
    process.waitUntilExit()
  }

  func send(_ message: Message) {
    SignalsBenchmarks.send(message, to: input.fileHandleForWriting.fileDescriptor)
  }

  /// Waits for the process to answer; `nil` if it ended instead, or says nothing for too long.
  func answer() -> Message? {
    receive(from: output.fileHandleForReading.fileDescriptor, timeout: .seconds(20))
  }

  struct EndedEarly: Error {
    let role: Role
  }
}

/// A new directory, which is removed with the object.
final class TemporaryDirectory {
  let url: URL

  /// Makes a directory on the disk, or in the memory file system where the system has one.
  init(isInMemory: Bool) throws {
    let memory = URL(filePath: "/dev/shm")
    let hasMemory = isInMemory && FileManager.default.fileExists(atPath: memory.path)
    let parent = hasMemory ? memory : FileManager.default.temporaryDirectory
    url = parent.appending(path: "signals-benchmark-\(UUID().uuidString)", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// The place of a file in it.
  func file(_ name: String) -> URL { url.appending(path: name) }

  deinit {
    // Sound to ignore: a folder that was left over harms nobody.
    do { try FileManager.default.removeItem(at: url) } catch {}
  }
}
