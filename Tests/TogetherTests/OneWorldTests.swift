import Containers
import Foundation
import Signals
import SignalsTesting
import TestSupport
import TestWorld
import Testing

@Suite("A switched root under load", .patient)
struct OneWorldTests {
  @Test func `no subscriber in any process sees a mixed state or another environment's data`() async throws {
    let root = try TemporaryDirectory()
    let home = root.url.appending(path: "home", directoryHint: .isDirectory)
    let world = try await ScopedWorld(home: home)
    let app = world.app
    let ids = try await onThread {
      try [AppContainer.Environment.defaultID] + ["Work", "Play"].map { try app.create(name: $0).id }
    }
    for id in ids.reversed() {
      try await app.activate(id: id)
      try await world.fill(id)
    }
    world.subscribe()
    let peers = try [PeerProcess(), PeerProcess()]
    for peer in peers {
      try await peer.send("world \(home.path)")
      try await peer.send("world-write")
    }
    async let writing: Void = world.write()

    // This process and another one switch concurrently.
    let count = Scale.count(10, torture: 150)
    let names = ids.map(\.uuidString).joined(separator: ",")
    async let theirs = peers[0].send("world-hop \(names) \(count) 7")
    for round in 1...count {
      try await app.activate(id: ids[round % 3])
      Scale.progress("\(round) switches")
    }
    _ = try await theirs
    var reports: [String] = []
    for peer in peers { reports.append(try await peer.send("world-stop")) }
    world.stop()
    try await writing
    for id in ids {
      try await app.activate(id: id)
      try await world.check()
    }
    reports.append(world.summary())
    for report in reports {
      Scale.progress(report)
      let words = report.split(separator: " ", maxSplits: 4)
      #expect(words[3] == "0", "\(report)")
      #expect(Int(words[0]) ?? 0 > count && Int(words[2]) ?? 0 > 0, "\(report)")
    }
  }
}
