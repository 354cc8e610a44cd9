// Checks the transport over AsyncHTTPClient with a server that demands certificates of a private authority.
//
// Arguments: the program of etcd, a folder with certificates, and a free port, after which another one is free.

import AsyncHTTPTransport
import Cluster
import Foundation
import Signals

let arguments = CommandLine.arguments
guard arguments.count == 4, let port = Int(arguments[3]), let endpoint = URL(string: "https://127.0.0.1:\(port)") else {
  print("usage: cluster-check ETCD FOLDER PORT")
  exit(64)
}
let folder = URL(filePath: arguments[2], directoryHint: .isDirectory)
func file(_ name: String) -> URL { folder.appending(path: name) }

let server = Process()
server.executableURL = URL(filePath: arguments[1])
server.arguments = [
  "--data-dir", file("data").path, "--listen-client-urls", endpoint.absoluteString, "--advertise-client-urls",
  endpoint.absoluteString, "--listen-peer-urls", "http://127.0.0.1:\(port + 1)", "--cert-file", file("server.pem").path,
  "--key-file", file("server.key").path, "--client-cert-auth", "--trusted-ca-file", file("authority.pem").path,
  "--experimental-watch-progress-notify-interval=1s",
]
server.standardOutput = FileHandle.nullDevice
server.standardError = FileHandle.nullDevice
try server.run()
defer { server.terminate() }

func connect(_ transport: AsyncHTTPTransport) throws -> EtcdCluster {
  try EtcdCluster(
    endpoints: [endpoint], namespace: "check", transport: transport, options: ClusterOptions(deadline: .seconds(20)))
}

func check(_ promise: String, _ isKept: Bool) {
  print(isKept ? "kept: " : "BROKEN: ", promise)
  if !isKept {
    server.terminate()
    exit(1)
  }
}

let transport = try AsyncHTTPTransport(
  authority: file("authority.pem"), certificate: file("client.pem"), key: file("client.key"))
let here = try await ClusterValue.open(
  key: "count", initialValue: 0, cluster: connect(transport), patience: .seconds(20))
check("a private authority and a client certificate connect", here.status.value == .current)

let other = try AsyncHTTPTransport(
  authority: file("authority.pem"), certificate: file("client.pem"), key: file("client.key"))
let there = try await ClusterValue.open(key: "count", initialValue: 0, cluster: connect(other), patience: .seconds(20))
for _ in 1...100 {
  async let first: Void = here.update { $0 += 1 }
  async let second: Void = there.update { $0 += 1 }
  _ = try await (first, second)
}
_ = await here.values.first { $0 == 200 }
_ = await there.values.first { $0 == 200 }
check("two clients count to 200", try await here.read() == 200)

let stranger = try AsyncHTTPTransport(authority: file("authority.pem"))
let refused = try await ClusterValue.open(
  key: "count", initialValue: -1, cluster: connect(stranger), patience: .seconds(2))
check("a client without a certificate is refused", refused.value == -1 && refused.status.value != .current)

let doubter = try AsyncHTTPTransport(certificate: file("client.pem"), key: file("client.key"))
let distrusted = try await ClusterValue.open(
  key: "count", initialValue: -1, cluster: connect(doubter), patience: .seconds(2))
check("a server of an unknown authority is not trusted", distrusted.value == -1)
