import Dispatch
import Foundation
import Signals
import TestSupport
import Testing

@testable import Cluster

@Suite("A value of a cluster in memory", .patient, .serialized)
struct ClusterValueCoreTests {
  /// Follows a key of a cluster that never answers.
  private func silentCore() throws -> ClusterValueCore<Int> {
    let network = FaultyTransport()
    network.set { _ in .requestLost }
    network.cut()
    let url = try #require(URL(string: "http://127.0.0.1:1"))
    let cluster = try EtcdCluster(endpoints: [url], namespace: "fleet", transport: network)
    return ClusterValueCore(name: "count", initialValue: 0, cluster: cluster)
  }

  /// An entry whose content is a number.
  private func entry(_ number: Int, _ revision: Int64) -> EtcdEntry {
    EtcdEntry(key: Data("fleet/count".utf8), modRevision: revision, value: Data("\(number)".utf8))
  }

  @Test func `a state that was read in another era changes nothing`() throws {
    let core = try silentCore()
    core.replace(with: [entry(1, 5)], at: 5, era: 0)
    core.replace(with: [entry(2, 9)], at: 9, era: 1)
    core.adopt(3, .present(Data("3".utf8), 10), 1)
    #expect(core.value.value == 1)
    core.replace(with: [entry(4, 7)], at: 7, era: 0)
    #expect(core.value.value == 4)
  }

  @Test func `the value is that of the newest state, although an older one arrives at the same time`() throws {
    let core = try silentCore()
    core.replace(with: [entry(1, 1)], at: 1, era: 0)
    for round in 1...20_000 {
      let revision = Int64(round * 2)
      // The older state changes the value, and the newer one has the content from before.
      let states = [entry(2, revision), entry(1, revision + 1)]
      DispatchQueue.concurrentPerform(iterations: 2) { index in
        core.replace(with: [states[index]], at: revision + 1, era: 0)
      }
      try #require(core.value.value == 1)
    }
  }

  @Test(.withEtcd) func `a change that arrives while an older value is confirmed is not lost`() async throws {
    let fleet = try await Fleet()
    try await fleet.server.put("fleet/count", "3")
    let network = FaultyTransport()
    let reached = Gate()
    let end = Gate()
    let once = Counter(1)
    network.set { request in
      let isRead =
        request.url.path.hasSuffix("range") && !String(decoding: request.body, as: UTF8.self).contains("count_only")
      return isRead && once.take() ? .held(reached: reached, until: end) : .answered
    }
    let cluster = try fleet.connect(over: network, options: ClusterOptions(deadline: .seconds(400)))
    // The cache has a value from before the cluster was restored.
    let core = ClusterValueCore(name: "count", initialValue: 0, cluster: cluster, record: ClusterRecord(30, at: 1_000))
    try await reached.pass()
    let before = try await cluster.metrics.firstValue { $0.revision > 0 }.revision
    try await fleet.server.put("fleet/count", "4")
    try await cluster.metrics.firstValue { $0.revision > before }
    end.open()
    try await core.value.firstValue { $0 == 4 }
  }

  @Test(.withEtcd) func `a creation in the background that fails is repeated`() async throws {
    let fleet = try await Fleet()
    let network = FaultyTransport()
    let once = Counter(1)
    network.set { request in
      let isChange = String(decoding: request.body, as: UTF8.self).contains("request_put")
      return isChange && once.take()
        ? .refused(#"{"code":8,"message":"etcdserver: mvcc: database space exceeded"}"#) : .answered
    }
    let core = ClusterValueCore(name: "count", initialValue: 5, cluster: try fleet.connect(over: network))
    core.createWhenMissing()
    try await core.status.firstValue { $0 == .current }
    try await fleet.server.value("fleet/count", is: "5")
  }
}
