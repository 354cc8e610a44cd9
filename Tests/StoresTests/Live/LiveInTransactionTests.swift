import Foundation
@testable import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Live rows and queries begun inside a transaction", .patient)
struct LiveInTransactionTests {
  private struct Unwanted: Error {}

  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func database(inMemory: Bool) throws -> Database {
    try liveDatabase(inMemory ? .memory : .file(directory.file("list.sqlite")))
  }

  @Test func `a row and a query update to changes committed after the read began`() async throws {
    let database = try database(inMemory: false)
    try await database.write { try $0.put(Errand(id: 1, title: "old")) }
    let titles = Recorder<[String]>()
    let (errand, opaque, subscription) = try await onThread {
      try database.read { transaction in
        // From now on, the transaction sees this state.
        #expect(try transaction.count(Errand.self) == 1)
        withThreads(1) { _ in
          do {
            try database.write { try $0.put(Errand(id: 1, title: "new")) }
            try database.write { try $0.put(Opaque(id: "key", number: 5)) }
          } catch {
            Issue.record(error)
          }
        }
        let errand = try database.live(Errand.self, id: 1)
        #expect(errand.value?.title == "old")
        let subscription = database.query(Query<Errand>()).map { $0.map(\.title) }.sink { titles.record($0) }
        #expect(titles.elements == [["old"]])
        return (errand, try database.live(Opaque.self, id: "key"), subscription)
      }
    }
    #expect(errand.value?.title == "new" && opaque.value?.number == 5)
    try await titles.wait(for: ["new"])
    subscription.cancel()
  }

  @Test(arguments: [false, true])
  func `a row and a query return to the committed state after a rollback`(inMemory: Bool) async throws {
    let database = try database(inMemory: inMemory)
    try await database.write { try $0.put(Errand(id: 1, title: "old")) }
    let titles = Recorder<[String]>()
    let kept = Recorder<(LiveObject<Errand>, SignalSubscription)>()
    await #expect(throws: Unwanted.self) {
      try await onThread {
        try database.write { transaction in
          try transaction.put(Errand(id: 1, title: "unwanted"))
          let errand = try database.live(Errand.self, id: 1)
          let subscription = database.query(Query<Errand>()).map { $0.map(\.title) }.sink { titles.record($0) }
          kept.record((errand, subscription))
          #expect(errand.value?.title == "unwanted" && titles.elements == [["unwanted"]])
          throw Unwanted()
        }
      }
    }
    let (errand, subscription) = try #require(kept.elements.first)
    #expect(errand.value?.title == "old")
    try await titles.wait(for: ["old"])
    subscription.cancel()
  }

  @Test(arguments: [false, true])
  func `a row goes from the written to the committed value, without the old one in between`(inMemory: Bool) async throws
  {
    let database = try database(inMemory: inMemory)
    try await database.write { try $0.put(Errand(id: 1, title: "old")) }
    let titles = Recorder<String?>()
    let (errand, subscription) = try await onThread {
      try database.write { transaction in
        try transaction.put(Errand(id: 1, title: "new"))
        let errand = try database.live(Errand.self, id: 1)
        return (errand, errand.sink { titles.record($0?.title) })
      }
    }
    #expect(errand.value?.title == "new")
    try errand.update { $0.title = "newer" }
    #expect(titles.elements == ["new", "newer"])
    subscription.cancel()
  }

  @Test func `a row returns from a value that a savepoint has undone`() throws {
    let database = try database(inMemory: true)
    let errand = try database.write { transaction in
      var errand: LiveObject<Errand>?
      #expect(throws: Unwanted.self) {
        try transaction.savepoint {
          try transaction.put(Errand(id: 1, title: "unwanted"))
          errand = try database.live(Errand.self, id: 1)
          throw Unwanted()
        }
      }
      return try #require(errand)
    }
    #expect(errand.value == nil)
  }

  @Test func `a row follows a commit that is delivered by a thread whose transaction cannot see it`() async throws {
    let database = try database(inMemory: false)
    try await database.write { try $0.put(Errand(id: 1, title: "old")) }
    let errand = try database.live(Errand.self, id: 1)
    try await onThread {
      try database.read { transaction in
        let count = try transaction.count(Errand.self)
        #expect(count == 1)
        let commit: @Sendable () -> Void = {
          withThreads(1) { _ in
            do { try database.write { try $0.put(Errand(id: 1, title: "new")) } } catch { Issue.record(error) }
          }
        }
        // This thread delivers what the other one commits.
        database.delivery.emitter.core.withTurn(commit)
        #expect(errand.value?.title == "old")
      }
    }
    #expect(errand.value?.title == "new")
  }
}
