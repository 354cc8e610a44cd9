//: # Values of many machines
//:
//: A value of an etcd cluster is used like a shared file. This page needs no cluster: it shows what a service does while
//: the cluster cannot be reached. Name one in `ENDPOINT`, such as `http://127.0.0.1:2379`, to see a change.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 15-Cluster`.

import Cluster
import Foundation
import SignalsKit

struct Limits: Codable, Sendable, Equatable {
  var requestsPerSecond = 100
}

//: ## Open a value
//:
//: The port 1 has no server. `open` waits for a moment, and then returns the initial value, which connects in the
//: background.

let endpoint = URL(string: ProcessInfo.processInfo.environment["ENDPOINT"] ?? "http://127.0.0.1:1")
let cluster = try EtcdCluster(
  endpoints: [endpoint].compactMap(\.self), namespace: "playground", options: ClusterOptions(deadline: .seconds(1)))
let limits = try await ClusterValue.open(
  key: "limits", initialValue: Limits(), cluster: cluster, patience: .milliseconds(200))
print(limits.value.requestsPerSecond)  // Prints "100"

//: ## Show whether it is current
//:
//: Reading never waits, so the value may be old. Its status has the failure and its time.

for await status in limits.status.values where status == .current || status.failure != nil {
  print(status == .current ? "current" : "stale")  // Prints "stale"
  break
}

//: ## Change it
//:
//: No change of any machine is lost. A change that cannot be made is an error, after a deadline.

do {
  try await limits.update { $0.requestsPerSecond += 50 }
  print("changed")
} catch ClusterError.unreachable {
  print("not changed")  // Prints "not changed"
}

//: ## Treat it as any shared value
//:
//: Code that takes `some SharedValue` works with a file of one machine and with a value of many.

func describe(_ value: some SharedValue<Limits>) -> String { "at most \(value.value.requestsPerSecond)" }
print(describe(limits))  // Prints "at most 100"
