import AppGroups
import Cluster
import Foundation
import Signals
import TestSupport
import Testing
import Tweaks

@Suite("Values of a cluster together with those of a machine", .withEtcd, .patient, .serialized)
struct CacheTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Opens the file of the machine, as each of its processes does.
  private func cache() throws -> AppGroupsFile<ClusterRecord<Int>> {
    let container = try AppGroupsContainer(directory: directory.url)
    return try AppGroupsFile(name: "count", initialValue: ClusterRecord(0), container: container)
  }

  @Test func `the other processes of a machine follow the file of the one that is connected`() async throws {
    let fleet = try await Fleet()
    let other = try cache()
    let followed = other.map(\.value).recorded()
    let count = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: fleet.connect(), cache: cache())
    try await followed.wait(for: 1)
    try await fleet.server.put("fleet/count", "2")
    try await followed.wait(for: 2)
    try await count.update { $0 += 1 }
    try await followed.wait(for: 3)
    #expect(followed.elements == [0, 1, 2, 3])
  }

  @Test func `without the cluster, a process starts with the last known value`() async throws {
    let fleet = try await Fleet()
    do {
      let count = try await ClusterValue.opened(key: "count", initialValue: 1, cluster: fleet.connect(), cache: cache())
      try await count.write(7)
      try await cache().firstValue { $0.value == 7 }
    }
    try await fleet.server.kill()
    let count = try await ClusterValue.open(
      key: "count", initialValue: 1, cluster: fleet.connect(), cache: cache(), patience: .milliseconds(200))
    let numbers = count.recorded()
    #expect(count.value == 7)
    #expect(count.status.value != .current)
    let server = try await fleet.server.restarted()
    try await count.status.firstValue { $0 == .current }
    try await server.put("fleet/count", "8")
    try await numbers.wait(for: 8)
    #expect(numbers.elements == [7, 8])
  }

  @Test func `a cache never returns to an older value, whichever process writes it`() async throws {
    let fleet = try await Fleet()
    let followed = try cache().recorded()
    let first = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect(), cache: cache())
    let second = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect(), cache: cache())
    for number in 1...50 { try await (number % 2 == 0 ? first : second).write(number) }
    try await followed.wait { $0.last?.value == 50 }
    let revisions = followed.elements.map(\.revision)
    #expect(zip(revisions, revisions.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `after the cluster was restored, its older value replaces that of the cache`() async throws {
    var fleet = try await Fleet()
    do {
      let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect(), cache: cache())
      for number in 1...30 { try await count.write(number) }
      try await cache().firstValue { $0.value == 30 }
    }
    try await fleet.server.kill()
    fleet = Fleet([try await fleet.server.replaced()])
    try await fleet.server.put("fleet/count", "3")
    let count = try await ClusterValue.opened(key: "count", initialValue: 0, cluster: fleet.connect(), cache: cache())
    #expect(count.value == 3)
    try await cache().firstValue { $0.value == 3 }
    try await count.write(4)
    try await cache().firstValue { $0.value == 4 }
  }

  @Test func `flags of a fleet change on every machine at once`() async throws {
    struct Flags: Codable, Sendable {
      var isReadOnly = false
    }
    let fleet = try await Fleet()
    let flags = try await ClusterValue.opened(key: "flags", initialValue: Flags(), cluster: fleet.connect())
    let there = try await ClusterValue.opened(key: "flags", initialValue: Flags(), cluster: fleet.connect())
    let provider = SharedTweakProvider(there, name: "fleet") {
      [Tweak(feature: "shop", variable: "read-only", value: .bool($0.isReadOnly))]
    }
    let manager = TweakManager(providers: [provider])
    let isReadOnly = manager.signal(feature: "shop", variable: "read-only", as: Bool.self).recorded()
    try await flags.update { $0.isReadOnly = true }
    try await isReadOnly.wait(for: true)
    #expect(isReadOnly.elements == [false, true])
  }
}
