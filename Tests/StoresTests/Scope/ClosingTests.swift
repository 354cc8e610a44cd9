import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

/// Each of these cases once deadlocked.
@Suite("Concurrent closing and switching of a database", .patient)
struct ClosingTests {
  private let fixture: ScopeFixture

  init() throws {
    fixture = try ScopeFixture()
    try fixture.fill("live", title: "old")
  }

  @Test func `concurrent calls of close all succeed`() async throws {
    for _ in 0..<Scale.count(30, torture: 2000) {
      let database = try Database(fixture.location)
      try await onThread {
        withThreads(6) { thread in
          if thread == 0 { _ = databaseError { try database.read { _ in } } }
          #expect(databaseError { try database.close() } == nil)
        }
      }
      #expect(databaseError { try database.read { _ in } } == .closed(path: fixture.url.path))
    }
  }

  @Test func `a close waits for another thread's switch`() async throws {
    for _ in 0..<Scale.count(10, torture: 500) {
      let database = try fixture.open()
      try await onThread { [fixture] in
        withThreads(4) { thread in
          let error = databaseError { try thread == 0 ? fixture.scope.switchContents {} : database.close() }
          #expect(error == nil)
        }
      }
      #expect(database.status.value == .closed(.closed(path: fixture.url.path)))
    }
  }

  @Test func `a subscriber of a switch may close the database`() throws {
    let database = try fixture.open()
    let subscription = database.changes.sink { changes in
      if changes.origin == .switch { #expect(databaseError { try database.close() } == nil) }
    }
    try fixture.scope.switchContents {}
    #expect(databaseError { try database.read { _ in } } == .closed(path: fixture.url.path))
    subscription.cancel()
  }

  @Test func `switches followed inside a transaction take effect after it ends`() async throws {
    let database = try fixture.open()
    let switches = Recorder<ChangeOrigin>()
    let subscription = database.changes.sink { switches.record($0.origin) }
    try await onThread { [fixture] in
      try database.write { _ in for _ in 0..<8 { fixture.scope.followSwitch() } }
    }
    try await switches.wait { $0.count == 8 }
    fixture.scope.followSwitch()
    #expect(try await onThread { try database.write { try $0.count(Errand.self) } } == 1)
    #expect(try await onThread { try database.read { try $0.count(Errand.self) } } == 1)
    try database.close()
    subscription.cancel()
  }
}
