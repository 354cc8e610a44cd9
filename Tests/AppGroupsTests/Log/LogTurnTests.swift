@testable import AppGroups
import Dispatch
import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("Log: successive subscriptions", .patient, .eachKernel)
struct LogTurnTests {
  private let fixture: LogFixture

  init() throws {
    fixture = try LogFixture()
  }

  @Test
  func `a subscriber that replaces one not yet served receives only later events`() async throws {
    let log = try fixture.log()
    let events = try log.newEvents()
    let gate = DispatchSemaphore(value: 0)
    events.feed.queue.async { gate.wait() }
    let former = events.sink { _ in }
    try log.append("before")
    former.cancel()
    let recorder = LogRecorder(events)
    gate.signal()
    events.feed.queue.sync {}
    try log.append("after")
    try await recorder.entries.first("the event") { $0.event == "after" }
    #expect(recorder.texts == ["after"])
  }

  @Test
  func `an event being read for a former subscriber is not delivered to the next one`() async throws {
    let (isReached, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let format = FileFormat<String>(
      encode: { Data($0.utf8) },
      decode: {
        isReached.signal()
        gate.wait()
        gate.signal()
        return String(decoding: $0, as: UTF8.self)
      })
    let log = try AppGroupsLog<String>(name: "log", container: fixture.fixture.container, format: format)
    let events = try log.newEvents()
    let former = events.sink { _ in }
    events.feed.queue.sync {}
    try log.append("before")
    try await onThread { isReached.wait() }
    former.cancel()
    let entries = Recorder<LogEventID>()
    // Adds the subscriber without its start position, which is set only when the event being read is discarded.
    let (number, _) = events.feed.audience.add("half a subscription") { entries.record($0.id) }
    gate.signal()
    // First the event being read, then its consequences.
    for _ in 0..<2 { events.feed.queue.sync {} }
    #expect(entries.elements.isEmpty)
    if case .last = events.feed.audience.remove(number) { return }
    Issue.record("another member is left")
  }

  @Test(arguments: [nil, 256])
  func `events acknowledged during a reread are not redelivered, and trimming loses none`(size: Int?) async throws {
    let log = try fixture.log(size.map { LogLimits(segmentSize: $0) } ?? LogLimits())
    let events = try log.events(for: "widget", acknowledgement: .explicit)
    let ids = try log.append(contentsOf: (1...200).map(String.init))
    let failures = events.failures.recorded()
    let entries = Recorder<LogEntry<String>>()
    let former = events.sink { entries.record($0) }
    let last = try await entries.first("the last event") { $0.id == ids[199] }
    former.cancel()
    try await fixture.settle()
    var loop = events.values.makeAsyncIterator()
    #expect(await loop.next()?.event == "1")
    events.acknowledge(last)
    try await events.saveProgress()
    let place = try ConsumerPlace(name: "widget", place: LogPlace(name: "log", container: fixture.fixture.container))
    #expect(try place.load()?[log.producer]?.sequence == 200)
    try log.trim()
    try log.append("new")
    var count = 1
    while let entry = await loop.next(), entry.event != "new" { count += 1 }
    // The first event, the buffered ones, and one in transit.
    #expect(count <= LogLoop.capacity + 2)
    try await events.saveProgress()
    #expect(try place.load()?[log.producer]?.sequence == 200)
    #expect(failures.elements == [])
  }

  @Test
  func `a consumer that could not be registered is registered later, even if it handles no event`() async throws {
    let log = try fixture.log()
    let place = try ConsumerPlace(name: "widget", place: LogPlace(name: "log", container: fixture.fixture.container))
    // This failure is reported between the lookup of the lock and its use.
    try place.leaveLossNote(of: .absence)
    let lock = fixture.directory.appending(path: ".shared/trim.lock").path
    let aside = fixture.directory.appending(path: ".shared/aside").path
    let events = try log.events(for: "widget", acknowledgement: .explicit)
    let hindrance = events.failures.sink {
      guard case .snapshotNeeded = $0 else { return }
      #expect(rename(lock, aside) == 0)
      #expect(mkdir(lock, 0o700) == 0)
    }
    let recorder = LogRecorder(events)
    try await recorder.firstFailure { if case .inaccessible(.notARegularFile) = $0 { true } else { false } }
    #expect(try !place.exists)
    let saves = try DirectoryObserver(fixture.directory.appending(path: ".consumers")).recorded()
    #expect(rmdir(lock) == 0)
    #expect(rename(aside, lock) == 0)
    try await saves.first("the saving") { $0.url.lastPathComponent == "widget.cursor" }
    #expect(try place.exists)
    hindrance.cancel()
  }
}
