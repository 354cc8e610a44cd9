import AppGroups
import Benchmark
import Configuration
import Foundation
import Machine
import Signals
import SystemPackage

/// From a change by whatever program to the value that another process has made of it; and reading the value there.
func registerReloading() {
  #if os(Linux)
    measureTimed("fileReload", "Signals") {
      let directory = try TemporaryDirectory(isInMemory: false)
      let path = try sharedFile(in: directory.url).url.path
      return try renames(seenBy: .subscriber, in: directory, path)
    }
    measureTimed("fileReload", "raw inotify") {
      try renames(seenBy: .rawReader, in: TemporaryDirectory(isInMemory: false))
    }
    measureTimed("fileReload", "swift-configuration, 10 ms poll") {
      try renames(seenBy: .configuration, in: TemporaryDirectory(isInMemory: false))
    }
    measureTimed("fileValue", "swift-configuration") {
      let directory = try TemporaryDirectory(isInMemory: false)
      let path = directory.url.appending(path: "value.json").path
      try Bare.replace(path, by: Payload.bytes(count: 0))
      let provider = Provided()
      let tally = Tally()
      return { count, stopwatch in
        let reader = try await provider.reader(of: path)
        read(reader, count, into: tally, stopwatch)
        withExtendedLifetime(directory) {}
      }
    }
  #endif
}

private func read(_ reader: ConfigReader, _ count: Int, into tally: Tally, _ stopwatch: Benchmark) {
  stopwatch.startMeasurement()
  for _ in 0..<count { tally.add(reader.int(forKey: "count", default: -1)) }
  stopwatch.stopMeasurement()
}

/// A reader that is made when it is first wanted, which takes an asynchronous call.
private final class Provided: @unchecked Sendable {  // Sound: the harness measures one thing after the other.
  private var made: ConfigReader?

  func reader(of path: String) async throws -> ConfigReader {
    if let made { return made }
    let reader = ConfigReader(provider: try await ReloadingFileProvider<JSONSnapshot>(filePath: FilePath(path)))
    made = reader
    return reader
  }
}

// MARK: In the other process

/// Answers each value that the provider reports; 10 ms is as often as one could want it to look.
func answerConfiguration(in directory: URL) {
  let path = directory.appending(path: "value.json").path
  Task.detached {
    do {
      let provider = try await ReloadingFileProvider<JSONSnapshot>(
        filePath: FilePath(path), pollInterval: .milliseconds(10)
      )
      Task.detached { try await provider.run() }
      // A watch of a single number reports no change, because the provider compares values as texts.
      try await ConfigReader(provider: provider).watchSnapshot { updates in
        for await snapshot in updates {
          send(Message(number: snapshot.int(forKey: "count", default: -1)), to: STDOUT_FILENO)
        }
      }
    } catch {
      exit(1)
    }
  }
  while receive(from: STDIN_FILENO) != nil {}
}
