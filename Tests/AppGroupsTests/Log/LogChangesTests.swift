@testable import AppGroups
import Dispatch
@testable import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// A log whose only changes are those that the test sends, so that nothing arrives unexpectedly.
@Suite("Log: injected changes", .patient)
struct LogChangesTests {
  private let fixture: Fixture
  private let place: LogPlace
  private let changes = Emitter<PathChange, Never>()
  private let queue = DispatchQueue(label: "org.signals.tests.log")

  init() throws {
    fixture = try Fixture()
    place = try LogPlace(name: "log", container: fixture.container)
  }

  private func log(_ limits: LogLimits = LogLimits()) throws -> AppGroupsLog<String> {
    try AppGroupsLog(name: "log", container: fixture.container, limits: limits)
  }

  private func feed(_ consumer: String? = nil) -> LogFeed {
    let reading = LogReading(
      consumer: consumer, start: consumer == nil ? .newest : .oldest, includesOwn: true, acknowledgement: .automatic)
    return LogFeed(
      reading, limits: LogLimits(), decoder: EntryDecoder(FileFormat<String>.compactJSON),
      producer: .shared(for: place), changes: changes, queue: queue)
  }

  /// Records the texts of a feed that has begun to read.
  private func record(_ feed: LogFeed) -> Recorder<String> {
    let texts = LogEvents<String>(feed).map(\.event).recorded()
    queue.sync {}
    return texts
  }

  /// Delivers a change on the queue, like the kernel's, and returns after the log has been read.
  private func send(_ change: PathChange) {
    queue.sync { changes.send(change) }
  }

  private var segments: [String] {
    get throws { try fixture.contents(of: place.url).filter { $0.hasSuffix(".segment") } }
  }

  @Test
  func `an appended event is delivered with the change of its segment, and not before`() throws {
    let log = try log()
    try log.append("before")
    let texts = record(feed("widget"))
    #expect(texts.elements == ["before"])
    try log.append("after")
    queue.sync {}
    #expect(texts.elements == ["before"])
    send(PathChange(written: try #require(segments.first)))
    #expect(texts.elements == ["before", "after"])
  }

  @Test
  func `a write to an unknown segment makes the feed scan all segments`() throws {
    let log = try log(LogLimits(segmentSize: 4096))
    let texts = record(feed())
    let long = String(repeating: "-", count: 4000)
    for text in [long, "one", "two"] { try log.append(text) }
    let names = try segments
    #expect(names.count == 2)
    #expect(texts.elements.isEmpty)
    send(PathChange(written: try #require(names.last)))
    #expect(texts.elements == [long, "one", "two"])
  }

  @Test(arguments: ["overflow", "rearmed", "poll"])
  func `an overflow, a rearmed watch or a poll makes the feed read the whole log`(_ kind: String) throws {
    let log = try log()
    try log.append("before")
    let texts = record(feed("widget"))
    try log.append("after")
    send(PathChange(events: []))
    #expect(texts.elements == ["before"])
    var change = PathChange(events: [], isRearmed: kind == "rearmed", isPoll: kind == "poll")
    change.isOverflow = kind == "overflow"
    send(change)
    #expect(texts.elements == ["before", "after"])
  }

  @Test
  func `a log that is removed and recreated is read at the next change`() throws {
    try log().append("before")
    let texts = record(feed())
    try FileManager.default.removeItem(at: place.url)
    send(PathChange(events: [], isRearmed: true))
    try log().append("after")
    #expect(texts.elements.isEmpty)
    send(PathChange(events: [], isRearmed: true))
    #expect(texts.elements == ["after"])
  }

  @Test
  func `the feed's subscription to changes is listed, and ends with the feed`() async throws {
    var feed: LogFeed? = feed()
    #expect(await changes.subscriptions().map(\.description) == ["sink"])
    #expect(feed?.changes.health.value == .active)
    feed = nil
    #expect(await changes.subscriptions().isEmpty)
  }

  @Test
  func `the subscribers and loops of a log are listed like those of any signal`() async throws {
    let events = LogEvents<String>(feed())
    #expect(await events.subscriptions().isEmpty)
    let property = MutableProperty("")
    let subscriptions = [
      events.map(\.event).named("texts").sink { property.value = $0 },
      events.merge(with: events).sink { _ in },
    ]
    var iterator: LogValues<String>.Iterator? = events.values.makeAsyncIterator()
    #expect(
      await events.subscriptions().map(\.description)
        == ["map → \"texts\" → sink", "merge → sink", "merge → sink", "values"])
    withExtendedLifetime(iterator) {}
    iterator = nil
    for subscription in subscriptions { subscription.cancel() }
    #expect(await events.subscriptions().isEmpty)
  }

  @Test
  func `a log's subscription to kernel notifications is listed, too`() async throws {
    let events = try log().newEvents()
    let changes = try #require(events.feed.changes as? PathChanges)
    #expect(await changes.subscriptions().map(\.description) == ["sink"])
  }
}
