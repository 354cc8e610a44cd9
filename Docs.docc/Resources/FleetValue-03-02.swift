import Cluster
import Foundation
import SignalsKit

struct Limits: Codable, Sendable {
  var requestsPerSecond = 100
}

guard let endpoint = URL(string: "http://127.0.0.1:2379") else { exit(1) }
let cluster = try EtcdCluster(endpoints: [endpoint], namespace: "fleet")

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.fleet")
let container = try AppGroupsContainer(directory: directory)
let cache = try AppGroupsFile(name: "limits", initialValue: ClusterRecord(Limits()), container: container)
let limits = try await ClusterValue.open(key: "limits", initialValue: Limits(), cluster: cluster, cache: cache)
try await limits.update { $0.requestsPerSecond = 30 }

// The other processes of this machine have no connection. They follow the file.
let other = try AppGroupsFile(name: "limits", initialValue: ClusterRecord(Limits()), container: container)
_ = await other.values.first { $0.value.requestsPerSecond == 30 }
print(other.value.value.requestsPerSecond)  // Prints "30"

try FileManager.default.removeItem(at: directory)
