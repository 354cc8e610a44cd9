import Cluster
import Foundation
import SignalsKit

struct Flags: Codable, Sendable {
  var isReadOnly = false
}

guard let endpoint = URL(string: "http://127.0.0.1:2379") else { exit(1) }
let cluster = try EtcdCluster(endpoints: [endpoint], namespace: "fleet")
let flags = try await ClusterValue.open(key: "flags", initialValue: Flags(), cluster: cluster)

let provider = SharedTweakProvider(flags, name: "fleet") {
  [Tweak(feature: "shop", variable: "read-only", value: .bool($0.isReadOnly))]
}
let manager = TweakManager(providers: [provider])
let isReadOnly = TweakKey("shop", "read-only", default: false)
for await isOn in manager.signal(for: isReadOnly).values {
  print("read-only:", isOn)  // Prints "read-only: false"
  if isOn { break }
  try await flags.update { $0.isReadOnly = true }  // Prints "read-only: true"
}
