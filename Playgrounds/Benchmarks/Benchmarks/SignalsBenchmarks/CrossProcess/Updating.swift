import AppGroups
import Benchmark
import Foundation
import Signals

private let processes = 4

/// Four processes that change one file as fast as they can, and lose nothing.
func registerUpdates() {
  for (row, isInMemory) in [("fileUpdate", false), ("fileUpdateMemory", true)] {
    measureTimed(row, "Signals") {
      try updates(by: .updater, isInMemory: isInMemory) { try sharedFile(in: $0).value.count }
    }
    measureTimed(row, "bare flock loop") {
      try updates(by: .rawUpdater, isInMemory: isInMemory) { directory in
        var content = [UInt8](repeating: 0, count: 4_096)
        let count = try Bare.read(directory.appending(path: "value.json").path, into: &content)
        return Payload.count(in: content[..<count])
      }
    }
  }
}

private func updates(by role: Role, isInMemory: Bool, count: @escaping (URL) throws -> Int) throws -> TimedWorkload {
  let directory = try TemporaryDirectory(isInMemory: isInMemory)
  let crowd = try (0..<processes).map { _ in try OtherProcess(role, in: directory.url) }
  var expected = 0
  return { operations, stopwatch in
    expected += operations
    stopwatch.startMeasurement()
    for other in crowd { other.send(Message(number: operations / processes)) }
    for other in crowd {
      guard other.answer() != nil else { return stopwatch.error("A process that updates ended early") }
    }
    stopwatch.stopMeasurement()
    let actual = try count(directory.url)
    if actual != expected { stopwatch.error("\(expected - actual) of \(expected) updates were lost") }
  }
}

// MARK: In the other process

func updateSharedFile(in directory: URL) throws {
  let file = try sharedFile(in: directory)
  send(Message(number: 0), to: STDOUT_FILENO)
  while let message = receive(from: STDIN_FILENO) {
    for _ in 0..<message.number { try file.update { $0.count += 1 } }
    send(message, to: STDOUT_FILENO)
  }
}

func updateRawFile(in directory: URL) throws {
  let path = directory.appending(path: "value.json").path
  let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
  guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw SystemError(call: "flock") }
  if access(path, F_OK) != 0 { try Bare.replace(path, by: Payload.bytes(count: 0)) }
  flock(lock, LOCK_UN)
  send(Message(number: 0), to: STDOUT_FILENO)

  var content = [UInt8](repeating: 0, count: 4_096)
  while let message = receive(from: STDIN_FILENO) {
    for _ in 0..<message.number {
      guard flock(lock, LOCK_EX) == 0 else { throw SystemError(call: "flock") }
      let count = try Bare.read(path, into: &content)
      try Bare.replace(path, by: Payload.bytes(count: Payload.count(in: content[..<count]) + 1))
      flock(lock, LOCK_UN)
    }
    send(message, to: STDOUT_FILENO)
  }
}
