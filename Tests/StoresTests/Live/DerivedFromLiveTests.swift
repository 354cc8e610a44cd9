import AppGroups
import Foundation
import Signals
import SignalsTesting
import Stores
import TestSupport
import Testing

@Suite("Values derived from what is shared", .patient)
struct DerivedFromLiveTests {
  private func title(of count: some SharedValue<Int>) -> Property<String> {
    .derived(count) { "\($0)" }
  }

  @Test func `shared values, queries, objects and windows are inputs of a derived value`() async throws {
    let directory = try TemporaryDirectory()
    let container = try AppGroupsContainer(directory: directory.url)
    let file = try AppGroupsFile(name: "count.json", initialValue: 7, container: container)
    let word = try AppGroupsSuite(name: "suite.json", container: container).preference("word", default: "a")
    let database = try liveDatabase()
    let summary = Property.derived(
      file, word, database.query(Query<Errand>()), try database.live(Errand.self, id: 1),
      database.window(over: Query<Errand>(), size: 1)
    ) { count, word, errands, first, page in
      "\(count) \(word) \(errands?.count ?? -1) \(first?.title ?? "-") \(page.rows.count)"
    }
    let seen = Recorder<String>()
    let subscription = summary.sink { seen.record($0) }
    #expect(seen.elements.last == "7 a 0 - 0")
    try await database.write { try $0.put([Errand(id: 1, title: "bread"), Errand(id: 2, title: "tea")]) }
    try await seen.wait { $0.last == "7 a 2 bread 1" }
    try await file.write(8)
    try await word.write("b")
    #expect(seen.elements.last == "8 b 2 bread 1")
    #expect(title(of: file).value == "8")
    #expect(Property.derived([file, file]) { $0.reduce(0, +) }.value == 16)
    subscription.cancel()
  }

  @Test func `a query is followed as long as a value is derived from it`() async throws {
    let database = try liveDatabase()
    let query = database.query(Query<Errand>())
    var count: Property<Int>? = .derived(query) { $0?.count ?? -1 }
    #expect(query.subscriberCount == 1)
    #expect(count?.value == 0)
    let seen = Recorder<Int>()
    var subscription = count?.sink { seen.record($0) }
    try await database.write { try $0.put(Errand(id: 1, title: "bread")) }
    try await seen.wait { $0.last == 1 }
    #expect(count?.value == 1)
    subscription?.cancel()
    subscription = nil
    count = nil
    #expect(query.subscriberCount == 0)
  }
}
