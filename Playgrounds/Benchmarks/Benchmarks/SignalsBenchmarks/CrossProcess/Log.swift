import AppGroups
import Benchmark
import Dispatch
import Foundation
import Signals

/// Events in a log that processes share, beside the system calls that it needs.
func registerLogs() {
  registerAppending()
  for (row, isInMemory) in [("logLatency", false), ("logLatencyMemory", true)] {
    measureTimed(row, "Signals") {
      let directory = try TemporaryDirectory(isInMemory: isInMemory)
      let log = try sharedLog(in: directory.url)
      let subscriber = try OtherProcess(.logSubscriber, in: directory.url)
      return appends(seenBy: subscriber, in: directory) { number in try log.append(Payload(count: number)) }
    }
    #if os(Linux)
      measureTimed(row, "raw inotify") {
        let directory = try TemporaryDirectory(isInMemory: isInMemory)
        let file = try AppendedFile(in: directory.url)
        let reader = try OtherProcess(.rawLogReader, in: directory.url)
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
private func appends(
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

private func sharedLog(in directory: URL) throws -> AppGroupsLog<Payload> {
  try AppGroupsLog(name: "events", container: AppGroupsContainer(directory: directory))
}

private struct NoEvent: Error {
  let number: Int
}

/// A file that is appended to with one system call for each record.
private final class AppendedFile {
  static func path(in directory: URL) -> String { directory.appending(path: "events").path }

  private let descriptor: CInt

  init(in directory: URL) throws {
    descriptor = open(Self.path(in: directory), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemError(call: "open") }
  }

  deinit {
    close(descriptor)
  }

  func append(_ record: [UInt8]) throws {
    let count = record.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count == record.count else { throw SystemError(call: "write") }
  }
}

// MARK: In the other process

func answerEvents(in directory: URL) throws {
  let events = try sharedLog(in: directory).newEvents()
  let subscription = events.sink { send(Message(number: $0.event.count), to: STDOUT_FILENO) }
  send(Message(number: 0), to: STDOUT_FILENO)
  while receive(from: STDIN_FILENO) != nil {}
  withExtendedLifetime(subscription) {}
}

/// Waits for writes with a bare inotify loop, and answers the number in what was written last.
func answerAppends(in directory: URL) throws {
  #if os(Linux)
    Thread.detachNewThread {
      while receive(from: STDIN_FILENO) != nil {}
      exit(0)
    }
    let path = AppendedFile.path(in: directory)
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw SystemError(call: "open") }
    let descriptor = inotify_init1(CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "inotify_init1") }
    guard inotify_add_watch(descriptor, path, UInt32(IN_MODIFY)) >= 0 else {
      throw SystemError(call: "inotify_add_watch")
    }
    send(Message(number: 0), to: STDOUT_FILENO)
    var events = [UInt8](repeating: 0, count: 4_096)
    var content = [UInt8](repeating: 0, count: 4_096)
    while events.withUnsafeMutableBytes({ Foundation.read(descriptor, $0.baseAddress, $0.count) }) > 0 {
      let count = content.withUnsafeMutableBytes { Foundation.read(file, $0.baseAddress, $0.count) }
      guard count > 0 else { continue }
      send(Message(number: Payload.count(in: content[..<count])), to: STDOUT_FILENO)
    }
  #endif
}
