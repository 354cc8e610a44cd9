import AppGroups
import Foundation
import Signals
import Stores
import TestSupport
import Testing

@testable import Containers

@Suite("A log in use while others switch", .timeLimit(.minutes(5)))
struct LogNestedTests {
  private let world: LogWorld
  private let app: AppContainer
  private let log: AppGroupsLog<String>
  private let ids: [UUID]

  init() throws {
    world = try LogWorld()
    (app, log, ids) = (world.app, world.log, world.ids)
  }

  /// Runs a closure after another thread has begun a switch that waits for this thread.
  private func whileSwitching(_ body: () throws -> Void) throws {
    let switching = DispatchSemaphore(value: 0)
    let hook = app.onFlush { switching.signal() }
    Thread { [app, ids] in
      do { try app.activate(id: ids[1]) } catch { Issue.record(error) }
    }.start()
    switching.wait()
    try body()
    hook.cancel()
  }

  private func expectSwitch() async throws {
    _ = try await app.active.firstValue("the switch") { $0.id == ids[1] }
    #expect(try await world.texts(in: ids[1]) == [])
  }

  @Test func `an append inside an update does not wait for the switch that waits for the update`() async throws {
    let file = try AppGroupsFile(name: "number.json", initialValue: 0, scope: app.scope)
    try await onThread {
      try file.update { value in
        try whileSwitching {
          try log.append("inside")
          try log.trim()
        }
        value = 1
      }
    }
    try await expectSwitch()
    #expect(try await world.texts(in: ids[0]) == ["inside"])
  }

  @Test func `an append inside a transaction does not wait for the switch that waits for it`() async throws {
    let database = try Database(.file(world.fixture.url("list.sqlite")), scope: app.scope)
    try await onThread {
      try database.write { _ in
        try whileSwitching { try log.append("inside") }
      }
    }
    try await expectSwitch()
    #expect(try await world.texts(in: ids[0]) == ["inside"])
  }

  @Test func `an append inside an update does not wait for another process's switch either`() async throws {
    let file = try AppGroupsFile(name: "text.json", initialValue: "", scope: app.scope)
    let peer = try PeerProcess()
    try await peer.send("env \(world.fixture.root.path)")
    try await peer.send("env-file text.json")
    try await peer.send("env-follow")
    let (inside, switching) = (Recorder<Bool>(), DispatchSemaphore(value: 0))
    async let updated: Void = onThread { [log] in
      try file.update { value in
        inside.record(true)
        switching.wait()
        try log.append("inside")
        value = "updated"
      }
    }
    try await inside.wait(for: true)
    async let switched = peer.send("env-activate \(ids[1])")
    try await peer.events.wait(for: "the peer's turn") { $0.contains { $0.hasPrefix("will ") } }
    switching.signal()
    try await updated
    _ = try await switched
    try await expectSwitch()
    #expect(try await world.texts(in: ids[0]) == ["inside"])
  }

  @Test func `an append that begins while files are moved waits, and goes to the new log`() async throws {
    final class Appending: Sendable {
      let isDone = DispatchSemaphore(value: 0)
    }
    try log.append("before")
    let (appending, hasBegun) = (Appending(), Recorder<Bool>())
    let (log, app) = (log, app)
    app.onStep { step in
      guard step == .left, hasBegun.elements.isEmpty else { return }
      hasBegun.record(true)
      let isRunning = DispatchSemaphore(value: 0)
      Thread {
        isRunning.signal()
        do { try log.append("during") } catch { Issue.record(error) }
        appending.isDone.signal()
      }.start()
      isRunning.wait()
    }
    try await app.activate(id: ids[1])
    app.onStep { _ in }
    await withCheckedContinuation { done in
      Thread {
        appending.isDone.wait()
        done.resume()
      }.start()
    }
    #expect(try await world.texts(in: ids[1]) == ["during"])
    #expect(try await world.texts(in: ids[0]) == ["before"])
  }

  @Test func `moves that are undone leave the log and its consumer unchanged`() async throws {
    struct Failing: EnvironmentSettings {
      struct Failure: Error {}
      let name = "What cannot be loaded"
      let id: UUID
      func flush(into directory: URL) throws {}
      func load(from directory: URL) throws {
        if directory.path.contains(id.uuidString) { throw Failure() }
      }
    }
    app.engine.participants.add(Failing(id: ids[1]))
    let consumer = EntryRecorder(try log.events(for: "widget"))
    try log.append("1")
    try await consumer.expect(["1"])
    let (app, ids) = (app, ids)
    await #expect(throws: AppContainerError.self) { try await app.activate(id: ids[1]) }
    try log.append("2")
    try await consumer.expect(["1", "2"])
    #expect(consumer.entries.elements.map(\.sequence) == [1, 2])
    #expect(consumer.entries.elements.map(\.switchCount) == [0, 0])
  }

  @Test func `a subscriber of the log may switch, and its event is acknowledged in the old log`() async throws {
    let (app, ids, log) = (app, ids, log)
    let texts = Recorder<String>()
    let events = try log.events(for: "widget")
    let failures = events.failures.recorded()
    let subscription = events.sink { entry in
      texts.record(entry.event)
      guard entry.event == "switch" else { return }
      do { try app.activate(id: ids[1]) } catch { Issue.record(error) }
    }
    try log.append("switch")
    _ = try await app.active.firstValue("the switch") { $0.id == ids[1] }
    try log.append("work")
    _ = try await texts.wait(for: "the event of the new log") { $0 == ["switch", "work"] }
    try await app.activate(id: ids[0])
    try log.append("more")
    _ = try await texts.wait(for: "no event twice") { $0 == ["switch", "work", "more"] }
    #expect(failures.elements == [])
    subscription.cancel()
  }
}
