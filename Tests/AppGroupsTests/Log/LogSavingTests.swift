@testable import AppGroups
import Dispatch
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Log: saving progress while a backlog is handled", .patient, .eachKernel)
struct LogSavingTests {
  private let fixture: LogFixture
  private let log: AppGroupsLog<String>
  private let place: ConsumerPlace
  /// Every change of the consumers' files.
  private let saves: Recorder<FileEvent>

  init() throws {
    fixture = try LogFixture()
    log = try fixture.log(LogLimits(segmentSize: 4096))
    place = try ConsumerPlace(name: "worker", place: LogPlace(name: "log", container: fixture.fixture.container))
    saves = try DirectoryObserver(fixture.directory.appending(path: ".consumers")).recorded()
  }

  /// Waits until the consumer's cursor is at an event of this process.
  private func waitUntilSaved(_ sequence: UInt64) async throws {
    let (place, producer) = (place, log.producer)
    try await saves.wait(for: "the cursor at \(sequence)") { _ in
      (try? place.load())??[producer]?.sequence == sequence
    }
  }

  @Test
  func `a consumer killed in the middle of its backlog resumes after the last handled event`() async throws {
    let texts = (1...100).map { "\($0) " + String(repeating: "x", count: 500) }
    for text in texts { try log.append(text) }
    let count = try fixture.segments().count
    let consumer = try await fixture.peer()
    try await consumer.send("follow-until worker 50")
    // The subscriber never returns from the next event, so only the saving can happen in between.
    try await waitUntilSaved(50)
    try log.trim()
    #expect(try fixture.segments().count < count)
    try await consumer.kill()
    let recorder = LogRecorder(try log.events(for: "worker"))
    #expect(try await recorder.wait(for: 50) == Array(texts[50...]))
    #expect(recorder.failures.elements == [])
  }

  @Test(arguments: [LogAcknowledgement.automatic, .explicit])
  func `saving on request does not wait for a busy subscriber`(acknowledgement: LogAcknowledgement) async throws {
    let events = try log.events(for: "worker", acknowledgement: acknowledgement)
    let (entries, gate) = (Recorder<UInt64>(), DispatchSemaphore(value: 0))
    let subscription = events.sink { entry in
      if acknowledgement == .explicit, entry.sequence == 1 { events.acknowledge(entry) }
      entries.record(entry.sequence)
      if entry.sequence == 2 { gate.wait() }
    }
    try log.append(contentsOf: ["one", "two", "three"])
    try await entries.wait(for: 2)
    try await events.saveProgress()
    #expect(try place.load()?[log.producer]?.sequence == 1)
    gate.signal()
    try await entries.wait(for: 3)
    subscription.cancel()
  }
}
