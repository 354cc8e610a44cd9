import Cluster
import Foundation
import Signals
import TestSupport
import Testing

@Suite("A cluster that loses its leader", .withEtcd, .serialized)
struct LeaderLossTests {
  @Test(.timeLimit(.minutes(1)))
  func `four processes count to 400 while the leader is killed, and each sees the numbers in order`() async throws {
    let fleet = try await Fleet(3)
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect())
    let peers = try (0..<4).map { _ in try PeerProcess() }
    for peer in peers { try await peer.send("cluster \(fleet.urls) count 50") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for peer in peers {
        group.addTask {
          let uncertain = try await peer.send("cluster-add 100")
          #expect(uncertain == "0")
        }
      }
      group.addTask {
        try await count.firstValue { $0 >= 100 }
        try await fleet.servers[try await fleet.leader()].kill()
      }
      try await group.waitForAll()
    }
    for peer in peers {
      let reached = try await peer.send("cluster-reach 400")
      #expect(reached == "400")
    }
    try await count.firstValue { $0 == 400 }
    #expect(try await count.read() == 400)
  }

  @Test(.patient) func `a member that is cut off from the majority is left for another`() async throws {
    let fleet = try await Fleet(3, isDivisible: true)
    let count = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: fleet.connect())
    let failures = count.failures.recorded()
    // The client uses the first member.
    try await fleet.servers.cutOff(0)
    try await fleet.servers[1].answer()
    try await fleet.servers[1].put("fleet/count", "2")
    try await count.firstValue { $0 == 2 }
    try await failures.wait { !$0.isEmpty }
    try await count.update { $0 += 1 }
    #expect(count.value == 3)
    fleet.servers.mend()
    try await fleet.servers[0].value("fleet/count", is: "3")
    #expect(try await count.read() == 3)
  }
}
