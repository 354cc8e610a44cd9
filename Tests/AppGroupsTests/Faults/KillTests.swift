import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

/// With `SIGNALS_TORTURE=1`, each test runs hundreds of rounds.
@Suite("Processes killed at random moments", .serialized, .seeded, .patient)
struct KillTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private func worker(_ name: String, on file: String, _ durability: Durability) async throws -> Worker {
    let path = fixture.path
    return try await Worker(name) {
      let peer = try PeerProcess()
      try await peer.send("sealed \(path) \(file) \(durability)")
      return peer
    }
  }

  private func sealed(_ name: String) throws -> AppGroupsFile<Sealed> {
    try AppGroupsFile(name: name, initialValue: Sealed(), container: fixture.container)
  }

  /// Kills the worker at a random moment: soon after its start, while files are opened and created, or during its work.
  private func strike(_ worker: Worker, _ chance: inout Chance) async throws {
    if chance.once(in: 2) { try await worker.peer.events.first("some work") { $0.hasPrefix("done ") } }
    try await Task.sleep(for: .microseconds(chance.number(below: 8_000)))
    try await worker.kill()
  }

  @Test
  func `killed updaters lose no reported increment, tear nothing, and block no other process`() async throws {
    let rounds = Scale.count(15, torture: 500)
    let file = try sealed("tally.json")
    let reports = Recorder<String>()
    let follower = Follower { reports.record($0) }
    let subscription = file.sink { follower.take($0) }
    defer { subscription.cancel() }
    let failures = file.failures.recorded()
    var workers: [Worker] = []
    for (name, durability) in [("a", Durability.process), ("b", .process), ("c", .storage)] {
      workers.append(try await worker(name, on: "tally.json", durability))
    }
    var chance = Chance()
    for worker in workers { try await worker.work(.increasing, size: chance.number(below: 200_000)) }
    for round in 1...rounds {
      let victim = workers[chance.number(below: workers.count)]
      try await strike(victim, &chance)
      let done = victim.base + victim.done
      // Deadlocks if the lock was not released.
      let value = try await file.update { value in
        value.increment(by: "test")
        return value
      }
      #expect(value.isWhole)
      let tally = value.tally[victim.name, default: 0]
      #expect(tally == done || tally == done + 1, "\(done) were reported, one more may be done, but \(tally) are there")
      #expect(value.tally["test"] == round)
      try await victim.revive(tally: tally)
      try await victim.work(.increasing, size: round.isMultiple(of: 3) ? 200_000 : chance.number(below: 5_000))
      if round.isMultiple(of: 50) { Scale.progress("\(round) of \(rounds) updaters killed, \(value.count) increments") }
    }
    var total = rounds
    for worker in workers {
      try await worker.halt()
      total += worker.base
    }
    let sum = total
    #expect(try file.read().count == sum)
    follower.expect(epoch: 0, count: sum)
    try await reports.first("the sum of \(sum)", timeout: .seconds(240)) { $0 == "reached 0 \(sum)" }
    #expect(reports.elements.filter { $0.hasPrefix("breach") } == [])
    #expect(failures.elements == [])
    try await file.update { $0.increment(by: "test") }
    #expect(try fixture.contents(of: fixture.files.appending(path: ".shared")) == ["tally.json.lock"])
    Scale.progress("\(rounds) updaters killed: \(sum) increments, none lost")
  }

  @Test
  func `a killed writer leaves its last value or the previous one, and at most one temporary file`() async throws {
    let rounds = Scale.count(15, torture: 500)
    let file = try sealed("written.json")
    // Waiting for the disk makes more of them die during a write.
    let writer = try await worker("w", on: "written.json", .storage)
    let folder = fixture.files.appending(path: ".shared")
    var litter = 0
    var chance = Chance()
    try await writer.work(.replacing, size: 200_000)
    for round in 1...rounds {
      try await strike(writer, &chance)
      let value = try file.read()
      #expect(value.isWhole)
      let (number, done) = (value.tally["w", default: writer.base], writer.base + writer.done)
      #expect(
        number == done || number == done + 1, "\(done) was reported, the next may be stored, but the value is \(number)"
      )
      let beside = try fixture.contents(of: folder)
      #expect(beside == ["written.json.lock"] || beside == ["written.json.lock", "written.json.tmp"])
      litter += beside.count - 1
      // Deadlocks if the lock was not released.
      try await file.update { $0.increment(by: "test") }
      #expect(try fixture.contents(of: folder) == ["written.json.lock"], "the next write removes leftovers")
      try await writer.revive(tally: number)
      try await writer.work(.replacing, size: chance.number(below: 400_000))
      if round.isMultiple(of: 50) { Scale.progress("\(round) of \(rounds) writers killed, \(litter) amid a write") }
    }
    try await writer.halt()
    let last = try file.read()
    try await file.firstValue { $0 == last }
    try await file.status.firstValue { $0 == .current }
    Scale.progress("\(rounds) writers killed, \(litter) of them amid a write")
  }

  @Test
  func `a process killed while it creates a file leaves a whole file or none, and the next one can create it`()
    async throws
  {
    let rounds = Scale.count(10, torture: 300)
    var made = 0
    var chance = Chance()
    for round in 1...rounds {
      let name = "new\(round).json"
      let peer = try PeerProcess()
      // It is usually killed before it can answer.
      let opening = Task { try? await peer.send("sealed \(fixture.path) \(name) storage") }
      try await Task.sleep(for: .microseconds(chance.number(below: 30_000)))
      try await peer.kill()
      _ = await opening.value
      let content = Result { try DurableFile.read(fixture.url(name)) }
      if case .success(let data) = content {
        #expect(try JSONDecoder().decode(Sealed.self, from: data) == Sealed())
        made += 1
      }
      let file = try sealed(name)
      #expect(file.value == Sealed())
      try await file.update { $0.increment(by: "test") }
      let beside = try fixture.contents(of: fixture.files.appending(path: ".shared"))
      #expect(beside.filter { $0.hasSuffix(".tmp") } == [])
    }
    Scale.progress("\(rounds) killed while they made a file, \(made) after it was there")
  }
}
