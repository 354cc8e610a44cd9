import Cluster
import Foundation
import SignalsKit

struct Limits: Codable, Sendable {
  var requestsPerSecond = 100
}

guard let endpoint = URL(string: "http://127.0.0.1:2379") else { exit(1) }
let cluster = try EtcdCluster(endpoints: [endpoint], namespace: "fleet")

try await withThrowingTaskGroup(of: Void.self) { group in
  for _ in 1...4 {
    group.addTask {
      // Each machine has a connection of its own.
      let machine = try EtcdCluster(endpoints: [endpoint], namespace: "fleet")
      let total = try await ClusterValue.open(key: "total", initialValue: 0, cluster: machine)
      for _ in 1...25 { try await total.update { $0 += 1 } }
    }
  }
  try await group.waitForAll()
}
let total = try await ClusterValue.open(key: "total", initialValue: 0, cluster: cluster)
print(total.value)  // Prints "100"
