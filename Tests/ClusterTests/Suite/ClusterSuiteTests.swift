import Cluster
import Foundation
import Signals
import TestSupport
import Testing

extension ClusterKey where Value == Int {
  fileprivate static var volume: ClusterKey { ClusterKey("volume", default: 5) }
}

extension ClusterKey where Value == String {
  fileprivate static var theme: ClusterKey { ClusterKey("a theme/ä", default: "light") }
}

@Suite("Suites of a cluster", .withEtcd, .patient, .serialized)
struct ClusterSuiteTests {
  @Test func `values of a suite have their types and defaults, and follow other processes`() async throws {
    let fleet = try await Fleet()
    let first = ClusterSuite(name: "settings", cluster: try fleet.connect())
    let second = ClusterSuite(name: "settings", cluster: try fleet.connect())
    let volumes = second.property(for: .volume).recorded()
    try await second.status.firstValue { $0 == .current }
    try await first.set(7, for: .volume)
    try await first.set("dark", for: .theme)
    #expect(try first.value.value(for: .volume) == 7)
    try await volumes.wait(for: 7)
    try await second.property(for: .theme).firstValue { $0 == "dark" }
    #expect(second.value.names == ["volume", "a theme/ä"])
    try await first.set(nil, for: .volume)
    try await volumes.wait { $0 == [5, 7, 5] }
    #expect(volumes.elements == [5, 7, 5])
  }

  @Test func `a suite with many values is read in pages, also after a compaction`() async throws {
    let fleet = try await Fleet()
    for number in 0..<600 { try await fleet.server.put("fleet/numbers/n\(number)", "\(number)") }
    let network = FaultyTransport()
    let numbers = ClusterSuite(name: "numbers", cluster: try fleet.connect(over: network))
    try await numbers.status.firstValue { $0 == .current }
    #expect(numbers.value.names.count == 600)
    network.cut()
    try await fleet.server.delete("fleet/numbers/n0")
    try await fleet.server.put("fleet/numbers/n1", "100")
    try await fleet.server.compact()
    network.mend()
    try await numbers.firstValue { $0.names.count == 599 }
    #expect(try numbers.value.value(for: ClusterKey("n1", default: 0)) == 100)
  }

  @Test func `content of another type leaves the last good value`() async throws {
    let fleet = try await Fleet()
    let suite = ClusterSuite(name: "settings", cluster: try fleet.connect())
    let volume = suite.property(for: .volume)
    let volumes = volume.recorded()
    try await suite.set(8, for: .volume)
    try await fleet.server.put("fleet/settings/volume", "\"loud\"")
    try await fleet.server.put("fleet/settings/volume", "9")
    try await volumes.wait(for: 9)
    #expect(volumes.elements == [5, 8, 9])
  }

  @Test func `a value and a suite of the same name do not meet`() async throws {
    let fleet = try await Fleet()
    let cluster = try fleet.connect()
    let value = try await ClusterValue.opened(key: "settings", initialValue: 1, cluster: cluster)
    let suite = ClusterSuite(name: "settings", cluster: cluster)
    try await suite.set(2, for: .volume)
    #expect(value.value == 1)
    #expect(suite.value.names == ["volume"])
  }
}
