import AppGroups
import Benchmark
import Foundation
import Machine
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

func updates(by role: Role, isInMemory: Bool, count: @escaping (URL) throws -> Int) throws -> TimedWorkload {
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
