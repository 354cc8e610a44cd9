import AppGroups
import Foundation
import Signals
import Stores
import TestSupport
import Testing

@testable import Containers

@Suite("A log in a root that is switched", .timeLimit(.minutes(5)))
struct ScopedLogTests {
  private let world: LogWorld
  private let app: AppContainer
  private let log: AppGroupsLog<String>
  private let ids: [UUID]

  init() throws {
    world = try LogWorld()
    (app, log, ids) = (world.app, world.log, world.ids)
  }

  @Test func `events go to the log of the active environment, and stay in it`() async throws {
    try log.append("default 1")
    try await app.activate(id: ids[1])
    try log.append("work 1")
    try await app.activate(id: ids[0])
    try log.append("default 2")
    #expect(log.scope === app.scope)
    #expect(try await world.texts(in: ids[0]) == ["default 1", "default 2"])
    #expect(try await world.texts(in: ids[1]) == ["work 1"])
    #expect(try await world.texts(in: ids[2]) == [])
  }

  @Test func `an environment without the log gets an empty one when it is activated`() async throws {
    #expect(world.fixture.exists("Logs/events/.consumers"))
    try await app.activate(id: ids[1])
    #expect(world.fixture.exists("Logs/events/.consumers"))
  }

  @Test func `a consumer stops in the old log and continues from its position in the new one`() async throws {
    let consumer = EntryRecorder(try log.events(for: "widget"))
    try log.append("default 1")
    try await consumer.expect(["default 1"])
    try await app.activate(id: ids[1])
    try log.append("work 1")
    try await consumer.expect(["default 1", "work 1"])
    try await app.activate(id: ids[0])
    try log.append("default 2")
    try await consumer.expect(["default 1", "work 1", "default 2"])
    try await app.activate(id: ids[1])
    try log.append("work 2")
    try await consumer.expect(["default 1", "work 1", "default 2", "work 2"])
    #expect(consumer.entries.elements.map(\.switchCount) == [0, 1, 2, 3])
    // Each environment has its own cursor.
    for id in ids.prefix(2) {
      #expect(Tree.exists(world.directory(of: id).appending(path: ".consumers/widget.cursor")))
    }
  }

  #if os(Linux)
    @Test func `nothing of a log stays open in an environment that has left`() async throws {
      let consumer = EntryRecorder(try log.events(for: "widget"))
      let idle = try log.events(for: "gadget")
      try log.append("default 1")
      try await consumer.expect(["default 1"])
      for await entry in idle.values where entry.event == "default 1" { break }
      try await app.activate(id: ids[1])
      // The reading of the new log begins after the switch.
      let deadline = ContinuousClock.now + .seconds(60)
      while try !openFiles(of: ids[0]).isEmpty, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(20))
      }
      #expect(try openFiles(of: ids[0]) == [])
      withExtendedLifetime(idle) {}
    }

    /// The files and directories of an inactive environment that this process has open.
    private func openFiles(of id: UUID) throws -> [String] {
      let data = world.directory(of: id).deletingLastPathComponent().path
      return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { number in
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        return path?.hasPrefix(data) == true ? path : nil
      }
    }
  #endif

  @Test func `a consumer receives the events appended before it came back, and none twice`() async throws {
    try log.append("default 1")
    try await app.activate(id: ids[1])
    try log.append("work 1")
    let consumer = EntryRecorder(try log.events(for: "widget"))
    try await consumer.expect(["work 1"])
    try await app.activate(id: ids[0])
    try await consumer.expect(["work 1", "default 1"])
    try await app.activate(id: ids[1])
    try await app.activate(id: ids[0])
    try log.append("default 2")
    try await consumer.expect(["work 1", "default 1", "default 2"])
  }

  @Test func `a loop receives no unread event of the old log until that environment returns`() async throws {
    try log.append(contentsOf: (1...5).map { "default \($0)" })
    try await app.activate(id: ids[1])
    try log.append("work 1")
    try await app.activate(id: ids[0])
    let events = try log.events(for: "widget")
    let failures = events.failures.recorded()
    var loop = events.values.makeAsyncIterator()
    #expect(await loop.next()?.event == "default 1")
    #expect(await loop.next()?.event == "default 2")
    try await app.activate(id: ids[1])
    #expect(await loop.next()?.event == "work 1")
    try await app.activate(id: ids[0])
    // The loop was handling the second event during the switch, so that event may be redelivered.
    var texts: [String] = []
    while texts.last != "default 5", let entry = await loop.next() { texts.append(entry.event) }
    #expect(texts.drop { $0 == "default 2" } == ["default 3", "default 4", "default 5"])
    #expect(failures.elements == [])
  }

  @Test func `an acknowledgement after the switch does not move the cursor in the new log`() async throws {
    try log.append("first")
    let work = try app.clone(id: ids[0])
    let events = try log.events(for: "widget", acknowledgement: .explicit)
    let consumer = EntryRecorder(events)
    try await consumer.expect(["first"])
    let first = consumer.entries.elements[0]
    // The clone contains the same event of the same producer.
    try await app.activate(id: work.id)
    try await consumer.expect(["first", "first"])
    #expect(consumer.entries.elements[1] == first)
    events.acknowledge(first)
    try await app.activate(id: ids[0])
    try await consumer.expect(["first", "first", "first"])
    try await app.activate(id: work.id)
    try await consumer.expect(["first", "first", "first", "first"])
    events.acknowledge(consumer.entries.elements[3])
    try await app.activate(id: ids[0])
    try await app.activate(id: work.id)
    try log.append("second")
    try await consumer.expect(["first", "first", "first", "first", "first", "second"])
  }

  @Test func `new events begin with the first one after the switch`() async throws {
    try await app.activate(id: ids[1])
    try log.append("old")
    try await app.activate(id: ids[0])
    let consumer = EntryRecorder(try log.newEvents())
    let newest = EntryRecorder(try log.events(for: "newest", startingAt: .newest))
    try log.append("default 1")
    try await consumer.expect(["default 1"])
    try await newest.expect(["default 1"])
    try await app.activate(id: ids[1])
    try log.append("work 1")
    try await consumer.expect(["default 1", "work 1"])
    try await newest.expect(["default 1", "work 1"])
  }

  @Test func `excluded own events stay excluded after switches`() async throws {
    let peer = try await world.peer()
    let before = log.producer
    try log.append("own 1")
    for id in [ids[1], ids[0], ids[1], ids[0]] {
      try await app.activate(id: id)
      try log.append("own")
    }
    #expect(log.producer != before)
    let consumer = EntryRecorder(try log.events(for: "widget", includingOwn: false))
    try await peer.send("append other")
    try await consumer.expect(["other"])
  }

  @Test func `a log that closes on a switch reports it, and keeps its events`() async throws {
    let closing = try AppGroupsLog<String>(name: "closing", scope: app.scope, onSwitch: .closes)
    // An event that all consumers have handled may be removed.
    let events = try closing.events(for: "widget", acknowledgement: .explicit)
    let consumer = EntryRecorder(events)
    try closing.append("kept")
    try await consumer.expect(["kept"])
    try await app.activate(id: ids[1])
    let error = AppGroupsLogError.closedBySwitch(closing.url)
    #expect(throws: error) { try closing.append("lost") }
    try await consumer.failures.wait(for: "the failure") { $0 == [error] }
    // The new environment only keeps its log for the consumer, should a process open it there.
    let made = try FileManager.default.subpathsOfDirectory(atPath: world.fixture.url("Logs/closing").path)
    #expect(!made.contains { $0.hasSuffix(".segment") })
    #expect(made.contains(".consumers/widget.expected"))
    #expect(throws: error) { try closing.trim() }
    try await app.activate(id: ids[0])
    #expect(throws: error) { try closing.append("lost") }
    let again = try AppGroupsLog<String>(name: "closing", scope: app.scope)
    try again.append("more")
    let reader = EntryRecorder(try again.events(for: "reader"))
    try await reader.expect(["kept", "more"])
  }

  @Test func `a log in an excluded directory stays the same`() async throws {
    try app.setExcludedPaths(["Logs"])
    let consumer = EntryRecorder(try log.events(for: "widget"))
    let producer = log.producer
    func segments() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: log.url.path).filter { $0.hasSuffix(".segment") }
    }
    try log.append("1")
    let before = try segments()
    try await app.activate(id: ids[1])
    try log.append("2")
    try await consumer.expect(["1", "2"])
    #expect(try segments() == before)
    #expect(consumer.entries.elements.map(\.switchCount) == [0, 0])
    #expect(log.producer == producer)
  }

  @Test func `a rejected switch leaves the log and its consumer unchanged`() async throws {
    final class Refusing: ScopeMember {
      struct Refusal: Error {}
      let switchStage = ScopeStage.logs
      func holdForSwitch(within patience: Duration?) throws -> Bool { throw Refusal() }
      func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch { PreparedSwitch() }
    }
    let consumer = EntryRecorder(try log.events(for: "widget"))
    try log.append("1")
    try await consumer.expect(["1"])
    let refusing = Refusing()
    let enrolment = app.scope.enrol(refusing)
    let (app, ids) = (app, ids)
    await #expect(throws: AppContainerError.self) { try await app.activate(id: ids[1]) }
    try log.append("2")
    try await consumer.expect(["1", "2"])
    enrolment.cancel()
    #expect(consumer.entries.elements.map(\.sequence) == [1, 2])
    #expect(Set(consumer.entries.elements.map(\.switchCount)) == [0])
  }

  @Test func `a consumer continues in a clone from its position in the original`() async throws {
    let consumer = EntryRecorder(try log.events(for: "widget"))
    try log.append("1")
    try await consumer.expect(["1"])
    try await consumer.events.saveProgress()
    let copy = try app.clone(id: ids[0])
    try await app.activate(copy)
    try log.append("2")
    try await consumer.expect(["1", "2"])
  }

  @Test func `a removed directory of the log is recreated`() async throws {
    let consumer = EntryRecorder(try log.events(for: "widget"))
    try log.append("1")
    try await consumer.expect(["1"])
    try FileManager.default.removeItem(at: log.url)
    try log.append("2")
    _ = try await consumer.entries.wait(for: "the event after") { $0.last?.event == "2" }
  }
}
