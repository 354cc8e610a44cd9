import Cluster
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Transactions of a cluster", .withEtcd, .patient, .serialized)
struct TransactionTests {
  @Test func `transfers of several clients keep the sum, in every view of both values`() async throws {
    let fleet = try await Fleet()
    let cluster = try fleet.connect()
    let first = try await ClusterValue.opened(key: "first", initialValue: 100, cluster: cluster)
    let second = try await ClusterValue.opened(key: "second", initialValue: 0, cluster: cluster)
    let sums = Property.derived(first.property, second.property) { $0 + $1 }.recorded()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        let cluster = try fleet.connect()
        group.addTask {
          let first = ClusterValue(key: "first", initialValue: 0, cluster: cluster)
          let second = ClusterValue(key: "second", initialValue: 0, cluster: cluster)
          for _ in 0..<20 {
            try await cluster.transaction { transaction in
              try transaction.update(first) { $0 -= 1 }
              try transaction.update(second) { $0 += 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await second.firstValue { $0 == 60 }
    #expect(try await first.read() == 40)
    #expect(sums.elements.allSatisfy { $0 == 100 })
  }

  @Test func `the error of the body leaves everything as it was`() async throws {
    struct Refusal: Error {}
    let fleet = try await Fleet()
    let cluster = try fleet.connect()
    let count = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: cluster)
    await #expect(throws: Refusal.self) {
      try await cluster.transaction { transaction in
        try transaction.write(5, to: count)
        throw Refusal()
      }
    }
    #expect(try await count.read() == 1)
  }

  @Test func `a transaction sees its own changes, and deletes`() async throws {
    let fleet = try await Fleet()
    let cluster = try fleet.connect()
    let kept = try await ClusterValue.opened(key: "kept", initialValue: 1, cluster: cluster)
    let deleted = try await ClusterValue.opened(key: "deleted", initialValue: 5, cluster: cluster)
    let seen = try await cluster.transaction { transaction in
      try transaction.update(kept) { $0 += 1 }
      try transaction.update(kept) { $0 *= 10 }
      transaction.delete(deleted)
      return try transaction.value(of: kept)
    }
    #expect(seen == 20)
    #expect(kept.value == 20)
    #expect(deleted.status.value == .missing)
    #expect(try await kept.read() == 20)
  }

  @Test func `values of another connection are refused`() async throws {
    let fleet = try await Fleet()
    let cluster = try fleet.connect()
    let other = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: fleet.connect())
    await #expect(throws: ClusterError.self) {
      try await cluster.transaction { try $0.write(5, to: other) }
    }
    #expect(try await other.read() == 1)
  }
}
