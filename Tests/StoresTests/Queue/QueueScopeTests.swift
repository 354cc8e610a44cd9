import AppGroups
import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Work queues: switched contents", .patient)
struct QueueScopeTests {
  private let fixture: ScopeFixture

  init() throws {
    fixture = try ScopeFixture()
    try fixture.fill("live", title: "old")
    try fixture.fill("next", title: "new")
  }

  @Test
  func `a claim ends with a switch, and its job waits in its own contents`() async throws {
    let database = try fixture.open()
    let queue = WorkQueue<String>("letters", in: database)
    try await queue.add("old")
    let job = try #require(try queue.claim().first)
    let isLost = job.isLost
    try fixture.switchContents(away: "old", in: "next")
    try await isLost.firstValue { $0 }
    #expect(throws: DatabaseError.self) { try job.finish() }
    #expect(try queue.claim().isEmpty)
    try await queue.add("new")
    #expect(try queue.claim().map(\.value) == ["new"])
    try fixture.switchContents(away: "next", in: "old")
    let again = try await queue.nextClaims()
    #expect(again.map(\.value) == ["old"])
    #expect(again.map(\.attempt) == [2])
  }

  @Test
  func `a waiting worker claims the jobs of the contents that a switch brings`() async throws {
    let database = try fixture.open()
    let queue = WorkQueue<String>("letters", in: database)
    try await queue.add("old")
    try fixture.switchContents(away: "old", in: "next")
    let waiting = Task { try await queue.nextClaims().map(\.value) }
    try fixture.switchContents(away: "next", in: "old")
    #expect(try await waiting.value == ["old"])
  }

  @Test
  func `an attempt whose transaction in another object of the file is undone has failed`() async throws {
    struct Refusal: Error {}
    let (database, other) = (try fixture.open(), try fixture.open())
    let queue = WorkQueue<String>("letters", in: database, retries: .constant(.seconds(3_600)))
    try await queue.add("a")
    let working = Task {
      try await queue.work { job in
        try await other.write { transaction in
          try job.finish(in: transaction)
          throw Refusal()
        }
      }
    }
    let delayed = try await queue.jobs(.delayed).firstValue { $0.count == 1 }
    #expect(delayed.map(\.failureCount) == [1])
    working.cancel()
  }

  @Test
  func `a claim in a copy of its contents is another one`() throws {
    let database = try fixture.open()
    let queue = WorkQueue<String>("letters", in: database)
    try queue.add("a")
    let job = try #require(try queue.claim().first)
    try fixture.scope.switchContents {
      try FileManager.default.copyItem(at: fixture.root, to: fixture.directory.url.appending(path: "copy"))
      try fixture.rename(away: "old", in: "copy")
    }
    #expect(databaseError { try job.finish() } == .claimLost(queue: "letters", job: job.id, path: fixture.url.path))
  }
}
