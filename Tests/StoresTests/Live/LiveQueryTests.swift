import Foundation
import Signals
import Stores
import TestSupport
import Testing

@Suite("A live query", .patient)
struct LiveQueryTests {
  let database: Database

  init() throws {
    database = try liveDatabase()
  }

  /// Records the results of a query.
  private func record<Element>(_ query: LiveQuery<Element>) -> (values: Recorder<Element>, SignalSubscription) {
    let values = Recorder<Element>()
    let subscription = query.sink { values.record($0) }
    return (values, subscription)
  }

  @Test
  func `a query sends the present rows before the subscription returns, and then each change`() async throws {
    try await database.write { try $0.put(Errand(id: 1, title: "bread")) }
    let (values, subscription) = record(database.query(Errand.ordered { $0.id }))
    #expect(values.elements == [[Errand(id: 1, title: "bread")]])
    try await database.write { try $0.put(Errand(id: 2, title: "milk")) }
    try await values.wait { $0.last?.count == 2 }
    try await database.write { _ = try $0.delete(Errand.self, id: 1) }
    try await values.wait { $0.last == [Errand(id: 2, title: "milk")] }
    #expect(values.elements.count == 3)
    subscription.cancel()
  }

  @Test
  func `two rows of one write arrive together, and never one alone`() async throws {
    let (values, subscription) = record(database.query(Errand.ordered { $0.id }))
    for round in 1...100 {
      try await database.write { transaction in
        try transaction.put(Errand(id: 1, title: "\(round)"))
        try transaction.put(Errand(id: 2, title: "\(round)"))
      }
    }
    try await values.wait { $0.last?.first?.title == "100" }
    #expect(values.elements.dropFirst().allSatisfy { $0.count == 2 && $0[0].title == $0[1].title })
    subscription.cancel()
  }

  @Test
  func `a write that does not change the result sends nothing`() async throws {
    try await database.write { try $0.put(Errand(id: 1, title: "bread")) }
    let (values, subscription) = record(database.query(Errand.where { $0.isDone == false }))
    try await database.write { try $0.put(Errand(id: 1, title: "bread")) }
    try await database.write { try $0.put(Errand(id: 2, title: "done", isDone: true)) }
    try await database.write { try $0.put(Opaque(id: "other")) }
    await #expect(throws: CancellationError.self) {
      try await database.write { transaction in
        try transaction.put(Errand(id: 3, title: "rolled back"))
        throw CancellationError()
      }
    }
    try await database.write { try $0.put(Errand(id: 4, title: "milk")) }
    try await values.wait { $0.last?.count == 2 }
    #expect(values.elements.map(\.count) == [1, 2])
    subscription.cancel()
  }

  @Test
  func `changes by raw SQL are observed, even those that SQLite hides`() async throws {
    try await database.write { try $0.put((1...10).map { Errand(id: $0) }) }
    let (values, subscription) = record(database.query(Errand.ordered { $0.id }))
    for (statement, ids) in [
      ("DELETE FROM errand WHERE id = 10", Array(1...9)),
      ("INSERT OR REPLACE INTO errand VALUES (11, 'again', 1)", Array(1...9) + [11]),
      ("UPDATE errand SET id = 100 WHERE id = 1", Array(2...9) + [11, 100]), ("DELETE FROM errand", []),
    ] {
      try await database.write { try $0.execute(statement) }
      try await values.wait { $0.last?.map(\.id) == ids }
    }
    subscription.cancel()
  }

  @Test
  func `a query of raw SQL follows all tables that it reads`() async throws {
    let query = Query<Errand>(
      sql: "SELECT * FROM errand WHERE title IN (SELECT id FROM opaque WHERE number > ?)", 5)
    let (values, subscription) = record(database.query(query))
    try await database.write { try $0.put(Errand(id: 1, title: "a")) }
    try await database.write { try $0.put(Opaque(id: "a", number: 6)) }
    try await values.wait { $0.last?.count == 1 }
    try await database.write { try $0.execute("UPDATE opaque SET number = 5") }
    try await values.wait { $0.last?.isEmpty == true && $0.count == 3 }
    subscription.cancel()
  }

  @Test(arguments: [
    "SELECT id, title, isDone FROM errand WHERE (SELECT count(*) FROM opaque) > 0",
    "SELECT id, title, isDone FROM errand WHERE EXISTS (SELECT 1 FROM opaque)",
    "WITH opaque_ids AS MATERIALIZED (SELECT 1 FROM opaque) SELECT * FROM errand WHERE (SELECT count(*) FROM opaque_ids) > 0",
  ])
  func `a query follows tables of which it reads no column`(_ sql: String) async throws {
    try await database.write { try $0.put(Errand(id: 1)) }
    let (values, subscription) = record(database.query(Query<Errand>(sql: sql)))
    try await database.write { try $0.put(Opaque(id: "a")) }
    try await values.wait { $0.map(\.count) == [0, 1] }
    subscription.cancel()
  }

  @Test
  func `a slow subscriber delays no writer, and receives the last state in fewer steps`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let values = Recorder<Int>()
    let subscription = database.query(Errand.ordered { $0.id }).map(\.count)
      .sink { count in
        if count > 0 {
          gate.wait()
          gate.signal()
        }
        values.record(count)
      }
    for id in 1...100 { try await database.write { try $0.put(Errand(id: id)) } }
    gate.signal()
    try await values.wait { $0.last == 100 }
    #expect(values.elements.count <= 3)
    subscription.cancel()
  }

  @Test
  func `a subscriber may write, and results arrive in commit order`() async throws {
    let values = Recorder<[Int]>()
    let database = database
    let subscription = database.query(Errand.ordered { $0.id }).map { $0.map(\.id) }
      .sink { ids in
        values.record(ids)
        guard ids.count < 20 else { return }
        do {
          try database.write { try $0.put(Errand(id: ids.count + 1)) }
        } catch {
          Issue.record(error)
        }
      }
    try await values.wait { $0.last == Array(1...20) }
    #expect(values.elements.map(\.count) == Array(0...20))
    subscription.cancel()
  }

  @Test
  func `models that are not Equatable are sent after each change of their table`() async throws {
    let (values, subscription) = record(database.query(Query<Opaque>()))
    for round in 1...3 {
      try await database.write { try $0.put(Opaque(id: "same")) }
      try await values.wait { $0.count == round + 1 }
    }
    subscription.cancel()
  }

  @Test
  func `a query that cannot run reports the reason once`() async throws {
    let query = database.query(Errand.where { $0.named("colour") == "red" })
    let failures = query.failures.recorded()
    let subscription = query.sink { _ in Issue.record("there is a value") }
    #expect(failures.elements.count == 1 && "\(failures.elements)".contains("colour"))
    #expect(query.status.value.failure == failures.elements.first)
    subscription.cancel()
  }

  @Test
  func `a cancelled query is not read again, and retains nothing`() async throws {
    weak var weakDatabase: Database?
    do {
      let database = try liveDatabase()
      weakDatabase = database
      let values = Recorder<Int>()
      let subscription = database.query(Query<Errand>()).sink { values.record($0.count) }
      subscription.cancel()
      try await database.write { try $0.put(Errand(id: 1)) }
      #expect(values.elements == [0])
    }
    let limit = ContinuousClock.now + .seconds(60)
    while weakDatabase != nil, ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(2)) }
    #expect(weakDatabase == nil)
  }

  @Test
  func `a query follows many writing threads to the last change`() async throws {
    let (values, subscription) = record(database.query(Query<Errand>()))
    let database = database
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for round in 0..<100 { try await database.write { try $0.put(Errand(id: thread * 100 + round)) } }
        }
      }
      try await group.waitForAll()
    }
    try await values.wait { $0.last?.count == 400 }
    #expect(zip(values.elements, values.elements.dropFirst()).allSatisfy { $0.count < $1.count })
    subscription.cancel()
  }
}
