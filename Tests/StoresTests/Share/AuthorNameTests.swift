import AppGroups
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Files of author names", .patient)
struct AuthorNameTests {
  private let fixture: ShareFixture

  init() throws {
    fixture = try ShareFixture()
  }

  private func authors() throws -> [String] {
    try fixture.directory.names(in: "list.sqlite-share").filter { $0.hasSuffix(".author") }
  }

  @Test func `files of processes that have ended are removed by the next share, and others stay`() async throws {
    let running = try await fixture.peer("running")
    for number in 1...3 {
      let peer = try await fixture.peer("killed-\(number)")
      try await peer.kill()
    }
    #expect(try authors().contains("killed-3.author"))
    let share = try fixture.share(fixture.database(), "app")
    #expect(try authors() == ["app.author", "running.author"])
    try await running.send("unshare")
    share.close()
    #expect(try authors() == [])
  }

  @Test func `a file that another share has put in the place of a removed one stays`() throws {
    let share = try fixture.share(fixture.database(), "app")
    let folder = fixture.file.path + "-share"
    try FileManager.default.removeItem(atPath: folder + "/app.author")
    let other = try fixture.share(fixture.database(), "app")
    share.close()
    #expect(try authors() == ["app.author"])
    other.close()
  }

  @Test func `many shares that come and go never share a name`() async throws {
    let fixture = fixture
    _ = try fixture.database()
    try await onThread {
      let holders = Shared(0)
      let lock = NSLock()
      let failures = Kept<String>()
      withThreads(4) { index in
        do {
          let database = try fixture.database()
          for round in 0..<10 {
            // Every second name is common to all threads.
            let name = round.isMultiple(of: 2) ? "common" : "own-\(index)"
            let share = try fixture.share(database, name, lockTimeout: .seconds(240))
            if name == "common" {
              lock.withLock { holders.value += 1 }
              if holders.value != 1 { failures.keep("\(holders.value) have the name") }
              lock.withLock { holders.value -= 1 }
            }
            share.close()
          }
        } catch {
          failures.keep("\(error)")
        }
      }
      #expect(failures.values == [])
    }
    #expect(try authors() == [])
  }

  @Test func `a share waits for a busy name until it is free`() async throws {
    let other = try fixture.share(fixture.database(), "app")
    let database = try fixture.database()
    let asking = Gate()
    let waiting = Task { [fixture] in
      try await onThread {
        asking.open()
        return try fixture.share(database, "app", lockTimeout: .seconds(240))
      }
    }
    try await asking.pass()
    other.close()
    try await waiting.value.close()
  }

  @Test func `a share waits as long as its caller allows, and then names the holder`() async throws {
    let peer = try await fixture.peer("app")
    // It holds the name as long as it is stopped.
    peer.signal(SIGSTOP)
    let database = try fixture.database()
    let begin = ContinuousClock.now
    let error = #expect(throws: DatabaseError.self) {
      try fixture.share(database, "app", lockTimeout: .milliseconds(300))
    }
    #expect(ContinuousClock.now - begin >= .milliseconds(300))
    guard case .authorInUse("app", fixture.file.path, .milliseconds(300), let holder) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #if os(Linux)
      #expect(holder?.processIdentifier == peer.identifier)
      #expect(try #require(error).description.contains("process \(peer.identifier), stopped"))
    #endif
    peer.signal(SIGCONT)
    try await peer.kill()
  }

  @Test func `without a limit of the caller, the container's limit applies, and then half a second`() async throws {
    let other = try fixture.share(fixture.database(), "app")
    let database = try fixture.database()
    func limit() -> Duration? {
      do {
        try DatabaseShare(database, container: fixture.container, author: "app").close()
      } catch DatabaseError.authorInUse(_, _, let limit, _) {
        return limit
      } catch {
        Issue.record(error)
      }
      return nil
    }
    #expect(limit() == .milliseconds(500))
    fixture.container.lockTimeout = .milliseconds(10)
    #expect(limit() == .milliseconds(10))
    fixture.container.lockTimeout = nil
    other.close()
  }
}
