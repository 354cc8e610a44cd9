import AppGroups
import Benchmark
import FileSignals
import Foundation
import Machine
import Signals

/// Changes of one key of a suite, and the way from there to the subscriber's call in another process.
func registerSuites() {
  registerSets()
  measureTimed("suiteLatencyMemory", "Signals") {
    let directory = try TemporaryDirectory(isInMemory: true)
    let suite = try sharedSuite(in: directory.url)
    try suite.update { contents in
      for number in 0..<100 { try contents.set(number, forKey: "key \(number)") }
    }
    let subscriber = try OtherProcess(Role.suiteSubscriber, in: directory.url)
    return appends(seenBy: subscriber, in: directory) { number in try suite.set(number, forKey: "key") }
  }
  #if os(Linux)
    measureTimed("suiteLatencyMemory", "raw inotify") {
      let directory = try TemporaryDirectory(isInMemory: true)
      let file = try AppendedFile(in: directory.url)
      let reader = try OtherProcess(Role.rawLogReader, in: directory.url)
      return appends(seenBy: reader, in: directory) { number in try file.append(Payload.bytes(count: number)) }
    }
  #endif
}

private let bareAppend = "bare append loop"
private let bareCalls = "the same calls, watched"

/// Changes of one key among a hundred, alone, with an observer in another process, and by four processes at once.
private func registerSets() {
  for (row, isInMemory, isObserved) in [
    ("suiteSetMemory", true, false), ("suiteSet", false, false), ("suiteSetObserved", true, true),
  ] {
    measureTimed(row, "Signals") {
      let directory = try TemporaryDirectory(isInMemory: isInMemory)
      let suite = try sharedSuite(in: directory.url)
      try suite.update { contents in
        for number in 0..<100 { try contents.set(number, forKey: "key \(number)") }
      }
      let observer = isObserved ? try OtherProcess(Role.suiteObserver, in: directory.url) : nil
      return { count, stopwatch in
        stopwatch.startMeasurement()
        for number in 0..<count { try suite.set(number, forKey: "key") }
        stopwatch.stopMeasurement()
        withExtendedLifetime((directory, observer)) {}
      }
    }
    for (contender, isWatched) in [(bareAppend, false), (bareCalls, true)] {
      measureTimed(row, contender) {
        let directory = try TemporaryDirectory(isInMemory: isInMemory)
        let journal = try RawJournal(in: directory.url, isWatched: isWatched)
        let observer = isObserved ? try OtherProcess(Role.rawObserver, in: directory.url) : nil
        return { count, stopwatch in
          stopwatch.startMeasurement()
          for number in 0..<count { try journal.append(number) }
          stopwatch.stopMeasurement()
          withExtendedLifetime((directory, observer)) {}
        }
      }
    }
  }
  measureTimed("suiteUpdateMemory", "Signals") {
    let directory = try TemporaryDirectory(isInMemory: true)
    let count = try sharedSuite(in: directory.url).preference("count", default: 0)
    return { rounds, stopwatch in
      stopwatch.startMeasurement()
      for _ in 0..<rounds { try count.update { $0 += 1 } }
      stopwatch.stopMeasurement()
      withExtendedLifetime(directory) {}
    }
  }
  measureTimed("suiteSetCrowd", "Signals") {
    try updates(by: .suiteUpdater, isInMemory: true) { directory in
      try sharedSuite(in: directory).value(forKey: "count", as: Int.self) ?? 0
    }
  }
  measureTimed("suiteSetCrowd", bareAppend) {
    // Nothing counts what was appended.
    let directory = try TemporaryDirectory(isInMemory: true)
    let crowd = try (0..<4).map { _ in try OtherProcess(Role.rawAppender, in: directory.url) }
    return { count, stopwatch in
      stopwatch.startMeasurement()
      for other in crowd { other.send(Message(number: count / crowd.count)) }
      for other in crowd where other.answer() == nil { stopwatch.error("A process that appends ended early") }
      stopwatch.stopMeasurement()
      withExtendedLifetime(directory) {}
    }
  }
}

private func sharedSuite(in directory: URL) throws -> AppGroupsSuite {
  try AppGroupsSuite(
    name: "suite.json", container: AppGroupsContainer(directory: directory), options: .init(durability: .process))
}

// MARK: In the other process

func answerSuiteValues(in directory: URL) throws {
  let value = try sharedSuite(in: directory).preference("key", default: 0)
  let subscription = value.sink { send(Message(number: $0), to: STDOUT_FILENO) }
  while receive(from: STDIN_FILENO) != nil {}
  withExtendedLifetime(subscription) {}
}

func observeSuite(in directory: URL) throws {
  let value = try sharedSuite(in: directory).preference("key", default: 0)
  let subscription = value.sink { _ in }
  send(Message(number: 0), to: STDOUT_FILENO)
  while receive(from: STDIN_FILENO) != nil {}
  withExtendedLifetime(subscription) {}
}

func updateSuite(in directory: URL) throws {
  let count = try sharedSuite(in: directory).preference("count", default: 0)
  send(Message(number: 0), to: STDOUT_FILENO)
  while let message = receive(from: STDIN_FILENO) {
    for _ in 0..<message.number { try count.update { $0 += 1 } }
    send(message, to: STDOUT_FILENO)
  }
}
