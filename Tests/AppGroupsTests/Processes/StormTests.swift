import AppGroups
import CLibrary
import Foundation
import Signals
import TestSupport
import Testing

@testable import FileSignals

@Suite("Storms")
struct StormTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  @Test
  func `an observer reads about once per millisecond while a writer never pauses, and gets the last value`()
    async throws
  {
    let file = try fixture.counter()
    let calls = Recorder<Int>()
    let looking = try PathChanges(file: file.url).sink { [url = file.url] _ in
      // As long as a read takes at least, so that it is slower than the writer.
      do { calls.record(try DurableFile.read(url).count) } catch { Issue.record(error) }
    }
    let values = file.recorded()
    let begin = ContinuousClock.now
    await #expect(processExitsWith: .success) { [path = file.url.path as String] in try writeWithoutPause(path) }
    try await values.wait(for: "the last value") { $0.last == writes }
    let milliseconds = Int((ContinuousClock.now - begin) / .milliseconds(1))
    // A storm that pauses for a moment begins anew, with calls that no rest separates.
    let limit = milliseconds * 2 + 20
    #expect(calls.elements.count < limit, "in \(milliseconds) ms")
    #expect(values.elements.count < limit, "in \(milliseconds) ms")
    #expect(values.elements == values.elements.sorted(), "no value returns")
    looking.cancel()
    withExtendedLifetime(file) {}
  }

  @Test
  func `64 slow subscribers delay no other file`() async {
    // In a process of its own, whose threads they block.
    await #expect(processExitsWith: .success) { [path = fixture.path as String] in try await block64Subscribers(path) }
  }
}

private let writes = 30_000

/// Replaces a file again and again, faster than anyone can read it.
private func writeWithoutPause(_ path: String) throws {
  for number in 1...writes {
    let bytes = Array("\(number)".utf8)
    let descriptor = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    #expect(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    #expect(rename(path + ".new", path) == 0)
  }
}

private func block64Subscribers(_ path: String) async throws {
  let container = try AppGroupsContainer(directory: URL(filePath: path, directoryHint: .isDirectory))
  func open(_ name: String) throws -> AppGroupsFile<Int> {
    try AppGroupsFile(name: name, initialValue: 0, container: container)
  }
  let slow = try (0..<64).map { try open("slow\($0).json") }
  let (entered, mayLeave) = (Recorder<Int>(), DispatchSemaphore(value: 0))
  let subscriptions = slow.map { file in
    file.property.changes.sink { value in
      entered.record(value)
      mayLeave.wait()
    }
  }
  defer { for _ in 0..<128 { mayLeave.signal() } }
  for file in slow { try Data("1".utf8).write(to: file.url) }
  try await entered.wait(for: "all to be inside") { $0.count == 64 }
  // More changes of theirs, which they cannot use yet.
  for file in slow { try Data("2".utf8).write(to: file.url) }
  let other = try open("other.json")
  for value in 1...20 {
    try Data("\(value)".utf8).write(to: other.url)
    try await other.firstValue { $0 == value }
  }
  for subscription in subscriptions { subscription.cancel() }
}
