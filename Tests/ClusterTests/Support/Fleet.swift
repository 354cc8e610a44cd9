import Cluster
import Foundation
import Signals
import TestSupport

/// A cluster for one test.
struct Fleet {
  let servers: [EtcdServer]

  init(_ count: Int = 1, options: [String] = [], isDivisible: Bool = false) async throws {
    servers = try await EtcdServer.start(count, options: options, isDivisible: isDivisible)
  }

  init(_ servers: [EtcdServer]) {
    self.servers = servers
  }

  var server: EtcdServer { servers[0] }

  /// The URLs of all members, as the peers take them.
  var urls: String { servers.map(\.url.absoluteString).joined(separator: ",") }

  /// Returns the index of the member that leads.
  func leader() async throws -> Int {
    while true {
      for (index, server) in servers.enumerated() {
        let answer = try await server.post("v3/maintenance/status", [:])
        let member = answer.firstMatch(of: /"member_id":"([0-9]+)"/)?.1
        let leader = answer.firstMatch(of: /"leader":"([0-9]+)"/)?.1
        if let member, member == leader { return index }
      }
    }
  }

  /// Demands authentication: `root` may do anything, `app` may use the namespace `fleet`.
  func enableAuthentication() async throws {
    let prefix = Data("fleet/".utf8).base64EncodedString()
    let end = Data("fleet0".utf8).base64EncodedString()
    for (name, password) in [("root", "root"), ("app", "secret"), ("guest", "guest")] {
      try await server.post("v3/auth/user/add", ["name": name, "password": password])
    }
    for role in ["root", "fleet"] { try await server.post("v3/auth/role/add", ["name": role]) }
    try await server.post(
      "v3/auth/role/grant",
      ["name": "fleet", "perm": ["permType": "READWRITE", "key": prefix, "range_end": end] as [String: any Sendable]])
    try await server.post("v3/auth/user/grant", ["user": "root", "role": "root"])
    try await server.post("v3/auth/user/grant", ["user": "app", "role": "fleet"])
    try await server.post("v3/auth/enable", [:])
  }

  /// Connects over a network that the test disturbs.
  func connect(
    over transport: FaultyTransport, credentials: ClusterCredentials? = nil, options: ClusterOptions = .quick
  ) throws -> EtcdCluster {
    try EtcdCluster(
      endpoints: servers.map(\.url), credentials: credentials, namespace: "fleet", transport: transport,
      options: options)
  }

  /// Connects as another process would: with a session and a watch of its own.
  func connect(
    _ namespace: String = "fleet", credentials: ClusterCredentials? = nil, options: ClusterOptions = .quick
  ) throws -> EtcdCluster {
    try EtcdCluster(
      endpoints: servers.map(\.url), credentials: credentials, namespace: namespace, options: options)
  }
}

extension ClusterValue {
  /// Opens a value with a patience that a busy machine does not reach.
  static func opened(key: String, initialValue: Value, cluster: EtcdCluster) async throws -> ClusterValue {
    try await open(key: key, initialValue: initialValue, cluster: cluster, patience: .seconds(100))
  }

  /// Opens a value with a cache and the same patience.
  static func opened<Cache: SharedValue>(
    key: String, initialValue: Value, cluster: EtcdCluster, cache: Cache
  ) async throws -> ClusterValue where Cache.Value == ClusterRecord<Value> {
    try await open(key: key, initialValue: initialValue, cluster: cluster, cache: cache, patience: .seconds(100))
  }
}

extension ClusterOptions {
  /// Times for tests, which wait for a silent member.
  static var quick: ClusterOptions {
    ClusterOptions(patience: .seconds(3), backoff: .exponential(from: .milliseconds(20), upTo: .milliseconds(500)))
  }
}

extension SharedValueStatus<ClusterError> {
  var isStale: Bool { failure != nil }
}
