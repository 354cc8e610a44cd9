import Cluster
import Foundation
import Signals
import TestSupport
import Testing

@Suite("A value of a cluster", .withEtcd, .patient, .serialized)
struct ClusterValueTests {
  struct Settings: Codable, Sendable, Equatable {
    var volume = 5
    var theme = "light"
  }

  @Test func `opening a missing key creates it, and every process then has it`() async throws {
    let fleet = try await Fleet()
    let first = try await ClusterValue.opened(
      key: "settings", initialValue: Settings(volume: 1), cluster: fleet.connect())
    #expect(first.status.value == .current)
    let second = try await ClusterValue.opened(key: "settings", initialValue: Settings(), cluster: fleet.connect())
    #expect(second.value.volume == 1)
    #expect(try await second.read().volume == 1)
  }

  @Test func `a stored value that equals the initial one is not sent again`() async throws {
    let fleet = try await Fleet()
    try await fleet.server.put("fleet/count", "5")
    let count = ClusterValue(key: "count", initialValue: 5, cluster: try fleet.connect())
    let received = count.recorded()
    try await count.status.firstValue { $0 == .current }
    try await fleet.server.put("fleet/count", "6")
    try await received.wait(for: 6)
    #expect(received.elements == [5, 6])
  }

  @Test func `a write reaches the subscribers of other processes`() async throws {
    let fleet = try await Fleet()
    let first = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect())
    let second = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect())
    let received = second.recorded()
    for number in 1...50 {
      try await first.write(number)
      #expect(first.value == number)
    }
    try await received.wait(for: 50)
    #expect(received.elements == Array(0...50))
  }

  @Test func `concurrent updates of several processes are all kept`() async throws {
    let fleet = try await Fleet()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        let cluster = try fleet.connect()
        group.addTask {
          let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: cluster)
          for _ in 0..<50 { try await count.update { $0 += 1 } }
        }
      }
      try await group.waitForAll()
    }
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect())
    #expect(count.value == 200)
  }

  @Test func `a lens changes one part and keeps the changes of others`() async throws {
    let fleet = try await Fleet()
    let settings = try await ClusterValue.opened(key: "settings", initialValue: Settings(), cluster: fleet.connect())
    let other = try await ClusterValue.opened(key: "settings", initialValue: Settings(), cluster: fleet.connect())
    try await other.lens(\.theme).write("dark")
    try await settings.lens(\.volume).update { $0 += 1 }
    #expect(settings.value == Settings(volume: 6, theme: "dark"))
  }

  @Test func `a deletion shows as missing, and an update begins with the initial value`() async throws {
    let fleet = try await Fleet()
    let first = try await ClusterValue.opened(key: "count", initialValue: 7, cluster: fleet.connect())
    let second = try await ClusterValue.opened(key: "count", initialValue: 7, cluster: fleet.connect())
    try await first.write(20)
    try await second.firstValue { $0 == 20 }
    try await first.delete()
    #expect(first.status.value == .missing)
    try await second.status.firstValue { $0 == .missing }
    #expect(second.value == 20)
    await #expect(throws: ClusterError.missing(key: "fleet/count")) { try await second.read() }
    try await second.update { $0 += 1 }
    #expect(second.value == 8)
    #expect(second.status.value == .current)
    try await first.firstValue { $0 == 8 }
  }

  @Test func `content that cannot be decoded leaves the last good value, until a write replaces it`() async throws {
    let fleet = try await Fleet()
    let count = try await ClusterValue.opened(key: "count", initialValue: 3, cluster: fleet.connect())
    let failures = count.failures.recorded()
    try await fleet.server.put("fleet/count", "{\"not\": a number}")
    try await count.status.firstValue { $0.isStale }
    #expect(count.value == 3)
    try await failures.wait { $0.count == 1 }
    await #expect(throws: ClusterError.self) { try await count.update { $0 += 1 } }
    try await count.write(4)
    #expect(count.status.value == .current)
    #expect(count.value == 4)
    try await fleet.server.put("fleet/count", "5")
    try await count.firstValue { $0 == 5 }
  }

  @Test func `the error of an update's body is thrown, and nothing changes`() async throws {
    struct Refusal: Error {}
    let fleet = try await Fleet()
    let count = try await ClusterValue.opened(key: "count", initialValue: 3, cluster: fleet.connect())
    await #expect(throws: Refusal.self) {
      try await count.update { value in
        value = 100
        throw Refusal()
      }
    }
    #expect(try await count.read() == 3)
  }

  @Test func `keys of any characters stay different`() async throws {
    let fleet = try await Fleet()
    let cluster = try fleet.connect()
    let names = ["", "a/b", "a%2fb", "a", "ä", "a\u{308}", "~a", "!a", " ", "\0", "A", "a.b", "%"]
    for name in names {
      _ = try await ClusterValue.opened(key: name, initialValue: Array(name.utf8), cluster: cluster)
    }
    let other = try fleet.connect()
    for name in names {
      let value = try await ClusterValue.opened(key: name, initialValue: [UInt8](), cluster: other)
      #expect(value.value == Array(name.utf8))
    }
  }

  @Test func `a child namespace has its own values and its own watch`() async throws {
    let fleet = try await Fleet()
    let cluster = try fleet.connect()
    let europe = cluster.namespace("eu")
    let outer = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: cluster)
    let inner = try await ClusterValue.opened(key: "count", initialValue: 2, cluster: europe)
    #expect(outer.value == 1)
    #expect(inner.value == 2)
    let before = cluster.metrics.value.receivedBytes
    let text = String(repeating: "x", count: 100_000)
    let large = try await ClusterValue.opened(key: "text", initialValue: "", cluster: europe)
    try await large.write(text)
    try await outer.write(3)
    try await cluster.metrics.firstValue { $0.receivedBytes > before }
    #expect(cluster.metrics.value.receivedBytes - before < 50_000)
  }

  @Test func `a value over the limit is refused before and by the cluster`() async throws {
    let fleet = try await Fleet()
    let small = try await ClusterValue.opened(
      key: "text", initialValue: "", cluster: fleet.connect(options: ClusterOptions(maximumValueSize: 100)))
    await #expect(throws: ClusterError.valueTooLarge(key: "fleet/text", size: 202, limit: 100)) {
      try await small.write(String(repeating: "x", count: 200))
    }
    let large = try await ClusterValue.opened(
      key: "text", initialValue: "", cluster: fleet.connect(options: ClusterOptions(maximumValueSize: 10 << 20)))
    await #expect(throws: ClusterError.valueTooLarge(key: "fleet/text", size: 3_000_002, limit: 10 << 20)) {
      try await large.write(String(repeating: "x", count: 3_000_000))
    }
    #expect(try await large.read() == "")
  }

  @Test func `many keys are opened with few requests and followed by one stream`() async throws {
    let fleet = try await Fleet()
    let writer = try fleet.connect()
    let reader = try fleet.connect()
    let names = (0..<300).map { "value-\($0)" }
    let values = names.map { ClusterValue(key: $0, initialValue: -1, cluster: reader) }
    for value in values { try await value.status.firstValue { $0 == .missing } }
    for (number, name) in names.enumerated() {
      let value = ClusterValue(key: name, initialValue: 0, cluster: writer)
      try await value.write(number)
    }
    for (number, value) in values.enumerated() {
      try await value.firstValue { $0 == number }
      #expect(value.status.value == .current)
    }
  }
}
