import AppGroups
import Benchmark
import Foundation
import Signals

/// From a write in this process to the subscriber's call in another one.
func registerLatency() {
  for (row, isInMemory) in [("fileLatency", false), ("fileLatencyMemory", true)] {
    measureTimed(row, "Signals") {
      let directory = try TemporaryDirectory(isInMemory: isInMemory)
      let file = try sharedFile(in: directory.url)
      let subscriber = try OtherProcess(.subscriber, in: directory.url)
      return roundTrips(with: subscriber, in: directory) { number in try writeNow(Payload(count: number), to: file) }
    }
    #if os(Linux)
      measureTimed(row, "raw inotify") {
        let directory = try TemporaryDirectory(isInMemory: isInMemory)
        let path = directory.url.appending(path: "value.json").path
        let reader = try OtherProcess(.rawReader, in: directory.url)
        return roundTrips(with: reader, in: directory) { number in
          try Bare.replace(path, by: Payload.bytes(count: number))
        }
      }
    #endif
  }
  measureTimed("fileLatency", "pipe") {
    let directory = try TemporaryDirectory(isInMemory: true)
    let reader = try OtherProcess(.pipeReader, in: directory.url)
    return roundTrips(with: reader, in: directory) { number in reader.send(Message(number: number)) }
  }
}

/// One write at a time: the next one begins when the other process has answered the last.
private func roundTrips(
  with other: OtherProcess, in directory: TemporaryDirectory, _ write: @escaping (Int) throws -> Void
) -> TimedWorkload {
  var number = 0
  return { _, stopwatch in
    number += 1
    let start = DispatchTime.now().uptimeNanoseconds
    try write(number)
    guard let answer = other.answer(), answer.number == number else {
      throw NoAnswer(number: number)
    }
    stopwatch.measurement(.latency, answer.time - Int(start))
    withExtendedLifetime(directory) {}
  }
}

func sharedFile(in directory: URL) throws -> AppGroupsFile<Payload> {
  try AppGroupsFile(
    name: "value.json", initialValue: Payload(count: 0), container: AppGroupsContainer(directory: directory)
  )
}

private struct NoAnswer: Error {
  let number: Int
}

/// The form of `write` that blocks, also for callers that could wait without: it is what is measured.
private func writeNow(_ value: Payload, to file: AppGroupsFile<Payload>) throws {
  try file.write(value)
}

// MARK: In the other process

func answerSharedValues(in directory: URL) throws {
  let file = try sharedFile(in: directory)
  let subscription = file.sink { send(Message(number: $0.count), to: STDOUT_FILENO) }
  while receive(from: STDIN_FILENO) != nil {}
  withExtendedLifetime(subscription) {}
}

func answerMessages() {
  send(Message(number: 0), to: STDOUT_FILENO)
  while let message = receive(from: STDIN_FILENO) { send(Message(number: message.number), to: STDOUT_FILENO) }
}

func answerRenames(in directory: URL) throws {
  #if os(Linux)
    Thread.detachNewThread {
      while receive(from: STDIN_FILENO) != nil {}
      exit(0)
    }
    let descriptor = inotify_init1(CInt(IN_CLOEXEC))
    guard descriptor >= 0 else { throw SystemError(call: "inotify_init1") }
    guard inotify_add_watch(descriptor, directory.path, UInt32(IN_MOVED_TO)) >= 0 else {
      throw SystemError(call: "inotify_add_watch")
    }
    send(Message(number: 0), to: STDOUT_FILENO)
    let path = directory.appending(path: "value.json").path
    var events = [UInt8](repeating: 0, count: 4_096)
    var content = [UInt8](repeating: 0, count: 4_096)
    while events.withUnsafeMutableBytes({ read(descriptor, $0.baseAddress, $0.count) }) > 0 {
      let count = try Bare.read(path, into: &content)
      send(Message(number: Payload.count(in: content[..<count])), to: STDOUT_FILENO)
    }
  #endif
}
