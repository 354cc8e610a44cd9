import AppGroups
import Containers
import Foundation
import Signals
import Stores
import TestSupport
import Testing

/// Changes of a root by a thread for which another thread or process waits in order to switch.
@Suite("Switches inside an update or a transaction", .eachLayout, .timeLimit(.minutes(5)))
struct NestedSwitchTests {
  private struct Errand: StoreModel {
    static let table = TableSpec("errand")
    var id: Int
  }

  private let fixture: Fixture
  private let app: AppContainer
  private let work: Environment
  private let play: Environment
  private let log = Recorder<String>()

  init() throws {
    fixture = try Fixture()
    app = try fixture.open()
    (work, play) = try (app.create(name: "Work"), app.create(name: "Play"))
  }

  private var refusal: String { AppContainerError.nested(operation: "activate").description }

  /// Activates `Work` on another thread, and waits until the inner switch is rejected and this one is finished.
  private func switchOnAnotherThread() async throws {
    Thread { [app, work] in
      do { try app.activate(work) } catch { log.record("\(error)") }
    }.start()
    try await log.wait(for: refusal)
    _ = try await app.active.firstValue("the switch of the other thread") { $0.id == work.id }
  }

  /// Activates `Play`, and records the result.
  private func switchOn() {
    do {
      try app.activate(play)
      log.record("switched")
    } catch {
      log.record("\(error)")
    }
  }

  @Test func `a switch inside an update is rejected without waiting for a thread that waits for it`() async throws {
    let file = try AppGroupsFile(name: "number.json", initialValue: 0, scope: app.scope)
    let (updating, switching) = (Recorder<Bool>(), Recorder<Bool>())
    // By then, the other thread has its turn, and waits for the file next.
    let hook = app.onFlush { switching.record(true) }
    Thread {
      do {
        try file.update { value in
          updating.record(true)
          block(until: switching)
          switchOn()
          value = 1
        }
      } catch {
        log.record("\(error)")
      }
    }.start()
    try await updating.wait(for: true)
    try await switchOnAnotherThread()
    #expect(file.value == 0)
    hook.cancel()
  }

  @Test func `a switch inside an update is rejected without waiting for a process that waits for it`() async throws {
    let file = try AppGroupsFile(name: "text.json", initialValue: "none", scope: app.scope)
    let peer = try PeerProcess()
    try await peer.send("env \(fixture.root.path)")
    try await peer.send("env-file text.json")
    try await peer.send("env-follow")
    let (updating, switching) = (Recorder<Bool>(), Recorder<Bool>())
    Thread {
      do {
        try file.update { value in
          updating.record(true)
          block(until: switching)
          switchOn()
          value = "updated"
        }
      } catch {
        log.record("\(error)")
      }
    }.start()
    try await updating.wait(for: true)
    async let switched = peer.send("env-activate \(work.id)")
    try await peer.events.wait(for: "the peer's turn") { $0.contains { $0.hasPrefix("will ") } }
    switching.record(true)
    try await log.wait(for: refusal)
    _ = try await switched
    _ = try await app.active.firstValue("the switch of the other process") { $0.id == work.id }
    try await onThread { [app] in try app.activate(id: Environment.defaultID) }
    #expect(file.value == "updated")
  }

  @Test(arguments: [true, false])
  func `a switch inside a transaction is rejected without waiting for a thread that waits for it`(
    writes: Bool
  ) async throws {
    let database = try Database(
      .file(fixture.url("errands.sqlite")), schema: Schema(version: 1, models: [Errand.self]), scope: app.scope)
    let (inside, switching) = (Recorder<Bool>(), Recorder<Bool>())
    let hook = app.onFlush { switching.record(true) }
    Thread {
      func body() {
        inside.record(true)
        block(until: switching)
        switchOn()
      }
      do {
        if writes { try database.write { _ in body() } } else { try database.read { _ in body() } }
      } catch {
        log.record("\(error)")
      }
    }.start()
    try await inside.wait(for: true)
    try await switchOnAnotherThread()
    hook.cancel()
  }

  @Test func `a file opened inside a transaction does not wait for the switch that waits for it`() async throws {
    let database = try Database(
      .file(fixture.url("errands.sqlite")), schema: Schema(version: 1, models: [Errand.self]), scope: app.scope)
    let (inside, switching) = (Recorder<Bool>(), Recorder<Bool>())
    let hook = app.onFlush { switching.record(true) }
    Thread { [app] in
      do {
        try database.read { _ in
          inside.record(true)
          block(until: switching)
          _ = try AppGroupsFile(name: "number.json", initialValue: 0, scope: app.scope)
        }
      } catch {
        log.record("\(error)")
      }
    }.start()
    try await inside.wait(for: true)
    Thread { [app, work] in
      do { try app.activate(work) } catch { log.record("\(error)") }
    }.start()
    try await log.wait(for: "the refusal") { $0.first?.contains("inside another change") == true }
    _ = try await app.active.firstValue("the switch of the other thread") { $0.id == work.id }
    hook.cancel()
    #expect(try AppGroupsFile(name: "number.json", initialValue: 0, scope: app.scope).value == 0)
  }

  @Test func `changes of the root are rejected inside an update, and allowed after it`() throws {
    let file = try AppGroupsFile(name: "number.json", initialValue: 0, scope: app.scope)
    // Nested updates of other files of the root are allowed.
    let second = try AppGroupsFile(name: "second.json", initialValue: 0, scope: app.scope)
    let listed = app.environments.value
    try file.update { value in
      value = 1
      try second.update { $0 = 1 }
      #expect(throws: AppContainerError.nested(operation: "create")) { try app.create(name: "New") }
      #expect(throws: AppContainerError.nested(operation: "delete")) { try app.delete(work) }
      #expect(throws: AppContainerError.nested(operation: "clean")) { try app.clean(app.active.value) }
    }
    #expect(app.environments.value == listed && file.value == 1 && second.value == 1)
    try app.activate(work)
    #expect(file.value == 0)
  }

  /// Blocks the thread until a value is recorded.
  private func block(until recorder: Recorder<Bool>) {
    let limit = ContinuousClock.now + .seconds(120)
    while recorder.elements.isEmpty, ContinuousClock.now < limit { usleep(1_000) }
  }
}
