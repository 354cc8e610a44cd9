import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Processes that open one file")
struct SchemaProcessTests {
  let fixture: SchemaFixture

  init() throws {
    fixture = try SchemaFixture()
  }

  /// Returns the outcomes of processes that open the file at the same time.
  private func outcomes(of peers: [PeerProcess], version: Int) async throws -> [String] {
    let path = fixture.path
    return try await withThrowingTaskGroup(of: String.self) { group in
      for peer in peers { group.addTask { try await peer.send("schema-open \(path) \(version)") } }
      return try await group.reduce(into: []) { $0.append($1) }.sorted()
    }
  }

  @Test
  func `one of eight processes creates the file, and one migrates it`() async throws {
    let peers = try (0..<8).map { _ in try PeerProcess() }
    let current = Array(repeating: "current", count: 7)
    #expect(try await outcomes(of: peers, version: 1) == ["created"] + current)
    #expect(try await outcomes(of: peers, version: 2) == current + ["migrated"])
    #expect(try fixture.sql("SELECT count(*) FROM run") == 1, "the step ran once")
    #expect(try fixture.sql("PRAGMA integrity_check") == "ok")
  }

  @Test
  func `a process killed during a migration changes nothing, and the next one migrates`() async throws {
    let peer = try PeerProcess()
    #expect(try await peer.send("schema-open \(fixture.path) 1") == "created")
    let before = try fixture.content()
    let dying = try PeerProcess()
    let path = fixture.path
    let answer = Task { try await dying.send("schema-stop \(path)") }
    try await dying.events.wait(for: "the migration") { $0.contains("migrating") }
    try await dying.kill()
    await #expect(throws: PeerProcess.Failure.self) { try await answer.value }
    #expect(try fixture.content() == before)
    #expect(try await peer.send("schema-open \(path) 2") == "migrated")
    #expect(try fixture.sql("SELECT count(*) FROM run") == 1)
  }
}
