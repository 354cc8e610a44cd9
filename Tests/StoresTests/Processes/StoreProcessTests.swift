import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("A database written by several processes")
struct StoreProcessTests {
  private let directory: TemporaryDirectory
  private var url: URL { directory.file("shared.sqlite") }

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func `processes open a new file at the same time, and lose no update`() async throws {
    let peers = try (0..<4).map { _ in try PeerProcess() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for peer in peers {
        group.addTask { [path = url.path] in
          try await peer.send("store-open \(path)")
          try await peer.send("store-count 100")
        }
      }
      try await group.waitForAll()
    }
    let database = try Database(.file(url))
    #expect(try await database.read { try $0.value("SELECT n FROM counter") } == 400)
  }

  @Test func `a killed writer leaves its commits, no partial one, and no lock`() async throws {
    let database = try Database(.file(url), busyTimeout: .seconds(60))
    for round in 0..<3 {
      let peer = try PeerProcess()
      try await peer.send("store-open \(url.path)")
      try await peer.send("store-count 7")
      let before = try await database.read { try $0.value("SELECT count(*) FROM pair") }
      try await peer.send("store-loop")
      while try await database.read({ try $0.value("SELECT count(*) FROM pair") }) == before {
        try await Task.sleep(for: .milliseconds(1))
      }
      try await peer.kill()
      try await database.write { try $0.execute("UPDATE counter SET n = n + 1") }
      #expect(try await database.read { try $0.value("SELECT count(*) FROM pair WHERE a <> b") } == 0)
      #expect(try await database.read { try $0.value("SELECT n FROM counter") } == .integer(Int64(8 * (round + 1))))
      #expect(try await database.read { try $0.value("PRAGMA integrity_check") } == "ok")
    }
  }
}
