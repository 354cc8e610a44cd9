import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Opening and closing")
struct LifetimeTests {
  @Test
  func `ten thousand openings leave no descriptor and no watch behind`() async throws {
    let fixture = try Fixture()
    // A separate process, so that nothing else opens and closes descriptors.
    let peer = try await fixture.peer()
    try await peer.send("cycle \(fixture.path) note.json 10")
    let descriptors = try await peer.send("descriptors")
    try await peer.send("cycle \(fixture.path) note.json 10000")
    #expect(try await peer.send("descriptors") == descriptors)
    #if os(Linux)
      #expect(try await peer.send("watches") == "0")
    #endif
  }

  @Test
  func `threads may open, observe and release concurrently`() async throws {
    let fixture = try Fixture()
    let kept = try fixture.counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<100 {
            let file = try fixture.counter()
            let subscription = file.sink { _ in }
            try await file.update { $0 += 1 }
            subscription.cancel()
          }
        }
      }
      try await group.waitForAll()
    }
    try await kept.firstValue { $0 == 400 }
  }
}
