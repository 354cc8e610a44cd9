@testable import AppGroups
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Log: acknowledging after the last subscription has ended", .patient, .eachKernel)
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

  /// The saved number of events that the consumer has handled.
  private func savedSequence() throws -> UInt64? { try place.load()?[log.producer]?.sequence }

  /// Appends events, receives them in a subscription, and ends it.
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
  func `an acknowledgement after the subscription ended is saved, and the event is not redelivered`() async throws {
    let entries = try await take(["one", "two", "three"])
    events.acknowledge(entries[1])
    try await events.saveProgress()
    #expect(try savedSequence() == 2)
    let recorder = LogRecorder(events)
    #expect(try await recorder.wait(for: 1) == ["three"])
  }

  @Test
  func `an acknowledgement is saved even if the events object is released right after it`() async throws {
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
  func `an acknowledgement that cannot be saved throws, and still counts for the next subscription`() async throws {
    let entries = try await take(["one", "two", "three"])
    var lock = try place.lock()
    #expect(lock != nil)
    events.acknowledge(entries[1])
    let refusal = AppGroupsLogError.consumerInUse("widget", holder: try place.holder)
    await #expect(throws: refusal) { try await events.saveProgress() }
    // Another object is the consumer, and is further behind.
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
  func `a late acknowledgement does not move a saved cursor back`() async throws {
    let entries = try await take(["one", "two", "three"])
    var positions = try #require(try place.load())
    positions[log.producer] = entries[2].position
    try place.save(positions)
    events.acknowledge(entries[0])
    try await events.saveProgress()
    #expect(try savedSequence() == 3)
  }

  @Test
  func `a late acknowledgement does not bring back a removed consumer`() async throws {
    let entries = try await take(["one"])
    try log.removeConsumer("widget")
    events.acknowledge(entries[0])
    try await events.saveProgress()
    #expect(try !place.exists)
  }

  @Test
  func `a cursor that could not be saved is saved later, even if no other event is handled`() async throws {
    let recorder = LogRecorder(events)
    try log.append("one")
    let entry = try await recorder.entries.first("the event") { _ in true }
    try await events.saveProgress()
    let cursor = fixture.directory.appending(path: ".consumers/widget.cursor")
    let aside = fixture.directory.appending(path: ".consumers/aside")
    // A link could lead out of the container, so nothing is written through it.
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
