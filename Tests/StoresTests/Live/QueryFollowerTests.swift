import Signals
@testable import Stores
import TestSupport
import Testing

@Suite("The query of a view", .patient)
struct QueryFollowerTests {
  private let database: Database
  private let follower = QueryFollower<[Errand]>()

  init() throws {
    database = try liveDatabase()
  }

  private func property(_ query: LiveQuery<[Errand]>) -> Property<[Errand]> {
    follower.property(of: query, initial: [])
  }

  @Test func `the query is observed once, however often the view asks`() async throws {
    let query = database.query(Errand.ordered { $0.id })
    let first = property(query)
    #expect(property(query) === first)
    #expect(query.subscriberCount == 1)
    try await database.write { try $0.put(Errand(id: 1, title: "bread")) }
    try await first.firstValue("the row") { $0.count == 1 }
    #expect(property(query).value == [Errand(id: 1, title: "bread")])
  }

  @Test func `another query replaces the first, which is no longer observed`() {
    let first = database.query(Errand.ordered { $0.id })
    let second = database.query(Errand.ordered { $0.title })
    _ = property(first)
    _ = property(second)
    #expect(first.subscriberCount == 0)
    #expect(second.subscriberCount == 1)
  }

  @Test func `threads that ask at once share one property`() {
    let query = database.query(Errand.ordered { $0.id })
    let seen = Recorder<Property<[Errand]>>()
    withThreads(4) { _ in seen.record(property(query)) }
    #expect(Set(seen.elements.map(ObjectIdentifier.init)).count == 1)
    #expect(query.subscriberCount == 1)
  }
}
