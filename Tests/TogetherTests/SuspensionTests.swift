import CLibrary
import Foundation
import TestSupport
import TestWorld
import Testing

@Suite("Processes that are suspended or stopped", .serialized, .patient, .seeded)
struct SuspensionTests {
  private static let names = ["Ada", "Bell", "Curie", "Dirac"]

  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  /// Starts processes that have everything of one container open.
  private func start(lockTimeout: Int) async throws -> [PeerProcess] {
    var peers: [PeerProcess] = []
    for name in Self.names {
      let peer = try PeerProcess()
      try await peer.send("shared \(folder.url.path) \(name) \(lockTimeout)")
      peers.append(peer)
    }
    return peers
  }

  private func tally(of peer: PeerProcess) async throws -> SharedGroup.Tally {
    try JSONDecoder().decode(SharedGroup.Tally.self, from: Data(await peer.send("shared-report").utf8))
  }

  /// Checks that every process has the writes of all.
  private func converge(_ peers: [PeerProcess], duplicates: Int = 0) async throws -> SharedGroup.Tally {
    var all = SharedGroup.Tally()
    for peer in peers {
      let one = try await tally(of: peer)
      all.file += one.file
      all.suite += one.suite
      all.events += one.events
      all.rows += one.rows
    }
    let json = String(decoding: try JSONEncoder().encode(all), as: UTF8.self)
    for peer in peers {
      let words = try await peer.send("shared-converge \(json)").split(separator: " ", maxSplits: 1)
      #expect(words.count == 1, "\(words)")
      #expect(Int(words.first ?? "") ?? .max <= duplicates, "events that were received twice")
    }
    return all
  }

  private func expectNoLocks(of peer: PeerProcess) throws {
    let locked = try LockTable.files(in: folder.url, lockedBy: peer.identifier)
    #expect(locked == [])
  }

  @Test func `under load, a suspended process holds no lock, others go on, and nothing is lost`() async throws {
    let peers = try await start(lockTimeout: 0)
    var chance = Chance()
    for peer in peers { try await peer.send("shared-work \(chance.number(below: 1 << 30))") }
    for round in 1...Scale.count(6, torture: 200) {
      let victim = chance.number(below: peers.count)
      try await peers[victim].send("shared-suspend")
      try expectNoLocks(of: peers[victim])
      let others = peers.indices.filter { $0 != victim }
      let present = Self.names.enumerated().map { $0 == victim ? $1 + "*" : $1 }.joined(separator: ",")
      for index in others {
        let known = try await tally(of: peers[index]).total
        try await peers[index].send("shared-step \(chance.number(below: 1 << 30)) 20")
        #expect(try await tally(of: peers[index]).total >= known + 20)
        try await peers[index].send("shared-present \(present)")
      }
      try expectNoLocks(of: peers[victim])
      try await peers[victim].send("shared-resume")
      try await peers[others[0]].send("shared-present \(Self.names.joined(separator: ","))")
      Scale.progress("\(round) suspensions")
    }
    for peer in peers { try await peer.send("shared-stop") }
    let all = try await converge(peers)
    #expect(all.file > 0 && all.suite > 0 && all.events > 0 && all.rows > 0)
  }

  @Test func `all processes can be suspended together, and none of them holds a lock`() async throws {
    let peers = try await start(lockTimeout: 0)
    var chance = Chance()
    for peer in peers { try await peer.send("shared-work \(chance.number(below: 1 << 30))") }
    for _ in 1...Scale.count(2, torture: 50) {
      for peer in peers { try await peer.send("shared-step \(chance.number(below: 1 << 30)) 5") }
      for peer in peers { try await peer.send("shared-suspend") }
      for peer in peers { try expectNoLocks(of: peer) }
      for peer in peers { try await peer.send("shared-resume") }
    }
    for peer in peers { try await peer.send("shared-stop") }
    _ = try await converge(peers)
  }

  @Test
  func `a process that is stopped at a random moment delays others for a limited time, and is named`() async throws {
    let peers = try await start(lockTimeout: 200)
    var chance = Chance()
    for peer in peers { try await peer.send("shared-work \(chance.number(below: 1 << 30))") }
    for round in 1...Scale.count(10, torture: 500) {
      let victim = chance.number(below: peers.count)
      // A random moment, not a wait for something.
      try await Task.sleep(for: .microseconds(chance.number(below: 20_000)))
      peers[victim].signal(SIGSTOP)
      let other = peers[(victim + 1) % peers.count]
      let before = try await tally(of: other)
      try await other.send("shared-step \(chance.number(below: 1 << 30)) 6")
      let after = try await tally(of: other)
      #expect(after.total + after.holders.count >= before.total + before.holders.count + 6)
      peers[victim].signal(SIGCONT)
      Scale.progress("\(round) stops")
    }
    for peer in peers { try await peer.send("shared-stop") }
    let all = try await converge(peers)
    #expect(all.total > 0)
    let known = Set(peers.map(\.identifier))
    for peer in peers { #expect(try await tally(of: peer).holders.allSatisfy { known.contains($0) || $0 == 0 }) }
  }
}
