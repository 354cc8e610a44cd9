import AppGroups
import Benchmark
import Dispatch
import Foundation
import Machine
import Signals

/// Events in a log that processes share, beside the system calls that it needs.
func registerLogs() {
  registerAppending()
  for (row, isInMemory) in [("logLatency", false), ("logLatencyMemory", true)] {
    measureTimed(row, "Signals") {
      let directory = try TemporaryDirectory(isInMemory: isInMemory)
      let log = try sharedLog(in: directory.url)
      let subscriber = try OtherProcess(Role.logSubscriber, in: directory.url)
      return appends(seenBy: subscriber, in: directory) { number in try log.append(Payload(count: number)) }
    }
    #if os(Linux)
      measureTimed(row, "raw inotify") {
        let directory = try TemporaryDirectory(isInMemory: isInMemory)
        let file = try AppendedFile(in: directory.url)
        let reader = try OtherProcess(Role.rawLogReader, in: directory.url)
        return appends(seenBy: reader, in: directory) { number in try file.append(Payload.bytes(count: number)) }
      }
    #endif
  }
}

private func registerAppending() {
  measureTimed("logAppend", "Signals") {
    let directory = try TemporaryDirectory(isInMemory: false)
    let log = try sharedLog(in: directory.url)
    return { count, stopwatch in
      stopwatch.startMeasurement()
      for number in 0..<count { try log.append(Payload(count: number)) }
      stopwatch.stopMeasurement()
      withExtendedLifetime(directory) {}
    }
  }
  measure("logAppend", "JSON") {
    let tally = Tally()
    return { count in
      for number in 0..<count {
        do { tally.add(try JSONEncoder().encode(Payload(count: number)).count) } catch { tally.add(0) }
      }
    }
  }
  measureTimed("logAppend", "raw write") {
    let directory = try TemporaryDirectory(isInMemory: false)
    let file = try AppendedFile(in: directory.url)
    return { count, stopwatch in
      stopwatch.startMeasurement()
      for number in 0..<count { try file.append(Payload.bytes(count: number)) }
      stopwatch.stopMeasurement()
      withExtendedLifetime(directory) {}
    }
  }
}

/// One event at a time: the next one is appended when the other process has answered the last.
func appends(
  seenBy other: OtherProcess, in directory: TemporaryDirectory, _ append: @escaping (Int) throws -> Void
) -> TimedWorkload {
  var number = 0
  return { _, stopwatch in
    number += 1
    let start = DispatchTime.now().uptimeNanoseconds
    try append(number)
    guard let answer = other.answer(), answer.number == number else { throw NoEvent(number: number) }
    stopwatch.measurement(.latency, answer.time - Int(start))
    withExtendedLifetime(directory) {}
  }
}

private struct NoEvent: Error {
  let number: Int
}
