import Foundation
import Signals
import TestSupport
import Testing

@testable import Cluster

@Suite("The session of a cluster", .withEtcd, .patient)
struct SessionTests {
  @Test func `a session that is lost again and again never hands out a lease without a number`() async throws {
    let fleet = try await Fleet()
    let cluster = try fleet.connect()
    let session = cluster.connection.session
    let isOver = Guarded(false)
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask { @Sendable in
          var wrong = 0
          while !isOver.withLock({ $0 }) { if try await session.lease().id == 0 { wrong += 1 } }
          return wrong
        }
      }
      for _ in 0..<500 { session.lose(try await session.lease().id) }
      isOver.withLock { $0 = true }
      for try await wrong in group { #expect(wrong == 0) }
    }
  }
}
