import Cluster
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Interruptions of a watch", .withEtcd, .patient, .serialized)
struct InterruptionTests {
  @Test func `case 1: after a compaction, changes and deletions that were missed arrive`() async throws {
    let fleet = try await Fleet()
    let network = FaultyTransport()
    let cluster = try fleet.connect(over: network)
    let kept = try await ClusterValue.opened(key: "kept", initialValue: 1, cluster: cluster)
    let deleted = try await ClusterValue.opened(key: "deleted", initialValue: 1, cluster: cluster)
    network.cut()
    try await kept.status.firstValue { $0.isStale }
    #expect(deleted.status.value.isStale)
    try await fleet.server.put("fleet/kept", "2")
    try await fleet.server.delete("fleet/deleted")
    try await fleet.server.compact()
    network.mend()
    try await kept.firstValue { $0 == 2 }
    try await deleted.status.firstValue { $0 == .missing }
    try await kept.status.firstValue { $0 == .current }
  }

  @Test func `a watch resumes where it was interrupted, and delivers every change in order`() async throws {
    let fleet = try await Fleet()
    let network = FaultyTransport()
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect(over: network))
    let received = count.recorded()
    for number in 1...30 {
      if number % 10 == 3 { network.cut() }
      try await fleet.server.put("fleet/count", "\(number)")
      if number % 10 == 6 {
        network.mend()
        try await count.firstValue { $0 == number }
      }
    }
    try await received.wait(for: 30)
    #expect(received.elements == Array(0...30))
  }

  @Test func `case 2: a restarted member has forgotten the token, and the client requests another`() async throws {
    var fleet = try await Fleet()
    try await fleet.enableAuthentication()
    let credentials = ClusterCredentials(user: "app", password: "secret")
    let count = try await ClusterValue.opened(
      key: "count", initialValue: 1, cluster: fleet.connect(credentials: credentials))
    try await fleet.server.kill()
    fleet = Fleet([try await fleet.server.restarted()])
    try await count.status.firstValue { $0 == .current }
    try await count.update { $0 += 1 }
    let other = try await ClusterValue.opened(
      key: "count", initialValue: 0, cluster: fleet.connect(credentials: credentials))
    #expect(other.value == 2)
    try await other.write(3)
    try await count.firstValue { $0 == 3 }
  }

  @Test func `case 3: after the cluster was replaced, values follow the new one`() async throws {
    var fleet = try await Fleet()
    let count = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: fleet.connect())
    for number in 2...20 { try await count.write(number) }
    let failures = count.failures.recorded()
    try await fleet.server.kill()
    fleet = Fleet([try await fleet.server.replaced()])
    try await failures.wait { $0.contains(.replaced(namespace: "fleet")) }
    try await count.status.firstValue { $0 == .missing }
    #expect(count.value == 20)
    try await fleet.server.put("fleet/count", "5")
    try await count.firstValue { $0 == 5 }
    try await count.update { $0 += 1 }
    #expect(count.value == 6)
  }

  @Test func `case 4: a member that stops answering is left for another`() async throws {
    let fleet = try await Fleet(3)
    let count = try await ClusterValue.open(
      key: "count", initialValue: 1,
      cluster: fleet.connect(options: ClusterOptions(patience: .seconds(1), backoff: .constant(.milliseconds(50)))))
    fleet.server.signal(SIGSTOP)
    defer { fleet.server.signal(SIGCONT) }
    try await fleet.servers[1].answer()
    try await fleet.servers[1].put("fleet/count", "2")
    try await count.firstValue { $0 == 2 }
    try await count.status.firstValue { $0 == .current }
    try await count.update { $0 += 1 }
    #expect(count.value == 3)
  }

  @Test func `case 6: an idle watch is not overtaken by a compaction`() async throws {
    let fleet = try await Fleet()
    let network = FaultyTransport()
    let cluster = try fleet.connect(over: network)
    let count = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: cluster)
    for number in 1...20 { try await fleet.server.put("elsewhere", "\(number)") }
    let before = cluster.metrics.value.revision
    try await cluster.metrics.firstValue { $0.revision >= before + 20 }
    network.cut()
    try await fleet.server.compact()
    network.mend()
    let states = count.status.recorded()
    try await states.wait { $0.last == .current }
    #expect(!states.elements.contains(.connecting))
  }

  @Test func `case 11: without a majority, values stay readable and changes fail in time`() async throws {
    let fleet = try await Fleet(3)
    let options = ClusterOptions(
      deadline: .seconds(2), patience: .seconds(1), backoff: .exponential(from: .milliseconds(50), upTo: .seconds(1)))
    let count = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: fleet.connect(options: options))
    try await count.write(2)
    try await fleet.servers[1].kill()
    try await fleet.servers[2].kill()
    try await count.status.firstValue { $0.isStale }
    #expect(count.value == 2)
    let begun = ContinuousClock.now
    await #expect(throws: ClusterError.self) { try await count.write(3) }
    await #expect(throws: ClusterError.self) { try await count.read() }
    #expect(begun.duration(to: .now) < .seconds(60))
    #expect(count.value == 2)
    let again = [try await fleet.servers[1].restarted()]
    defer { withExtendedLifetime(again) {} }
    try await count.status.firstValue { $0 == .current }
    try await count.write(4)
    #expect(try await count.read() == 4)
  }

  @Test func `a message that is too long is reported, and the newest values are read`() async throws {
    let fleet = try await Fleet()
    let cluster = try fleet.connect(options: ClusterOptions(maximumMessageSize: 2000))
    let text = try await ClusterValue.opened(key: "text", initialValue: "", cluster: cluster)
    let failures = text.failures.recorded()
    try await fleet.server.put("fleet/text", "\"\(String(repeating: "x", count: 5000))\"")
    try await text.firstValue { $0.count == 5000 }
    let endpoint = fleet.server.url.absoluteString
    #expect(failures.elements == [.messageTooLarge(endpoint: endpoint, limit: 2000)])
    try await fleet.server.put("fleet/text", "\"short\"")
    try await text.firstValue { $0 == "short" }
  }

  @Test func `a value that is opened without a cluster connects as soon as there is one`() async throws {
    let fleet = try await Fleet()
    try await fleet.server.kill()
    let count = try await ClusterValue.open(
      key: "count", initialValue: 1, cluster: fleet.connect(), patience: .milliseconds(300))
    #expect(count.value == 1)
    #expect(count.status.value != .current)
    let server = try await fleet.server.restarted()
    try await count.status.firstValue { $0 == .current }
    try await server.value("fleet/count", is: "1")
    try await server.put("fleet/count", "9")
    try await count.firstValue { $0 == 9 }
  }
}
