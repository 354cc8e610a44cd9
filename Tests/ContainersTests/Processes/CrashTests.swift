import AppGroups
import Containers
import Foundation
import Signals
import TestSupport
import Testing

/// The state after a process is killed while it switches.
@Suite("Crashes of switching", .eachLayout)
struct CrashTests {
  /// Lets a peer switch, and kills it at a step.
  ///
  /// - Returns: `false` if the switch has fewer steps.
  private func crash(_ world: World, at step: Int, to id: UUID) async throws -> Bool {
    let peer = try PeerProcess()
    try await peer.send("env \(world.path)")
    try await peer.send("env-crash \(step)")
    do {
      try await peer.send("env-activate \(id)")
      return false
    } catch PeerProcess.Failure.gone {
      return true
    }
  }

  @Test func `a process killed at any step leaves exactly the old environment or the new one`() async throws {
    let world = try World(environments: 2)
    var outcomes: [String] = []
    for step in 1... {
      guard try await crash(world, at: step, to: world.ids[1]) else { break }
      outcomes.append(try world.check("step \(step)").uuidString)
      try await world.fixture.open().activate(id: Environment.defaultID)
      try world.check("after step \(step)")
    }
    // One step decides: before it, the old environment is active, and from then on the new one.
    #expect(outcomes.count > 15)
    #expect(outcomes == outcomes.sorted() && Set(outcomes).count == 2)
  }

  @Test func `after a process is killed while it renames an environment, all processes show the name in the record`()
    async throws
  {
    let world = try World(environments: 3)
    let onlooker = try world.fixture.open()
    let record = ".containers/\(world.ids[1])/info.json"
    let before = world.fixture.text(record)
    let peer = try PeerProcess()
    try await peer.send("env \(world.path)")
    try await peer.send("env-crash 1")
    do {
      try await peer.send("env-rename \(world.ids[1]) Other")
      Issue.record("An update has no step")
    } catch PeerProcess.Failure.gone {
      #expect(world.fixture.text(record) == before, "the record was replaced before the revision was raised")
    }
    let next = try PeerProcess()
    try await next.send("env \(world.path)")
    try await next.send("env-rename \(world.ids[1]) Another")
    // A switch between other environments does not look at the record.
    try await next.send("env-activate \(world.ids[2])")
    _ = try await onlooker.environments.firstValue("the new name") { $0.contains { $0.name == "Another" } }
    try await onlooker.activate(id: Environment.defaultID)
    #expect(onlooker.environments.value.first { $0.id == world.ids[1] }?.name == "Another")
  }

  @Test func `an observing process undoes a killed process's switch`() async throws {
    let world = try World(environments: 2)
    let onlooker = try world.fixture.open()
    for step in 1... {
      guard try await crash(world, at: step, to: world.ids[1]) else { break }
      let limit = ContinuousClock.now + .seconds(120)
      while world.fixture.exists(".containers/journal.json") {
        try #require(ContinuousClock.now < limit, "Nobody has cleared up after step \(step)")
        try await Task.sleep(for: .milliseconds(1))
      }
      try world.check("step \(step)")
      try await onlooker.activate(id: Environment.defaultID)
    }
  }

  @Test func `a read in the middle of a switch waits, and shows the environment that is active afterwards`()
    async throws
  {
    let fixture = try Fixture(filled: false)
    let app = try fixture.open()
    let other = try app.create(name: "Other").id
    let file = try AppGroupsFile(name: "name.json", initialValue: "default", scope: app.scope)
    let steps = Recorder<SwitchStep>()
    app.onStep { steps.record($0) }
    try await app.activate(id: other)
    let count = steps.elements.count
    try await file.write("other")
    var outcomes: [String] = []
    for step in 1...count {
      try await app.activate(id: Environment.defaultID)
      let peer = try PeerProcess()
      try await peer.send("env \(fixture.root.path)")
      try await peer.send("env-pause \(step)")
      let switching = Task { try await peer.send("env-activate \(other)") }
      try await peer.events.wait(for: "step \(step)") { !$0.isEmpty }
      let reading = Task { try await onThread { try file.read() } }
      try await peer.kill()
      _ = await switching.result
      let value = try await reading.value
      outcomes.append(value)
      let isDefault = try fixture.open().active.value.isDefault
      #expect(value == (isDefault ? "default" : "other"), "step \(step)")
    }
    #expect(outcomes == outcomes.sorted() && Set(outcomes).count == 2)
  }

  @Test func `an undone switch counts as a switch, because others may have opened its files meanwhile`() async throws {
    let world = try World(environments: 2)
    let scope = try world.fixture.open().scope
    let count = scope.switchCount.value
    #expect(try await crash(world, at: 6, to: world.ids[1]))
    _ = try await scope.switchCount.firstValue("the undone switch") { $0 == count + 1 }
    #expect(try world.fixture.open().active.value.isDefault)
    try world.check("afterwards")
  }

  @Test func `a process killed during recovery does no harm either`() async throws {
    let world = try World(environments: 2)
    let first = Scale.isTorture ? Array(3...20) : [6, 13]
    for step in first {
      for second in 1... {
        guard try await crash(world, at: step, to: world.ids[1]) else { break }
        let peer = try PeerProcess()
        try await peer.send("env-crash \(second)")
        do {
          try await peer.send("env \(world.path)")
          break
        } catch PeerProcess.Failure.gone {
          try world.check("steps \(step) and \(second)")
          try await world.fixture.open().activate(id: Environment.defaultID)
        }
        Scale.progress("killed at step \(step), then at \(second)")
      }
      try await world.fixture.open().activate(id: Environment.defaultID)
      try world.check("step \(step)")
    }
  }

  @Test func `a process killed at any moment leaves exactly one environment active, and all of them whole`()
    async throws
  {
    let world = try World()
    var chance = Chance(seed: 20)
    let count = Scale.count(10, torture: 500)
    for round in 1...count {
      let peer = try PeerProcess()
      try await peer.send("env \(world.path)")
      try await peer.send("env-endless \(world.names) \(round)")
      try await Task.sleep(for: .microseconds(chance.number(below: 30_000)))
      try await peer.kill()
      try world.check("round \(round)")
      if round.isMultiple(of: 50) { Scale.progress("killed \(round) of \(count)") }
    }
  }

  @Test func `a process killed while it copies, cleans or deletes leaves no partial environment`() async throws {
    for command in ["env-clone", "env-delete", "env-clean"] {
      for step in [1, 2] {
        let world = try World(environments: 2)
        let peer = try PeerProcess()
        try await peer.send("env \(world.path)")
        try await peer.send("env-crash \(step)")
        do {
          try await peer.send("\(command) \(command == "env-clean" ? Environment.defaultID : world.ids[1])")
        } catch PeerProcess.Failure.gone {
          // The kill was intended.
        }
        let app = try world.fixture.open()
        #expect(app.active.value.isDefault)
        let names = try FileManager.default.contentsOfDirectory(atPath: world.fixture.url(".containers").path)
        #expect(!names.contains { $0.hasPrefix(".new") || $0.hasPrefix(".gone") }, "\(command) \(step)")
        let live = try world.fixture.live()
        #expect(live == world.trees[Environment.defaultID] || command == "env-clean" && live.isEmpty)
      }
    }
  }
}
