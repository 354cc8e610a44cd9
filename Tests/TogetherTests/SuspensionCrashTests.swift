import Foundation
import TestSupport
import TestWorld
import Testing

/// With `SIGNALS_TORTURE=1`, a process is killed at every step.
@Suite("Processes killed while they are suspended or resumed", .serialized, .patient, .seeded)
struct SuspensionCrashTests {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func start(_ name: String) async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("shared \(folder.url.path) \(name) 0")
    return peer
  }

  private func write(_ peer: PeerProcess, _ chance: inout Chance) async throws {
    try await peer.send("shared-step \(chance.number(below: 1 << 30)) 8")
  }

  private func tally(of peer: PeerProcess) async throws -> SharedGroup.Tally {
    try JSONDecoder().decode(SharedGroup.Tally.self, from: Data(await peer.send("shared-report").utf8))
  }

  /// Checks that a process has the writes of all, and returns the number of events that it received again.
  private func converge(_ peer: PeerProcess, to all: SharedGroup.Tally) async throws -> Int {
    let json = String(decoding: try JSONEncoder().encode(all), as: UTF8.self)
    let words = try await peer.send("shared-converge \(json)").split(separator: " ", maxSplits: 1)
    #expect(words.count == 1, "\(words)")
    return Int(words.first ?? "") ?? .max
  }

  /// Suspends a process and resumes it, while another one writes.
  private func suspend(_ victim: PeerProcess, beside other: PeerProcess, _ chance: inout Chance) async throws {
    try await victim.send("shared-suspend")
    try await write(other, &chance)
    try await victim.send("shared-resume")
  }

  @Test func `a process killed at a step loses nothing, blocks no other, and its successor continues`() async throws {
    var chance = Chance()
    let other = try await start("Bell")
    var victim = try await start("Ada")
    try await victim.send("shared-crash 0")
    try await suspend(victim, beside: other, &chance)
    let steps = Int(try await victim.send("shared-steps")) ?? 0
    #expect(steps > 20)
    let chosen = Scale.isTorture ? Array(1...steps) : (0..<6).map { _ in 1 + chance.number(below: steps) }
    var all = SharedGroup.Tally()
    var duplicates = 0
    for step in chosen {
      try await write(victim, &chance)
      all.add(try await tally(of: victim))
      try await victim.send("shared-crash \(step)")
      do {
        try await suspend(victim, beside: other, &chance)
      } catch PeerProcess.Failure.gone {}
      // The number of steps varies a little, so the last ones may not be reached.
      try await victim.kill()
      // Waits forever if a lock was not released.
      try await write(other, &chance)
      victim = try await start("Ada")
      var sum = all
      sum.add(try await tally(of: other))
      duplicates = try await converge(victim, to: sum)
      #expect(try await converge(other, to: sum) == 0)
      Scale.progress("killed at step \(step) of \(steps), \(duplicates) events received twice")
    }
  }
}

extension SharedGroup.Tally {
  fileprivate mutating func add(_ other: Self) {
    file += other.file
    suite += other.suite
    events += other.events
    rows += other.rows
  }
}
