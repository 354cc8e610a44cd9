import AppGroups
import Dispatch
import Foundation
import Signals
import SignalsTesting
import Synchronization
import TestSupport
import Testing

@testable import Containers

@Suite("A switch is one change", .eachLayout, .patient)
struct OneChangeTests {
  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  /// The values that a subscriber sees at one moment.
  struct Moment: Equatable, Sendable {
    let first, second, suite, active: String
    var isMixed: Bool { Set([first, second, suite, active]).count > 1 }
  }

  /// Two files, a suite and the active environment, which all hold the environment's name.
  struct Values: Sendable {
    let first, second: AppGroupsFile<String>
    let suite: AppGroupsSuite
    let name: SuiteValue<String>
    let all: Property<Moment>

    init(_ app: AppContainer) throws {
      first = try AppGroupsFile(name: "first.json", initialValue: "", scope: app.scope)
      second = try AppGroupsFile(name: "second.json", initialValue: "", scope: app.scope)
      suite = try AppGroupsSuite(name: "suite.json", scope: app.scope)
      name = suite.preference("name", default: "")
      all = .derived(first.property, second.property, name.property, app.active) {
        Moment(first: $0, second: $1, suite: $2, active: $3.id.uuidString)
      }
    }

    func write(_ name: String) throws {
      try first.write(name)
      try second.write(name)
      try suite.set(name, forKey: "name")
    }
  }

  private let fixture: Fixture
  private let app: AppContainer
  private let values: Values
  private let ids: [UUID]

  private var names: String { ids.map(\.uuidString).joined(separator: ",") }

  /// Creates three environments, each with its name in all values.
  init() throws {
    fixture = try Fixture(filled: false)
    let app = try fixture.open()
    self.app = app
    values = try Values(app)
    let made = try ["Work", "Play"].map { try app.create(name: $0).id }
    ids = [AppContainer.Environment.defaultID] + made
    for id in ids.reversed() {
      try app.activate(id: id)
      try values.write(id.uuidString)
    }
  }

  @Test func `a value derived from members of a scope and the active environment is sent once and never mixed`() throws
  {
    let moments = values.all.recorded()
    let hops = (0..<12).map { ids[($0 + 1) % 3] }
    for id in hops { try app.activate(id: id) }
    #expect(moments.elements.filter(\.isMixed) == [])
    #expect(moments.elements.map(\.active) == ([ids[0]] + hops).map(\.uuidString))
  }

  @Test func `a subscriber of one member reads the new environment from all others`() throws {
    let mixed = Mutex<[String]>([])
    let (values, app) = (values, app)
    let check: @Sendable (String) -> Void = { name in
      let now = [values.first.value, values.second.value, values.all.value.suite, app.active.value.id.uuidString]
      if Set(now).count > 1 { mixed.withLock { $0.append("\(name): \(now)") } }
    }
    let subscriptions = [
      values.first.sink { _ in check("first") }, values.second.sink { _ in check("second") },
      values.suite.sink { _ in check("suite") }, app.active.sink { _ in check("active") },
      app.scope.switchCount.sink { _ in check("count") },
      app.events.sink { if case .didChange = $0 { check("event") } },
    ]
    for round in 0..<12 { try app.activate(id: ids[(round + 1) % 3]) }
    #expect(mixed.withLock { $0 } == [])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `subscribers in another process never see a mixed value, and end with the last environment`() async throws
  {
    let peer = try PeerProcess()
    try await peer.send("env \(fixture.root.path)")
    let moments = values.all.recorded()
    try await peer.send("env-hammer \(names) \(Scale.count(60, torture: 2_000)) 7")
    let active = try await peer.send("env-active")
    _ = try await values.all.firstValue("the last environment") { $0.active == active && !$0.isMixed }
    #expect(moments.elements.filter(\.isMixed) == [])
  }

  @Test func `writes during switches by another process reach the environment whose value they changed`() async throws {
    let peer = try PeerProcess()
    try await peer.send("env \(fixture.root.path)")
    let moments = values.all.recorded()
    let count = Scale.count(40, torture: 1_000)
    async let hops = peer.send("env-hammer \(names) \(count) 11")
    try await onThread {
      // Each update writes the value it found. In the wrong environment, that would replace the value there.
      for _ in 0..<count { try values.first.update { $0 = String($0.prefix(36)) } }
    }
    _ = try await hops
    #expect(moments.elements.filter(\.isMixed) == [])
    for id in ids {
      try await app.activate(id: id)
      #expect(try values.first.read() == id.uuidString)
    }
  }

  @Test func `activating inside any subscriber of the change is rejected`() throws {
    let errors = Mutex<[String: AppContainerError]>([:])
    let (app, ids) = (app, ids)
    let activate: @Sendable (String) -> Void = { name in
      do throws(AppContainerError) {
        try app.activate(id: ids[2])
      } catch {
        errors.withLock { $0[name] = error }
      }
    }
    let isArmed = Flag()
    let whenArmed: @Sendable (String) -> Void = { if isArmed.isSet.load(ordering: .relaxed) { activate($0) } }
    let subscriptions = [
      values.first.sink { _ in whenArmed("file") }, values.suite.sink { _ in whenArmed("suite") },
      values.all.sink { _ in whenArmed("derived") }, app.active.sink { _ in whenArmed("active") },
    ]
    isArmed.isSet.store(true, ordering: .relaxed)
    try app.activate(id: ids[1])
    isArmed.isSet.store(false, ordering: .relaxed)
    let nested = AppContainerError.nested(operation: "activate")
    #expect(errors.withLock { $0 } == ["file": nested, "suite": nested, "derived": nested, "active": nested])
    #expect(app.active.value.id == ids[1])
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a subscriber may wait for a thread that opens a file of the scope`() async throws {
    let app = app
    let opened = Mutex(0)
    try await onThread {
      let subscription = values.first.sink { _ in
        let isDone = DispatchSemaphore(value: 0)
        Thread {
          let file = try? AppGroupsFile(name: "other.json", initialValue: 0, scope: app.scope)
          if file != nil { opened.withLock { $0 += 1 } }
          isDone.signal()
        }.start()
        isDone.wait()
      }
      try app.activate(id: ids[1])
      withExtendedLifetime(subscription) {}
    }
    #expect(opened.withLock { $0 } == 2)
  }

  @Test func `a subscriber may write members of the scope, and the value goes to the new environment`() throws {
    let (first, second) = (values.first, values.second)
    let subscription = first.property.dropFirst().sink { try? second.write("\($0)!") }
    try app.activate(id: ids[1])
    subscription.cancel()
    #expect(second.value == ids[1].uuidString + "!")
    try app.activate(id: ids[0])
    #expect(second.value == ids[0].uuidString)
  }
}
