import AppGroups
import Containers
import Foundation
import Signals
import TestSupport
import Testing

/// Several processes on one root.
@Suite("Containers in several processes")
struct ProcessTests {
  @Test func `two processes that switch one root at the same time never corrupt it`() async throws {
    let world = try World()
    let peers = try [PeerProcess(), PeerProcess()]
    for peer in peers { try await peer.send("env \(world.path)") }
    let count = Scale.count(15, torture: 1_000)
    async let first = peers[0].send("env-hammer \(world.names) \(count) 1")
    async let second = peers[1].send("env-hammer \(world.names) \(count) 2")
    let app = try world.fixture.open()
    try await onThread {
      for round in 0..<count { try app.activateContainer(uuid: world.uuids[round % 3]) }
    }
    _ = try await (first, second)
    let active = try world.check()
    for peer in peers {
      let uuid = try await peer.send("env-new more")
      _ = try await app.list.firstValue("the new list") { $0.last?.uuid == uuid }
      try await peer.send("env-delete \(uuid)")
    }
    try await app.list.recorded().wait(for: "the old list") { $0.last?.count == 3 }
    for peer in peers {
      // What this process has heard of, the others hear of soon.
      try await peer.answers("env-list", world.names)
      #expect(try await peer.send("env-active") == active)
    }
  }

  @Test func `all processes know how often each container was activated, and when the last time`() async throws {
    let world = try World()
    let app = try world.fixture.open()
    let peer = try PeerProcess()
    try await peer.send("env \(world.path)")
    func counts() -> String {
      app.containers.map { container in
        let date = container.lastActivatedDate.map { "\(Int($0.timeIntervalSince1970))" } ?? "never"
        return "\(container.activatedCount) \(date)"
      }.joined(separator: ",")
    }
    let before = app.containers.map(\.activatedCount)
    let start = Date()
    for uuid in [world.uuids[1], world.uuids[2], world.uuids[1]] { try await peer.send("env-activate \(uuid)") }
    let expected = [before[0], before[1] + 2, before[2] + 1]
    let list = try await app.list.firstValue("the new counts") { $0.map(\.activatedCount) == expected }
    #expect(list[0].lastActivatedDate.map { $0 <= start } == true)
    for container in list.dropFirst() {
      let date = try #require(container.lastActivatedDate)
      #expect(date.timeIntervalSince(start) > -1 && date <= Date())
    }
    #expect(app.activeContainer.activatedCount == expected[1])
    try await app.activateContainer(uuid: world.uuids[0])
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
    for uuid in world.uuids {
      try await app.activateContainer(uuid: uuid)
      try await file.write("text of \(uuid)")
    }
    try await app.activateContainer(uuid: Container.defaultUUID)
    let peer = try PeerProcess()
    try await peer.send("env \(world.path)")
    try await peer.send("env-file name.json")
    try await peer.send("env-follow")
    var expected = [Container.defaultUUID]
    let count = Scale.count(20, torture: 1_000)
    for round in 1...count {
      let uuid = world.uuids[round % 3]
      guard uuid != expected.last else { continue }
      try await app.activateContainer(uuid: uuid)
      expected.append(uuid)
      let sequence = expected
      try await peer.events.wait(for: "switch \(round) to \(uuid)") { events in
        events.last { $0.hasPrefix("active ") } == "active \(uuid)"
          && events.last { $0.hasPrefix("value ") } == "value text of \(uuid)"
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

  @Test func `what a reader writes while another process switches is not lost`() async throws {
    let world = try World()
    let app = try world.fixture.open()
    let peer = try PeerProcess()
    try await peer.send("env \(world.path)")
    try await peer.send("env-file text.json")
    async let switches = onThread {
      for round in 1...10 { try app.activateContainer(uuid: world.uuids[round % 3]) }
    }
    for round in 1...20 { try await peer.send("env-write text \(round)") }
    try await switches
    let last = world.uuids.contains { uuid in
      let url = uuid == app.activeContainer.uuid ? world.fixture.root : world.fixture.url(".containers/\(uuid)/data")
      return Tree.text(url.appending(path: "Files/text.json")) == "\"text 20\"\n"
    }
    #expect(last)
    #expect(!world.fixture.exists(".containers/aside"))
  }

  @Test func `live values let go of what another process has removed from the active container`() async throws {
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
    let (events, epochs) = (app.events.recorded(), app.scope.swapCount.recorded())
    try await peer.send("env-clean \(Container.defaultUUID)")
    try await onThread {
      try counted.update { $0 += 1 }
      try jar.setCookies(["new=2; Max-Age=3600"], from: url)
    }
    #expect(fixture.text("Files/count.json") == "1\n")
    #expect(jar.header(for: url) == "new=2")
    try await shown.recorded().wait(for: "the initial value") { $0.last == "nothing" }
    try await epochs.wait(for: "the new contents") { $0.last == 1 }
    // The container is the same as before.
    try app.createNewContainer(name: "Next")
    #expect(events.elements.isEmpty)
    #expect(counted.value == 1)
  }
}

extension PeerProcess {
  /// Asks until the answer is the one that must come.
  fileprivate func answers(_ command: String, _ answer: String) async throws {
    let limit = ContinuousClock.now + .seconds(240)
    while try await send(command) != answer {
      try #require(ContinuousClock.now < limit, "\(command) never answered \(answer)")
      try await Task.sleep(for: .milliseconds(5))
    }
  }
}
