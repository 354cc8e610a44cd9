import Cluster
import Foundation
import SignalsKit

/// Four processes increment one value of a cluster, while its leader is killed.
struct FleetScene: Scene {
  let isQuick: Bool
  let title = "Four processes increment one value of a cluster; its leader is killed, and the total is exact"

  func play(in workplace: Workplace, on display: Display) async throws -> [Promise] {
    guard let program = ClusterMembers.program else {
      display.line("  skipped: etcd is not installed (on Debian: apt-get install etcd-server)")
      return []
    }
    let times = isQuick ? 50 : 250
    let total = 4 * times
    let members = try ClusterMembers(program, in: workplace.directory)
    let cluster = try EtcdCluster(endpoints: members.endpoints, namespace: "tour")
    let count = ClusterValue(key: "count", initialValue: 0, cluster: cluster)
    try await count.status.wait(for: "an answer of the cluster") { $0 == .missing }
    try await count.write(0)
    let isOrdered = MutableProperty(true)
    let order = count.property.changes.pairwise().sink { if $0 >= $1 { isOrdered.value = false } }

    let endpoints = members.endpoints.map(\.absoluteString).joined(separator: ",")
    let children = try (0..<4).map { _ in try ChildProcess(.machine(endpoints: endpoints, times: times)) }
    for child in children { try await child.wait(for: "ready") }
    let begin = Latencies.now()
    for child in children { try child.tell("go") }
    try await count.property.wait(for: "a quarter of the increments") { $0 >= total / 4 }
    let killed = try await members.killLeader()
    display.line("  three servers of etcd: the leader, \(killed.absoluteString), is killed at \(count.value)")
    for child in children { try await child.wait(for: "done") }
    try await count.property.wait(for: "the sum in this process") { $0 == total }
    order.cancel()
    let stored = try await count.read()
    display.line("  4 × \(times) increments make \(stored), after \(Latencies.seconds(since: begin))")
    return [
      Promise("No update of a cluster is lost", isKept: stored == total, seen: "4 × \(times) make \(stored)"),
      Promise(
        "Changes arrive in order", isKept: isOrdered.value,
        seen: "each number was larger than the one before, also while the cluster chose another leader"),
    ]
  }
}
