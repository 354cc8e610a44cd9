import Foundation
import TestSupport
import Testing

@testable import Cluster

@Suite("Reads of many keys at one revision", .withEtcd, .patient)
struct SnapshotTests {
  @Test func `an answer without results, or with a revision that overflows, is unexpected`() async throws {
    let fleet = try await Fleet()
    let network = FaultyTransport()
    let cluster = try fleet.connect(over: network)
    let namespace = cluster.watch.namespace
    let ranges = ["first", "second"].map { KeyRange.key(namespace.key($0)) }
    let result = #"{"response_range":{}}"#
    let answers = [
      #"{"header":{"revision":"5"}}"#,
      #"{"header":{"revision":"5"},"succeeded":true,"responses":[\#(result)]}"#,
      #"{"header":{"revision":"\#(Int64.max)"},"succeeded":true,"responses":[\#(result),\#(result)]}"#,
    ]
    let error = ClusterError.unexpectedAnswer(
      endpoint: fleet.server.url.absoluteString, reason: "status 200 with content that is not etcd's")
    for answer in answers {
      network.loseAnswers(1, as: .garbled(answer))
      await #expect(throws: error) {
        _ = try await cluster.connection.client.snapshot(of: ranges, era: 0, in: namespace)
      }
    }
    let snapshot = try await cluster.connection.client.snapshot(of: ranges, era: 0, in: namespace)
    #expect(Set(snapshot.entries.keys) == Set(ranges))
  }
}
