import Cluster
import Foundation
import SignalsKit

struct Limits: Codable, Sendable {
  var requestsPerSecond = 100
}

guard let endpoint = URL(string: "http://127.0.0.1:2379") else { exit(1) }
let cluster = try EtcdCluster(endpoints: [endpoint], namespace: "fleet")
print(cluster.status.value)  // Prints "connecting"
