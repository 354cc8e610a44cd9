import AppGroups
import Benchmark
import Foundation
import Machine
import Signals

/// From a change of one key of a suite in this process to the subscriber's call in another one.
func registerSuites() {
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
