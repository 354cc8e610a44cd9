import Cluster
import Foundation
import SignalsKit

struct Limits: Codable, Sendable {
  var requestsPerSecond = 100
}

guard let endpoint = URL(string: "http://127.0.0.1:2379") else { exit(1) }
let cluster = try EtcdCluster(endpoints: [endpoint], namespace: "fleet")
let limits = try await ClusterValue.open(key: "limits", initialValue: Limits(), cluster: cluster)

// Another machine, with a connection of its own.
let there = try EtcdCluster(endpoints: [endpoint], namespace: "fleet")
let limitsThere = try await ClusterValue.open(key: "limits", initialValue: Limits(), cluster: there)
let display = limitsThere.sink { print("at most", $0.requestsPerSecond) }  // Prints "at most 100"
