import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Containers

@Suite("Live values follow", .eachLayout, .patient)
struct FollowingTests {
  @Test func `a file follows a switch to the new environment and back`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let file = try AppGroupsFile(name: "name.json", initialValue: "nobody", scope: app.scope)
    let values = file.recorded()
    try file.write("default's")
    let work = try app.create(name: "Work")
    try app.activate(work)
    #expect(file.value == "nobody")
    try file.write("work's")
    try app.activate(id: Environment.defaultID)
    #expect(file.value == "default's")
    #expect(try file.read() == "default's")
    try app.activate(work)
    #expect(values.elements == ["nobody", "default's", "nobody", "work's", "default's", "work's"])
    #expect(file.status.value == .current)
    #expect(app.scope.switchCount.value == 3)
  }

  @Test(arguments: [false, true])
  func `several objects for one file follow together`(areMade: Bool) throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let files = try (0..<3).map { _ in
      try AppGroupsFile(name: "name.json", initialValue: "nobody", scope: app.scope)
    }
    let failures = files.map { $0.failures.recorded() }
    if areMade { try files[1].write("default's") }
    let work = try app.create(name: "Work")
    try app.activate(work)
    for file in files {
      #expect(file.value == "nobody")
      #expect(file.status.value == .current)
    }
    try files[2].write("work's")
    _ = try app.clone(work)
    try app.activate(id: Environment.defaultID)
    for file in files { #expect(file.value == (areMade ? "default's" : "nobody")) }
    for failure in failures { #expect(failure.elements.isEmpty) }
  }

  @Test func `live values follow even if no container object is retained`() async throws {
    let fixture = try Fixture()
    let jar = try CookieJar(scope: fixture.open().scope)
    let url = try #require(URL(string: "https://example.com/"))
    try jar.setCookies(["session=default; Secure"], from: url)
    let peer = try PeerProcess()
    try await peer.send("env \(fixture.root.path)")
    let work = try await peer.send("env-new Work")
    try await peer.send("env-activate \(work)")
    _ = try await jar.cookies.firstValue("no cookies") { $0.isEmpty }
    try jar.setCookies(["session=work; Secure"], from: url)
    try await onThread { try fixture.open().activate(id: Environment.defaultID) }
    #expect(jar.header(for: url) == "session=default")
  }

  @Test func `retaining the switch count is enough to receive its changes`() throws {
    let fixture = try Fixture()
    let epochs = try fixture.open().scope.switchCount.recorded()
    let app = try fixture.open()
    try app.activate(app.create(name: "Work"))
    #expect(epochs.elements == [0, 1])
  }

  @Test func `the engine behind live values is released with the last of them`() async throws {
    final class Member: ScopeMember {
      func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch { PreparedSwitch() }
    }
    let fixture = try Fixture()
    var enrolments = try (0..<2).map { _ in try fixture.open().scope.enrol(Member()) }
    let engine = WeakEngine(try fixture.open().engine)
    enrolments.removeLast()
    #expect(engine.value != nil)
    enrolments.removeLast()
    // Its watch may be calling it at this moment.
    let limit = ContinuousClock.now + .seconds(60)
    while engine.value != nil, ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(1)) }
    #expect(engine.value == nil)
  }

  private struct WeakEngine {
    weak var value: ContainerEngine?
    init(_ value: ContainerEngine) { self.value = value }
  }

  @Test func `a value equal in both environments sends no change`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let file = try AppGroupsFile(name: "name.json", initialValue: "same", scope: app.scope)
    let values = file.recorded()
    try app.activate(app.create(name: "Work"))
    #expect(values.elements == ["same"])
  }

  @Test func `a suite follows a switch with all its values at once`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let suite = try AppGroupsSuite(name: "settings.json", scope: app.scope)
    let theme = suite.signal(forKey: "theme", as: String.self).recorded()
    try suite.set("dark", forKey: "theme")
    try suite.set(3, forKey: "volume")
    try app.activate(app.create(name: "Work"))
    #expect(suite.keys.isEmpty)
    try suite.set("light", forKey: "theme")
    try app.activate(id: Environment.defaultID)
    #expect(suite.keys == ["theme", "volume"])
    #expect(theme.elements == [nil, "dark", nil, "light", "dark"])
  }

  @Test func `a file that closes on a switch reports it and keeps its last value`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let file = try AppGroupsFile(name: "name.json", initialValue: "", scope: app.scope, onSwitch: .closes)
    let failures = file.failures.recorded()
    try file.write("last")
    try app.activate(app.create(name: "Work"))
    let error = AppGroupsFileError.closedBySwitch(file.url)
    #expect(file.value == "last")
    #expect(file.status.value.failure == error)
    #expect(failures.elements == [error])
    #expect(throws: error) { try file.write("more") }
    #expect(throws: error) { try file.update { $0 += "more" } }
    #expect(throws: error) { try file.read() }
    #expect(!fixture.exists("Files/name.json"))
    try app.activate(id: Environment.defaultID)
    #expect(fixture.text("Files/name.json") == "\"last\"\n")
  }

  @Test func `unusable content does not leave the other environment's value in place`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let file = try AppGroupsFile(name: "number.json", initialValue: 0, scope: app.scope)
    try file.write(42)
    let work = try app.create(name: "Work")
    try Tree.write("garbage", to: fixture.data(work).appending(path: "Files/number.json"))
    try app.activate(work)
    #expect(file.value == 0)
    guard case .undecodable = file.status.value.failure else {
      Issue.record("\(file.status.value)")
      return
    }
    #expect(fixture.text("Files/number.json") == "garbage")
    try app.activate(id: Environment.defaultID)
    #expect(file.value == 42 && file.status.value == .current)
  }

  @Test(arguments: [true, false])
  func `a link into an inactive environment is not followed`(isThere: Bool) throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let file = try AppGroupsFile(name: "name.json", initialValue: "nobody", scope: app.scope)
    try file.write("default's")
    let work = try app.create(name: "Work")
    let files = fixture.data(work).appending(path: "Files")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    let target = "../\(fixture.layout.hidden)/\(Environment.defaultID)/data/Files/\(isThere ? "name" : "none").json"
    try FileManager.default.createSymbolicLink(
      atPath: files.appending(path: "name.json").path, withDestinationPath: target)
    try app.activate(work)
    #expect(file.value == "nobody")
    if isThere {
      guard case .outsideContainer = file.status.value.failure else {
        Issue.record("\(file.status.value)")
        return
      }
      #expect(throws: AppGroupsFileError.self) { try file.write("work's") }
      #expect(throws: AppGroupsFileError.self) {
        try AppGroupsFile(name: "name.json", initialValue: "", scope: app.scope)
      }
    }
    try app.activate(id: Environment.defaultID)
    #expect(file.value == "default's")
    #expect(!fixture.exists("Files/none.json"))
  }

  @Test func `an unusable value of a suite is the default, not the other environment's value`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let suite = try AppGroupsSuite(name: "settings.json", scope: app.scope)
    let volume = suite.preference("volume", default: 5)
    try volume.write(11)
    let work = try app.create(name: "Work")
    let text = #"{ "volume": "loud" }"#
    try Tree.write(text, to: fixture.data(work).appending(path: "Files/settings.json"))
    let volumes = volume.recorded()
    try app.activate(work)
    #expect(volume.value == 5)
    try app.activate(id: Environment.defaultID)
    #expect(volumes.elements == [11, 5, 11])
    #expect(suite.preference("volume", default: 5).value == 11)
  }

  @Test func `a failed switch leaves live values unchanged`() throws {
    struct Stop: Error {}
    final class Failing: EnvironmentSettings {
      let name = "Failing"
      func flush(into directory: URL) throws {}
      func load(from directory: URL) throws {
        if !directory.path.contains(Environment.defaultID.uuidString) { throw Stop() }
      }
    }
    let fixture = try Fixture()
    let app = try fixture.open()
    app.add(Failing())
    let file = try AppGroupsFile(name: "number.json", initialValue: 0, scope: app.scope)
    try file.write(1)
    let values = file.recorded()
    let work = try app.create(name: "Work")
    #expect(throws: AppContainerError.self) { try app.activate(work) }
    try file.write(2)
    #expect(values.elements == [1, 2])
    #expect(fixture.text("Files/number.json") == "2\n")
    #expect(app.scope.switchCount.value == 0)
  }

  @Test func `updates during switches each land in one environment`() async throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let file = try AppGroupsFile(name: "count.json", initialValue: 0, scope: app.scope)
    let work = try app.create(name: "Work")
    let rounds = 60
    async let updates = onThread {
      for _ in 0..<rounds { try file.update { $0 += 1 } }
    }
    async let switches = onThread {
      for round in 0..<20 {
        try app.activate(id: round.isMultiple(of: 2) ? work.id : Environment.defaultID)
      }
    }
    _ = try await (updates, switches)
    let first = file.value
    try await app.activate(work)
    #expect(first + file.value == rounds)
    #expect(!fixture.exists(".containers/aside"))
  }

  @Test func `updates that wait for a switch carry nothing over where no file exists yet`() async throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let peer = try PeerProcess()
    try await peer.send("env \(fixture.root.path)")
    let file = try AppGroupsFile(name: "count.json", initialValue: 0, scope: app.scope)
    let rounds = Scale.count(100, torture: 2_000)
    async let counted = peer.send("env-count count.json \(rounds)")
    async let updates = onThread {
      for _ in 0..<rounds { try file.update { $0 += 1 } }
    }
    var sum = 0
    for _ in 0..<Scale.count(25, torture: 200) {
      let next = try app.create(name: "Next")
      try await app.activate(next)
    }
    _ = try await (counted, updates)
    for environment in app.environments.value {
      try await app.activate(environment)
      sum += file.value
    }
    #expect(sum == 2 * rounds)
  }

  @Test func `an update that switches its own file's root is rejected`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let file = try AppGroupsFile(name: "count.json", initialValue: 0, scope: app.scope)
    let work = try app.create(name: "Work")
    try file.update { value in
      value = 1
      #expect(throws: AppContainerError.self) { try app.activate(work) }
    }
    #expect(app.active.value.isDefault && file.value == 1)
    try app.activate(work)
    #expect(file.value == 0)
  }
}
