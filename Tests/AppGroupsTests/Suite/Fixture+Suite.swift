import AppGroups
import FileSignals
import TestSupport

extension Fixture {
  /// A suite in the container, without syncing to the disk, which is slow and proves nothing here.
  func suite(_ name: String = "suite.json") throws -> AppGroupsSuite {
    try AppGroupsSuite(name: name, container: container, options: .init(durability: .process))
  }

  /// Starts a process that uses the suite.
  func suitePeer(_ name: String = "suite.json") async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("suite \(path) \(name)")
    return peer
  }
}
