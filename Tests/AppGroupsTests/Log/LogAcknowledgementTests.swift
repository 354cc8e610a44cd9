@testable import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Log: acknowledging when nobody subscribes any more", .patient)
struct LogAcknowledgementTests {
  private let fixture: LogFixture
  private let log: AppGroupsLog<String>
  private let events: LogEvents<String>

  init() throws {
    fixture = try LogFixture()
    log = try fixture.log()
    events = try log.events(for: "widget", acknowledgement: .explicit)
  }

  private var place: ConsumerPlace {
    get throws { try ConsumerPlace(name: "widget", place: LogPlace(name: "log", container: fixture.fixture.container)) }
  }

  /// What is saved of how many events the consumer has handled.
  private func savedSequence() throws -> UInt64? { try place.load()?[log.producer]?.sequence }

  /// Has a subscription get some events and end.
  private func take(_ texts: [String]) async throws -> [LogEntry<String>] {
    try log.append(contentsOf: texts)
    let entries = Recorder<LogEntry<String>>()
    let subscription = events.sink { entries.record($0) }
    let taken = try await entries.wait(for: "the events") { $0.count >= texts.count }
    subscription.cancel()
    try await fixture.settle()
    return taken
  }

  @Test
  func `what is acknowledged then is saved, and does not come again`() async throws {
    let entries = try await take(["one", "two", "three"])
    events.acknowledge(entries[1])
    try await events.saveProgress()
    #expect(try savedSequence() == 2)
    let recorder = LogRecorder(events)
    #expect(try await recorder.wait(for: 1) == ["three"])
  }

  @Test
  func `it is saved also if it is not asked for, and the object goes`() async throws {
    let place = try place
    let producer = log.producer
    var other: LogEvents? = try log.events(for: "widget", acknowledgement: .explicit)
    try log.append("one")
    let entries = Recorder<LogEntry<String>>()
    let subscription = other?.sink { entries.record($0) }
    let entry = try await entries.first("the event") { _ in true }
    subscription?.cancel()
    try await fixture.settle()
    let saves = try DirectoryObserver(fixture.directory.appending(path: ".consumers")).recorded()
    other?.acknowledge(entry)
    other = nil
    try await saves.first("the saving") { $0.url.lastPathComponent == "widget.cursor" }
    #expect(try place.load()?[producer]?.sequence == 1)
  }

  @Test
  func `what cannot be saved then is told, and not forgotten`() async throws {
    let entries = try await take(["one", "two", "three"])
    var lock = try place.lock()
    #expect(lock != nil)
    events.acknowledge(entries[1])
    await #expect(throws: AppGroupsLogError.consumerInUse("widget")) { try await events.saveProgress() }
    // Somebody else is the consumer, who has come less far.
    var positions = try #require(try place.load())
    positions[log.producer]?.sequence = 1
    positions[log.producer]?.offset = entries[0].position.offset
    try place.save(positions)
    let recorder = LogRecorder(events)
    withExtendedLifetime(lock) {}
    lock = nil
    #expect(try await recorder.wait(for: 1) == ["three"])
  }

  @Test
  func `who has come further meanwhile is not thrown back`() async throws {
    let entries = try await take(["one", "two", "three"])
    var positions = try #require(try place.load())
    positions[log.producer] = entries[2].position
    try place.save(positions)
    events.acknowledge(entries[0])
    try await events.saveProgress()
    #expect(try savedSequence() == 3)
  }

  @Test
  func `a consumer that was removed does not come back`() async throws {
    let entries = try await take(["one"])
    try log.removeConsumer("widget")
    events.acknowledge(entries[0])
    try await events.saveProgress()
    #expect(try !place.exists)
  }

  @Test
  func `what could not be saved is saved when it can be, also if nothing else is handled`() async throws {
    let recorder = LogRecorder(events)
    try log.append("one")
    let entry = try await recorder.entries.first("the event") { _ in true }
    try await events.saveProgress()
    let cursor = fixture.directory.appending(path: ".consumers/widget.cursor")
    let aside = fixture.directory.appending(path: ".consumers/aside")
    // A link could lead out of the container, so nothing is written to where it leads.
    #expect(rename(cursor.path, aside.path) == 0)
    #expect(symlink("aside", cursor.path) == 0)
    events.acknowledge(entry)
    try await recorder.firstFailure { if case .inaccessible(.notARegularFile) = $0 { true } else { false } }
    let saves = try DirectoryObserver(fixture.directory.appending(path: ".consumers")).recorded()
    #expect(rename(aside.path, cursor.path) == 0)
    let (place, producer) = (try place, log.producer)
    try await saves.wait(for: "the saving") { _ in (try? place.load())??[producer]?.sequence == 1 }
  }
}
