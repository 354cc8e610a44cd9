import Cluster
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Cluster: conflicts of writers", .withEtcd, .patient)
struct ClusterConflictTests {
  @Test
  func `three processes that edit different fields of a cluster's value lose none`() async throws {
    let fleet = try await Fleet()
    let count = Scale.count(10, torture: 300)
    let editors = try await CardEditors(opening: "card-cluster \(fleet.urls)")
    let (card, merges) = try await editors.edit(count)
    #expect(card == "\(count) \(count) \(count)")
    #expect(merges == ["0", "1", "1"])
  }

  @Test
  func `a cluster's value that another process has changed since it was read is not replaced`() async throws {
    let fleet = try await Fleet()
    let (error, card) = try await CardEditors(opening: "card-cluster \(fleet.urls)").collide()
    #expect(error?.contains("was changed by another writer") == true)
    #expect(card == "1 0 0")
  }
}
