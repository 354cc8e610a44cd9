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
    for _ in 0..<300 {
      let id = try await session.lease().id
      async let other = session.lease()
      session.lose(id)
      #expect(try await other.id != 0)
    }
  }

  @Test func `a change that began with an earlier lease never gets a marker that another one has had`() async throws {
    let fleet = try await Fleet()
    let session = try fleet.connect().connection.session
    let lease = try await session.lease()
    let marker = session.marker(of: lease)
    session.lose(lease.id)
    _ = try await session.lease()
    #expect(session.marker(of: lease) != marker)
  }
}
