// Measures values of a cluster beside a bare client on one kept socket.
//
// Arguments: the program of etcd, a folder, and a free port, after which another one is free.

import AsyncHTTPTransport
import Cluster
import Foundation
import Signals

let arguments = CommandLine.arguments
guard arguments.count == 4, let port = UInt16(arguments[3]),
  let endpoint = URL(string: "http://127.0.0.1:\(port)")
else {
  print("usage: cluster-measure ETCD FOLDER PORT")
  exit(64)
}

let server = Process()
server.executableURL = URL(filePath: arguments[1])
server.arguments = [
  "--data-dir", arguments[2] + "/data", "--listen-client-urls", endpoint.absoluteString, "--advertise-client-urls",
  endpoint.absoluteString, "--listen-peer-urls", "http://127.0.0.1:\(port + 1)",
  "--experimental-watch-progress-notify-interval=1s",
]
server.standardOutput = FileHandle.nullDevice
server.standardError = FileHandle.nullDevice
try server.run()
defer { server.terminate() }

func connect(_ transport: any ClusterTransport, _ namespace: String) throws -> EtcdCluster {
  try EtcdCluster(endpoints: [endpoint], namespace: namespace, transport: transport)
}

/// Returns the median of times in milliseconds.
func median(_ times: [Duration]) -> Double { times.sorted()[times.count / 2] / .milliseconds(1) }

func row(_ name: String, _ figure: Double, _ unit: String, of floor: Double? = nil) {
  let ratio = floor.map { String(format: "  (%.2f times the bare client)", figure / $0) } ?? ""
  print(name.padding(toLength: 56, withPad: " ", startingAt: 0), String(format: "%8.3f", figure), unit + ratio)
}

let first = try await ClusterValue.open(
  key: "first", initialValue: 0, cluster: connect(SocketTransport(), "measure"), patience: .seconds(30))
guard first.status.value == .current else { exit(1) }
let transports: [(String, @Sendable () throws -> any ClusterTransport)] = [
  ("sockets", { SocketTransport() }),
  ("URLSession", { URLSessionTransport() }),
  ("AsyncHTTPClient", { try AsyncHTTPTransport() }),
]
let rounds = 500

// MARK: From a write to the decoded value of another client

let writer = try BareClient(port: port)
let watcher = try BareClient(port: port)
let key = Bare.encoded("bare/value")
try watcher.request("v3/watch", "{\"create_request\":{\"key\":\"\(key)\"}}")
_ = try watcher.line(endingWith: "\"created\":true}}\n")
var bareTimes: [Duration] = []
for number in 0..<rounds {
  let begun = ContinuousClock.now
  _ = try writer.post("v3/kv/put", "{\"key\":\"\(key)\",\"value\":\"\(Bare.encoded("\(number)"))\"}")
  _ = try watcher.line(endingWith: "}]}}\n")
  bareTimes.append(begun.duration(to: .now))
}
let floor = median(bareTimes)
row("write to event, bare client", floor, "ms")
for (name, make) in transports {
  let here = try await ClusterValue.open(key: name, initialValue: -1, cluster: connect(make(), "measure"))
  let there = try await ClusterValue.open(key: name, initialValue: -1, cluster: connect(make(), "measure"))
  let arrival = MutableProperty((number: -1, at: ContinuousClock.now))
  let subscription = there.sink { arrival.value = ($0, .now) }
  var times: [Duration] = []
  for number in 0..<rounds {
    let begun = ContinuousClock.now
    try await here.write(number)
    let arrived = await arrival.values.first { $0.number == number }
    if let arrived { times.append(begun.duration(to: arrived.at)) }
  }
  subscription.cancel()
  row("write to decoded value, \(name)", median(times), "ms", of: floor)
}

// MARK: Updates by four clients

let increments = 250
let bareBegun = ContinuousClock.now
let group = DispatchGroup()
for _ in 0..<4 {
  DispatchQueue(label: "bare").async(group: group) {
    do { try Bare.count(increments, port: port) } catch { print("a bare client failed: \(error)") }
  }
}
await withCheckedContinuation { continuation in group.notify(queue: .global()) { continuation.resume() } }
let bareRate = Double(4 * increments) / (bareBegun.duration(to: .now) / .seconds(1))
row("increments by four clients, bare", bareRate, "a second")
for (name, make) in transports {
  let values = try await (0..<4).asyncMap { _ in
    try await ClusterValue.open(key: "count \(name)", initialValue: 0, cluster: connect(make(), "measure"))
  }
  let begun = ContinuousClock.now
  try await withThrowingTaskGroup(of: Void.self) { group in
    for value in values { group.addTask { for _ in 0..<increments { try await value.update { $0 += 1 } } } }
    try await group.waitForAll()
  }
  let rate = Double(4 * increments) / (begun.duration(to: .now) / .seconds(1))
  row("increments by four clients, \(name)", rate, "a second", of: bareRate)
}

// MARK: Many values, and rest

let many = try connect(SocketTransport(), "many")
let before = Usage.memory
let values = (0..<10_000).map { ClusterValue(key: "\($0)", initialValue: 0, cluster: many) }
for value in values { _ = await value.status.values.first { $0 == .missing } }
row("memory of each of 10,000 open values", Double(Usage.memory - before) / 10_000, "bytes")
row("streams for them", Double(many.metrics.value.reconnects + 1), "")
// The session of the writes is given up before.
try await Task.sleep(for: .seconds(40))
let switches = Usage.switches
let notified = many.metrics.value.receivedBytes
try await Task.sleep(for: .seconds(20))
row("wake-ups of all threads while idle", Double(Usage.switches - switches) / 20, "a second")
row("bytes received during them", Double(many.metrics.value.receivedBytes - notified) / 20, "a second")
withExtendedLifetime((values, first)) {}
