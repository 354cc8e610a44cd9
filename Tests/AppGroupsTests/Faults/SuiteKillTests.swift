import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

/// With `SIGNALS_TORTURE=1`, ten thousand processes are killed.
@Suite("Processes killed while they change a suite", .serialized, .seeded, .patient)
struct SuiteKillTests {
  let fixture: Fixture

  init() throws {
    fixture = try Fixture()
  }

  private func worker(_ name: String, _ durability: String) async throws -> Worker {
    let path = fixture.path
    return try await Worker(name) {
      let peer = try PeerProcess()
      try await peer.send("sealed-key \(path) suite.json \(durability)")
      return peer
    }
  }

  @Test
  func `they lose no reported change, tear nothing, and leave a journal within its bound`() async throws {
    let rounds = Scale.count(20, torture: 10_000)
    let suite = try fixture.suite()
    let sealed = suite.preference("sealed", default: Sealed())
    let reports = Recorder<String>()
    let follower = Follower { reports.record($0) }
    let subscription = sealed.sink { follower.take($0) }
    defer { subscription.cancel() }
    let failures = suite.failures.recorded()
    let journal = fixture.files.appending(path: ".shared/journals/suite.json")
    var workers: [Worker] = []
    for (name, durability) in [("a", "process"), ("b", "process"), ("c", "storage")] {
      workers.append(try await worker(name, durability))
    }
    var (chance, journals) = (Chance(), 0)
    for worker in workers { try await worker.work(.increasing, size: chance.number(below: 8_000)) }
    for round in 1...rounds {
      let victim = workers[chance.number(below: workers.count)]
      if chance.once(in: 2) { try await victim.peer.events.first("some work") { $0.hasPrefix("done ") } }
      try await Task.sleep(for: .microseconds(chance.number(below: 8_000)))
      try await victim.kill()
      let done = victim.base + victim.done
      let value = try sealed.read()
      #expect(value.isWhole)
      let tally = value.tally[victim.name, default: 0]
      #expect(tally == done || tally == done + 1, "\(done) were reported, one more may be done, but \(tally) are there")
      if let bytes = try? Data(contentsOf: journal), bytes.count >= 48 {
        journals += 1
        // The size of the file that it continues; one more value is there when it is found to be too long.
        let base = Int(
          bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: 24, as: UInt64.self)) })
        #expect(bytes.count < 8 * max(65_536, base) + 210_000, "\(base)")
      }
      try await victim.revive(tally: tally)
      try await victim.work(.increasing, size: round.isMultiple(of: 20) ? 200_000 : chance.number(below: 8_000))
      if round.isMultiple(of: 50) {
        Scale.progress("\(round) of \(rounds) killed, \(journals) journals, \(value.count) changes")
      }
    }
    var total = 0
    for worker in workers {
      try await worker.halt()
      total += worker.base
    }
    let sum = total
    #expect(try sealed.read().count == sum)
    follower.expect(epoch: 0, count: sum)
    try await reports.first("the sum of \(sum)", timeout: .seconds(240)) { $0 == "reached 0 \(sum)" }
    #expect(reports.elements.filter { $0.hasPrefix("breach") } == [])
    #expect(failures.elements == [])
    try await suite.synchronize()
    #expect(try fixture.contents(of: fixture.files.appending(path: ".shared")) == ["journals", "suite.json.lock"])
    Scale.progress("\(rounds) killed: \(sum) changes, none lost")
  }
}
