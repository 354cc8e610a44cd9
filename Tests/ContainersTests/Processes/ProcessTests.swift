import AppGroups
import Containers
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// Several processes on one root.
@Suite("Environments in several processes", .eachLayout, .patient)
struct ProcessTests {
  @Test func `two processes that switch one root concurrently never corrupt it`() async throws {
    let world = try World()
    let peers = try [PeerProcess(), PeerProcess()]
    for peer in peers { try await peer.send("env \(world.path)") }
    let count = Scale.count(15, torture: 1_000)
    async let first = peers[0].send("env-hammer \(world.names) \(count) 1")
    async let second = peers[1].send("env-hammer \(world.names) \(count) 2")
    let app = try world.fixture.open()
    try await onThread {
      for round in 0..<count { try app.activate(id: world.ids[round % 3]) }
    }
    _ = try await (first, second)
    let active = try world.check()
    for peer in peers {
      let id = try await identifier(peer.send("env-new more"))
      _ = try await app.environments.firstValue("the new list") { $0.last?.id == id }
      try await peer.send("env-delete \(id)")
    }
    try await app.environments.recorded().wait(for: "the old list") { $0.last?.count == 3 }
    for peer in peers {
      // The other processes soon learn what this process has.
      try await peer.answers("env-list", world.names)
      #expect(try await peer.send("env-active") == active.uuidString)
    }
  }

  @Test func `everyone finds which process switched last, and why`() async throws {
    let world = try World()
    let app = try world.fixture.open()
    let peer = try PeerProcess()
    try await peer.send("env \(world.path)")
    try await peer.send("because demo env-activate \(world.ids[1])")
    _ = try await app.active.firstValue("the switch") { $0.id == world.ids[1] }
    #expect(app.provenance?.processIdentifier == peer.identifier && app.provenance?.cause == "demo")
    try await app.activate(id: world.ids[2])
    #expect(app.provenance?.isThisProcess == true && app.provenance?.cause == nil)
  }

  @Test func `all processes see how often and when each environment was activated`() async throws {
    let world = try World()
    let app = try world.fixture.open()
    let peer = try PeerProcess()
    try await peer.send("env \(world.path)")
    func counts() -> String {
      app.environments.value.map { environment in
        let date = environment.lastActivatedAt.map { "\(Int($0.timeIntervalSince1970))" } ?? "never"
        return "\(environment.activationCount) \(date)"
      }.joined(separator: ",")
    }
    let before = app.environments.value.map(\.activationCount)
    let start = Date()
    for id in [world.ids[1], world.ids[2], world.ids[1]] { try await peer.send("env-activate \(id)") }
    let expected = [before[0], before[1] + 2, before[2] + 1]
    let list = try await app.environments.firstValue("the new counts") { $0.map(\.activationCount) == expected }
    #expect(list[0].lastActivatedAt.map { $0 <= start } == true)
    for environment in list.dropFirst() {
      let date = try #require(environment.lastActivatedAt)
      #expect(date.timeIntervalSince(start) > -1 && date <= Date())
    }
    #expect(app.active.value.activationCount == expected[1])
    try await app.activate(id: world.ids[0])
    try await peer.answers("env-counts", counts())
    let new = try await peer.send("env-new Never")
    #expect(try await peer.send("env-counts").hasSuffix(",0 never"))
    let next = try PeerProcess()
    try await next.send("env \(world.path)")
    #expect(try await next.send("env-counts") == peer.send("env-counts"), "\(new)")
  }

  @Test func `the live values of a reader in another process follow all switches in order`() async throws {
    let world = try World()
    let app = try world.fixture.open()
    let file = try AppGroupsFile(name: "name.json", initialValue: "", scope: app.scope)
    for id in world.ids {
      try await app.activate(id: id)
      try await file.write("text of \(id)")
    }
    try await app.activate(id: Environment.defaultID)
    let peer = try PeerProcess()
    try await peer.send("env \(world.path)")
    try await peer.send("env-file name.json")
    try await peer.send("env-follow")
    var expected = [Environment.defaultID]
    let count = Scale.count(20, torture: 1_000)
    for round in 1...count {
      let id = world.ids[round % 3]
      guard id != expected.last else { continue }
      try await app.activate(id: id)
      expected.append(id)
      let sequence = expected
      try await peer.events.wait(for: "switch \(round) to \(id)") { events in
        events.last { $0.hasPrefix("active ") } == "active \(id)"
          && events.last { $0.hasPrefix("value ") } == "value text of \(id)"
          && events.count { $0.hasPrefix("did ") } == sequence.count - 1
      }
      if round.isMultiple(of: 100) { Scale.progress("followed \(round) of \(count)") }
    }
    let events = peer.events.elements
    #expect(events.filter { $0.hasPrefix("active ") } == expected.map { "active \($0)" })
    #expect(events.filter { $0.hasPrefix("value ") } == expected.map { "value text of \($0)" })
    #expect(events.filter { $0.hasPrefix("did ") } == zip(expected, expected.dropFirst()).map { "did \($0) \($1)" })
    #expect(!events.contains { $0.hasPrefix("will") || $0.hasPrefix("failed") })
  }

  @Test func `a reader's writes during another process's switch are not lost`() async throws {
    let world = try World()
    let app = try world.fixture.open()
    let peer = try PeerProcess()
    try await peer.send("env \(world.path)")
    try await peer.send("env-file text.json")
    async let switches = onThread {
      for round in 1...10 { try app.activate(id: world.ids[round % 3]) }
    }
    for round in 1...20 { try await peer.send("env-write text \(round)") }
    try await switches
    let last = world.ids.contains { id in
      let url = id == app.active.value.id ? world.fixture.root : world.fixture.url(".containers/\(id)/data")
      return Tree.text(url.appending(path: "Files/text.json")) == "\"text 20\"\n"
    }
    #expect(last)
    #expect(!world.fixture.exists(".containers/aside"))
  }

  @Test func `live values drop content that another process removed from the active environment`() async throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let peer = try PeerProcess()
    try await peer.send("env \(fixture.root.path)")
    let (shown, counted) = try (
      AppGroupsFile(name: "shown.json", initialValue: "nothing", scope: app.scope),
      AppGroupsFile(name: "count.json", initialValue: 0, scope: app.scope)
    )
    let jar = try CookieJar(scope: app.scope)
    let url = try #require(URL(string: "https://www.example.com/"))
    try await onThread {
      try shown.write("something")
      try counted.write(41)
      try jar.setCookies(["old=1; Max-Age=3600"], from: url)
    }
    let (events, epochs) = (app.events.recorded(), app.scope.switchCount.recorded())
    try await peer.send("env-clean \(Environment.defaultID)")
    try await onThread {
      try counted.update { $0 += 1 }
      try jar.setCookies(["new=2; Max-Age=3600"], from: url)
    }
    #expect(fixture.text("Files/count.json") == "1\n")
    #expect(jar.header(for: url) == "new=2")
    try await shown.recorded().wait(for: "the initial value") { $0.last == "nothing" }
    try await epochs.wait(for: "the new contents") { $0.last == 1 }
    // The same environment is still active.
    try app.create(name: "Next")
    #expect(events.elements.isEmpty)
    #expect(counted.value == 1)
  }
}

extension PeerProcess {
  /// Repeats a command until it has the expected answer.
  fileprivate func answers(_ command: String, _ answer: String) async throws {
    let limit = ContinuousClock.now + .seconds(240)
    while try await send(command) != answer {
      try #require(ContinuousClock.now < limit, "\(command) never answered \(answer)")
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
