import Cluster
import Foundation
import SignalsKit

struct Limits: Codable, Sendable {
  var requestsPerSecond = 100
}

guard let endpoint = URL(string: "http://127.0.0.1:2379") else { exit(1) }
let cluster = try EtcdCluster(endpoints: [endpoint], namespace: "fleet")
let limits = try await ClusterValue.open(key: "limits", initialValue: Limits(), cluster: cluster)

let warning = limits.status.sink { status in
  switch status {
  case .current: print("current")  // Prints "current"
  case .connecting: print("not connected yet")
  case .missing: print("nothing is stored")
  case .stale(let error, _): print("old:", error)
  }
}
