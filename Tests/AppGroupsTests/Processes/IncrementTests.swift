import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Several processes that change one value")
struct IncrementTests {
  @Test
  func `four processes lose no increment, and all of them receive the sum`() async throws {
    let fixture = try Fixture()
    let count = Scale.count(1_000, torture: 10_000)
    let file = try fixture.counter()
    let recorder = file.recorded()
    let peers = try await withThrowingTaskGroup(of: PeerProcess.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let peer = try await fixture.peer()
          try await peer.send("open-counter counter.json")
          return peer
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for peer in peers { group.addTask { try await peer.send("increment counter.json \(count)") } }
      try await group.waitForAll()
    }
    Scale.progress("\(4 * count) increments in \(ContinuousClock.now - start)")
    #expect(try file.read() == 4 * count)
    try await recorder.wait(for: 4 * count)
    #expect(zip(recorder.elements, recorder.elements.dropFirst()).allSatisfy { $0 < $1 }, "the value never went back")
    for peer in peers {
      try await peer.send("observe counter.json")
      try await peer.events.first("the sum") { $0.hasSuffix(" \(4 * count)") }
    }
  }
}
