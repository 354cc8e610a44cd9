import Cluster
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Connections to a cluster", .patient)
struct ConnectionTests {
  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  @Test func `endpoints, namespaces and certificates are checked at once`() throws {
    let good = try url("http://127.0.0.1:1")
    #expect(throws: ClusterError.invalidEndpoint("", reason: "there is no endpoint")) {
      try EtcdCluster(endpoints: [], namespace: "fleet")
    }
    #expect(throws: ClusterError.self) { try EtcdCluster(endpoints: [url("ftp://host")], namespace: "fleet") }
    #expect(throws: ClusterError.self) { try EtcdCluster(endpoints: [url("http:///path")], namespace: "fleet") }
    #expect(throws: ClusterError.self) { try EtcdCluster(endpoints: [url("http://a:b@host")], namespace: "fleet") }
    #expect(throws: ClusterError.invalidNamespace("", reason: "it is empty")) {
      try EtcdCluster(endpoints: [good], namespace: "")
    }
    #expect(throws: ClusterError.unsupportedByTransport("private certificate authorities")) {
      try EtcdCluster(
        endpoints: [good], namespace: "fleet", security: ClusterSecurity(authority: URL(filePath: "/ca.pem")))
    }
    #expect(throws: ClusterError.unsupportedByTransport("client certificates")) {
      try EtcdCluster(
        endpoints: [good], namespace: "fleet", security: ClusterSecurity(clientCertificate: URL(filePath: "/me.pem")))
    }
  }

  @Test func `if no endpoint answers, errors name them and nothing hangs`() async throws {
    let cluster = try EtcdCluster(
      endpoints: [url("http://127.0.0.1:1"), url("http://127.0.0.1:2")], namespace: "fleet",
      options: ClusterOptions(deadline: .seconds(1), backoff: .constant(.milliseconds(50))))
    let count = try await ClusterValue.open(
      key: "count", initialValue: 1, cluster: cluster, patience: .milliseconds(200))
    #expect(count.value == 1)
    let failure = try #require(try await count.status.firstValue { $0.isStale }.failure)
    guard case .unreachable(let endpoints, _) = failure else { throw failure }
    #expect(endpoints == ["http://127.0.0.1:1", "http://127.0.0.1:2"])
    await #expect(throws: ClusterError.self) { try await count.write(2) }
    await #expect(throws: ClusterError.self) { try await count.update { $0 += 1 } }
    #expect(failure.description.contains("http://127.0.0.1:1"))
  }

  @Test(.withEtcd) func `another endpoint is used if the first one does not exist`() async throws {
    let fleet = try await Fleet()
    let cluster = try EtcdCluster(endpoints: [url("http://127.0.0.1:1"), fleet.server.url], namespace: "fleet")
    let count = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: cluster)
    #expect(count.status.value == .current)
  }

  @Test(.withEtcd) func `the wrong password is refused, and so is no password`() async throws {
    let fleet = try await Fleet()
    try await fleet.enableAuthentication()
    for credentials in [ClusterCredentials(user: "app", password: "wrong"), nil] {
      let cluster = try fleet.connect(credentials: credentials)
      do {
        _ = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: cluster)
        Issue.record("a refusal is expected")
      } catch let error as ClusterError {
        guard case .unauthenticated(fleet.server.url.absoluteString, credentials?.user, _) = error else { throw error }
      }
    }
  }

  @Test(.withEtcd) func `a user without the permission is refused`() async throws {
    let fleet = try await Fleet()
    try await fleet.enableAuthentication()
    let cluster = try fleet.connect(credentials: ClusterCredentials(user: "guest", password: "guest"))
    do {
      _ = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: cluster)
      Issue.record("a refusal is expected")
    } catch let error as ClusterError {
      guard case .forbidden(_, user: "guest") = error else { throw error }
    }
  }

  @Test(.withEtcd) func `a role for the prefix of the namespace is enough`() async throws {
    let fleet = try await Fleet()
    try await fleet.enableAuthentication()
    let cluster = try fleet.connect(credentials: ClusterCredentials(user: "app", password: "secret"))
    let count = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: cluster)
    try await count.update { $0 += 1 }
    try await ClusterValue.opened(key: "count", initialValue: 1, cluster: cluster.namespace("eu")).update { $0 += 1 }
    #expect(count.value == 2)
  }

  @Test(.withEtcd) func `credentials are ignored by a cluster that demands none`() async throws {
    let fleet = try await Fleet()
    let cluster = try fleet.connect(credentials: ClusterCredentials(user: "app", password: "secret"))
    let count = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: cluster)
    #expect(count.status.value == .current)
  }

  @Test func `a password appears in no description`() {
    let credentials = ClusterCredentials(user: "app", password: "secret")
    var dumped = ""
    dump(credentials, to: &dumped)
    #expect(!"\(credentials) \(String(reflecting: credentials)) \(dumped)".contains("secret"))
  }
}
