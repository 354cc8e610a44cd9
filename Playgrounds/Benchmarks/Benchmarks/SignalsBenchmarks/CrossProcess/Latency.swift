import AppGroups
import Benchmark
import FileSignals
import Foundation
import Machine
import Signals

/// From a write in this process to the subscriber's call in another one.
func registerLatency() {
  for (row, isInMemory) in [("fileLatency", false), ("fileLatencyMemory", true)] {
    measureTimed(row, "Signals") {
      let directory = try TemporaryDirectory(isInMemory: isInMemory)
      let file = try sharedFile(in: directory.url)
      let subscriber = try OtherProcess(Role.subscriber, in: directory.url)
      return roundTrips(with: subscriber, in: directory) { number in try writeNow(Payload(count: number), to: file) }
    }
    measureTimed(row, "Signals, no JSON") {
      let directory = try TemporaryDirectory(isInMemory: isInMemory)
      let file = try plainFile(in: directory.url)
      let subscriber = try OtherProcess(Role.plainSubscriber, in: directory.url)
      return roundTrips(with: subscriber, in: directory) { number in try writeNow(number, to: file) }
    }
    #if os(Linux)
      measureTimed(row, "raw inotify") {
        try renames(seenBy: .rawReader, in: TemporaryDirectory(isInMemory: isInMemory))
      }
      measureTimed(row, "Foundation atomic") {
        let directory = try TemporaryDirectory(isInMemory: isInMemory)
        let url = directory.url.appending(path: "value.json")
        let encoder = JSONEncoder()
        let reader = try OtherProcess(Role.decoder, in: directory.url)
        return roundTrips(with: reader, in: directory) { number in
          try encoder.encode(Payload(count: number)).write(to: url, options: .atomic)
        }
      }
    #endif
  }
  #if os(Linux)
    measureTimed("fileRename", "Signals") {
      let directory = try TemporaryDirectory(isInMemory: false)
      return try renames(seenBy: .observer, in: directory)
    }
    measureTimed("fileRename", "raw inotify") {
      let directory = try TemporaryDirectory(isInMemory: false)
      return try renames(seenBy: .rawReader, in: directory)
    }
  #endif
  measureTimed("fileLatency", "pipe") {
    let directory = try TemporaryDirectory(isInMemory: true)
    let reader = try OtherProcess(Role.pipeReader, in: directory.url)
    return roundTrips(with: reader, in: directory) { number in reader.send(Message(number: number)) }
  }
}

/// Replaces the file with system calls only, whoever watches.
func renames(seenBy role: Role, in directory: TemporaryDirectory, _ path: String? = nil) throws -> TimedWorkload {
  let path = path ?? directory.url.appending(path: "value.json").path
  try Bare.replace(path, by: Payload.bytes(count: 0))
  let reader = try OtherProcess(role, in: directory.url)
  return roundTrips(with: reader, mayMiss: role == .configuration, in: directory) { number in
    try Bare.replace(path, by: Payload.bytes(count: number))
  }
}

/// One write at a time: the next one begins when the other process has answered the last.
///
/// A process that compares times of modification may miss a change within one tick of the clock. It gets that change
/// again, so that one slow round does not end all measurements.
private func roundTrips(
  with other: OtherProcess, mayMiss: Bool = false, in directory: TemporaryDirectory,
  _ write: @escaping (Int) throws -> Void
) -> TimedWorkload {
  var number = 0
  return { _, stopwatch in
    number += 1
    let start = DispatchTime.now().uptimeNanoseconds
    try write(number)
    var answer = other.answer()
    if answer == nil, mayMiss {
      try write(number)
      answer = other.answer()
    }
    guard let answer, answer.number == number else { throw NoAnswer(number: number) }
    stopwatch.measurement(.latency, answer.time - Int(start))
    withExtendedLifetime(directory) {}
  }
}

/// The same bytes, made and read without Foundation's coders.
private func plainFile(in directory: URL) throws -> AppGroupsFile<Int> {
  let format = FileFormat<Int>(
    encode: { Data(Payload.bytes(count: $0)) },
    decode: { data in data.withUnsafeBytes { Payload.count(in: ArraySlice($0)) } }
  )
  return try AppGroupsFile(
    name: "value.json", initialValue: 0, container: AppGroupsContainer(directory: directory), format: format
  )
}

private struct NoAnswer: Error {
  let number: Int
}

/// The form of `write` that blocks, also for callers that could wait without: it is what is measured.
private func writeNow<Value>(_ value: Value, to file: AppGroupsFile<Value>) throws {
  try file.write(value)
}

// MARK: In the other process

func answerPlainValues(in directory: URL) throws {
  let file = try plainFile(in: directory)
  let subscription = file.sink { send(Message(number: $0), to: STDOUT_FILENO) }
  while receive(from: STDIN_FILENO) != nil {}
  withExtendedLifetime(subscription) {}
}

func answerMessages() {
  send(Message(number: 0), to: STDOUT_FILENO)
  while let message = receive(from: STDIN_FILENO) { send(Message(number: message.number), to: STDOUT_FILENO) }
}

func answerObservedRenames(in directory: URL) throws {
  let url = directory.appending(path: "value.json")
  let observer = try FileObserver(url)
  let subscription = observer.sink { event in
    guard event.kind == .replaced else { return }
    var content = [UInt8](repeating: 0, count: 4_096)
    do {
      let count = try Bare.read(url.path, into: &content)
      send(Message(number: Payload.count(in: content[..<count])), to: STDOUT_FILENO)
    } catch {
      exit(1)
    }
  }
  send(Message(number: 0), to: STDOUT_FILENO)
  while receive(from: STDIN_FILENO) != nil {}
  withExtendedLifetime(subscription) {}
}
