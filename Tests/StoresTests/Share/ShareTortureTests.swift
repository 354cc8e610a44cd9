import Foundation
import Signals
import Stores
import TestSupport
import Testing

/// `SIGNALS_TORTURE=1` runs a hundred rounds.
@Suite("A shared database under random load, with processes killed at random moments", .seeded, .patient)
struct ShareTortureTests {
  let fixture: ShareFixture

  init() throws {
    fixture = try ShareFixture()
  }

  /// The state that results from replaying the changes.
  private struct Replay {
    var present: Set<SQLiteValue> = []
    var last: Int64 = 0
    var faults: [String] = []

    mutating func take(_ changes: ChangeSet) {
      if changes.sequence != last + 1 { faults.append("\(changes.sequence) came where \(last + 1) was due") }
      last = changes.sequence
      let item = changes["item"]
      if item.isEverything { faults.append("\(changes.sequence) told nothing") }
      for key in item.inserted where !present.insert(key).inserted { faults.append("\(key) was inserted twice") }
      for key in item.deleted where present.remove(key) == nil { faults.append("\(key) was deleted twice") }
      for key in item.updated where !present.contains(key) { faults.append("\(key) was updated, and was not there") }
    }
  }

  @Test
  func `the survivor's changes match the table, without a gap or a repetition`() async throws {
    let database = try fixture.database()
    let share = try fixture.share(database, "survivor")
    let incoming = share.incoming.recorded()
    let failures = share.failures.recorded()
    let rounds = Scale.count(6, torture: 100)
    var workers: [PeerProcess] = []
    var chance = Chance()
    for number in 0..<3 { workers.append(try await worker(number, seed: chance.number(below: 1_000_000))) }
    for round in 0..<rounds {
      let victim = round % workers.count
      // A random delay, so that the kill hits at an arbitrary moment.
      try await Task.sleep(for: .milliseconds(1 + chance.number(below: 60)))
      try await workers[victim].kill()
      #expect(try await database.read { try $0.value("PRAGMA integrity_check") } == "ok")
      workers[victim] = try await worker(victim, seed: chance.number(below: 1_000_000))
      Scale.progress("\(round + 1) of \(rounds) killed, \(incoming.elements.count) changes")
    }
    for worker in workers {
      try await worker.send("stop-changing")
      try await worker.send("unshare")
    }
    let (newest, ids) = try await database.read { transaction in
      (
        try transaction.value("SELECT max(sequence) FROM signals_history").int64Value ?? 0,
        try transaction.rows("SELECT id FROM item").map { $0[0] }
      )
    }
    try await incoming.wait(timeout: .seconds(240)) { $0.last?.sequence == newest }
    var replay = Replay()
    for changes in incoming.elements { replay.take(changes) }
    #expect(replay.faults.isEmpty)
    #expect(replay.present == Set(ids))
    #expect(newest > 20)
    #expect(failures.elements.isEmpty)
  }

  private func worker(_ number: Int, seed: Int) async throws -> PeerProcess {
    let peer = try await fixture.peer("worker \(number)")
    try await peer.send("change-items \(seed)")
    return peer
  }
}
