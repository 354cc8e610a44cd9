import CLibrary
import Cluster
import Foundation
import Signals
import TestSupport
import Testing

/// Many increments in a cluster that loses its leader, parts of its network and its history all the time.
///
/// It runs with `SIGNALS_TORTURE=1`.
@Suite("A cluster without rest", .withEtcd, .enabled(if: Scale.isTorture), .patient, .seeded)
struct ClusterTortureTests {
  @Test func `no increment of four processes is lost, and each sees all numbers in order`() async throws {
    let fleet = MutableProperty(try await Fleet(3, options: ["--snapshot-count", "5000"], isDivisible: true))
    let urls = fleet.value.urls
    let peers = try (0..<4).map { _ in try PeerProcess() }
    for peer in peers { try await peer.send("cluster \(urls) count 120") }
    let goal = 2500
    // Not ended by cancellation, because everything has to be in order then.
    let isOver = MutableProperty(false)
    let compacting = Task { await compact(fleet, until: isOver) }
    let disturbing = Task { try await disturb(fleet, peers, until: isOver) }
    let uncertain = try await withThrowingTaskGroup(of: Int.self) { group in
      for peer in peers {
        group.addTask { Int(try await peer.send("cluster-add \(goal)")) ?? 0 }
      }
      return try await group.reduce(0, +)
    }
    isOver.value = true
    try await disturbing.value
    await compacting.value
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.value.connect())
    let total = try await count.read()
    Scale.progress("the count is \(total), and \(uncertain) increments were uncertain")
    #expect((goal * peers.count - uncertain...goal * peers.count).contains(total))
    for peer in peers {
      let reached = try await peer.send("cluster-reach \(total)")
      #expect(reached == "\(total)")
    }
  }

  /// Compacts the history all the time.
  private func compact(_ fleet: MutableProperty<Fleet>, until isOver: MutableProperty<Bool>) async {
    while !isOver.value {
      do {
        for server in fleet.value.servers { try await server.compact() }
      } catch {
        // The member is away.
      }
      try? await Task.sleep(for: .milliseconds(300))
    }
  }

  /// Disturbs one part after the other, and leaves everything in order.
  private func disturb(
    _ fleet: MutableProperty<Fleet>, _ peers: [PeerProcess], until isOver: MutableProperty<Bool>
  ) async throws {
    var chance = Chance()
    while !isOver.value {
      try await Task.sleep(for: .seconds(2))
      let now = fleet.value
      let (kind, index) = (chance.number(below: 5), chance.number(below: 3))
      switch kind {
      case 0, 1:
        let leader = try await now.leader()
        Scale.progress("killing the leader")
        try await now.servers[leader].kill()
        try await Task.sleep(for: .seconds(1))
        var servers = now.servers
        servers[leader] = try await servers[leader].restarted()
        fleet.value = Fleet(servers)
      case 2:
        Scale.progress("cutting off a member")
        try await now.servers.cutOff(index)
        try await Task.sleep(for: .seconds(10))
        now.servers.mend()
        try await now.servers[index].answer()
      case 3:
        Scale.progress("stopping a member")
        now.servers[index].signal(SIGSTOP)
        try await Task.sleep(for: .seconds(6))
        now.servers[index].signal(SIGCONT)
        try await now.servers[index].answer()
      default:
        Scale.progress("stopping two clients")
        for peer in peers.prefix(2) { peer.signal(SIGSTOP) }
        try await Task.sleep(for: .seconds(4))
        for peer in peers.prefix(2) { peer.signal(SIGCONT) }
      }
    }
  }
}
