import Dispatch
import Foundation
import Signals
import Stores
import TestSupport
import Testing

@Suite("An observed closure", .patient)
struct ObserveTests {
  /// Records the results of a query.
  private func record<Element>(_ query: LiveQuery<Element>) -> (values: Recorder<Element>, SignalSubscription) {
    let values = Recorder<Element>()
    let subscription = query.sink { values.record($0) }
    return (values, subscription)
  }

  /// Opens a database in a file of its own for the duration of a closure.
  private func withFile(_ body: (Database, URL) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    let file = directory.file("live.sqlite")
    let database = try liveDatabase(.file(file))
    try await body(database, file)
    try database.close()
  }

  @Test
  func `a closure follows every table that it reads, and equal results are not sent`() async throws {
    let database = try liveDatabase()
    let (values, subscription) = record(
      database.observe { transaction in
        [
          try transaction.count(Errand.self),
          try transaction.rows("SELECT id FROM opaque WHERE EXISTS (SELECT 1 FROM level)").count,
        ]
      })
    #expect(values.elements == [[0, 0]])
    try await database.write { try $0.put(Errand(id: 1)) }
    try await values.wait { $0.last == [1, 0] }
    try await database.write { try $0.put(Opaque(id: "a")) }
    try await database.write { try $0.put(Level(id: 1)) }
    try await values.wait { $0.last == [1, 1] }
    #expect(values.elements == [[0, 0], [1, 0], [1, 1]])
    subscription.cancel()
  }

  @Test
  func `a closure that takes another branch is followed, and the old branch is left`() async throws {
    let database = try liveDatabase()
    let reads = Recorder<Int>()
    let (values, subscription) = record(
      database.observe { transaction in
        reads.record(1)
        let branch = try transaction.find(Errand.self, id: 1)
        if branch?.isDone == true { return "levels \(try transaction.count(Level.self))" }
        return "opaques \(try transaction.count(Opaque.self))"
      })
    try await database.write { try $0.put(Opaque(id: "a")) }
    try await values.wait { $0.last == "opaques 1" }
    try await database.write { try $0.put(Errand(id: 1, isDone: true)) }
    try await values.wait { $0.last == "levels 0" }
    let before = reads.elements.count
    try await database.write { try $0.put(Opaque(id: "b")) }
    try await database.write { try $0.put(Errand(id: 2)) }
    try await database.write { try $0.put(Level(id: 1)) }
    try await values.wait { $0.last == "levels 1" }
    #expect(reads.elements.count == before + 1)
    subscription.cancel()
  }

  @Test
  func `a commit between the snapshot and the first read of a table is not lost`() async throws {
    try await withFile { database, _ in
      let reads = Recorder<Int>()
      let mayContinue = DispatchSemaphore(value: 0)
      let query = database.observe(scheduling: .async) { transaction in
        let errands = try transaction.count(Errand.self)
        reads.record(1)
        if reads.elements.count == 1 { mayContinue.wait() }
        return [errands, try transaction.count(Opaque.self)]
      }
      let (values, subscription) = record(query)
      try await reads.wait(for: 1)
      try await database.write { try $0.put(Opaque(id: "a")) }
      mayContinue.signal()
      try await values.wait { $0.last == [0, 1] }
      #expect(values.elements == [[0, 0], [0, 1]])
      subscription.cancel()
    }
  }

  @Test
  func `reads by key depend on their rows only`() async throws {
    let database = try liveDatabase()
    let reads = Recorder<Int>()
    let (values, subscription) = record(
      database.observe { transaction in
        reads.record(1)
        return [
          try transaction.find(Errand.self, id: 1)?.title,
          try transaction.first(Errand.where { $0.id == 2 })?.title,
          "\(try transaction.count(Opaque.where { $0.id.isIn(["a", "b"]) }))",
        ]
      })
    try await database.write { try $0.put((3...50).map { Errand(id: $0) }) }
    try await database.write { try $0.put(Opaque(id: "c")) }
    #expect(reads.elements.count == 1)
    try await database.write { try $0.put(Opaque(id: "b")) }
    try await values.wait { $0.last == [nil, nil, "1"] }
    try await database.write { try $0.put(Errand(id: 2, title: "two")) }
    try await values.wait { $0.last == [nil, "two", "1"] }
    try await database.write { try $0.put(Errand(id: 1, title: "one")) }
    try await values.wait { $0.last == ["one", "two", "1"] }
    #expect(reads.elements.count == 4)
    subscription.cancel()
  }

  @Test
  func `results that are not Equatable are sent after each change of what was read`() async throws {
    let database = try liveDatabase()
    let (values, subscription) = record(database.observe { transaction in try transaction.all(Opaque.self) })
    for round in 1...3 {
      try await database.write { try $0.put(Opaque(id: "same")) }
      try await values.wait { $0.count == round + 1 }
    }
    subscription.cancel()
  }

  @Test
  func `an error that the closure throws is a failure, and the next change is read`() async throws {
    struct Empty: Error {}
    let database = try liveDatabase()
    let query = database.observe { transaction in
      let count = try transaction.count(Errand.self)
      if count == 0 { throw Empty() }
      return count
    }
    let failures = query.failures.recorded()
    let (values, subscription) = record(query)
    #expect(failures.elements == [.failedRead("Empty()", path: ":memory:")])
    #expect(values.elements.isEmpty && query.status.value.failure == failures.elements.first)
    try await database.write { try $0.put(Errand(id: 1)) }
    try await values.wait { $0 == [1] }
    #expect(query.status.value == .current)
    subscription.cancel()
  }

  @Test
  func `with asynchronous scheduling, the subscribing thread does not read`() async throws {
    let database = try liveDatabase()
    let values = Recorder<Int>()
    // A read by the writing thread would see the row at once, and any other thread waits for the transaction.
    let subscription = try await database.write { [database] transaction in
      try transaction.put(Errand(id: 1))
      let subscription = database.query(Query<Errand>(), scheduling: .async).sink { values.record($0.count) }
      #expect(values.elements.isEmpty)
      try transaction.put(Errand(id: 2))
      return subscription
    }
    try await values.wait { $0 == [2] }
    subscription.cancel()
  }

  @Test
  func `cancelling interrupts the read in progress, and no other`() async throws {
    try await withFile { database, _ in
      let reads = Recorder<Int>()
      let query = database.observe(scheduling: .async) { transaction in
        reads.record(1)
        return try transaction.value(
          "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n, errand")
      }
      let failures = query.failures.recorded()
      let subscription = query.sink { _ in Issue.record("a read without an end has ended") }
      try await reads.wait(for: 1)
      subscription.cancel()
      // The cancelled read held one of the readers; all of them serve other reads now.
      try await database.write { try $0.put(Errand(id: 1)) }
      for _ in 1...20 { #expect(try await database.read { try $0.count(Errand.self) } == 1) }
      #expect(failures.elements.isEmpty)
      // Closing waits for all readers, and would never return while the read runs.
      try database.close()
    }
  }

  @Test
  func `a view that another connection defines anew is followed to its new tables`() async throws {
    try await withFile { database, file in
      try await database.write { try $0.execute("CREATE VIEW things AS SELECT id FROM errand") }
      let (values, subscription) = record(
        database.observe { transaction in try transaction.value("SELECT count(*) FROM things").int64Value })
      let other = try Database(.file(file))
      try await other.write {
        try $0.execute(script: "DROP VIEW things; CREATE VIEW things AS SELECT id FROM opaque; ")
        try $0.execute("INSERT INTO opaque VALUES ('a', 1)")
      }
      try await values.wait { $0.last == 1 }
      try await other.write { try $0.execute("INSERT INTO opaque VALUES ('b', 1)") }
      try await values.wait { $0.last == 2 }
      subscription.cancel()
      try other.close()
    }
  }

  @Test
  func `full-text searches and joins are followed`() async throws {
    let database = try Database(.memory)
    try await database.write {
      try $0.execute(
        script: """
          CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT);
          CREATE VIRTUAL TABLE note_fts USING fts5(text, content = 'note', content_rowid = 'id');
          CREATE TRIGGER note_ai AFTER INSERT ON note BEGIN
            INSERT INTO note_fts (rowid, text) VALUES (new.id, new.text);
          END;
          CREATE TABLE tag (note INTEGER, name TEXT);
          """)
    }
    let (values, subscription) = record(
      database.observe { transaction in
        try transaction.rows(
          "SELECT name FROM note_fts JOIN tag ON tag.note = note_fts.rowid WHERE note_fts MATCH 'red'"
        ).map { $0[0] }
      })
    try await database.write { try $0.execute("INSERT INTO tag VALUES (1, 'colour')") }
    try await database.write { try $0.execute("INSERT INTO note VALUES (1, 'red house')") }
    try await values.wait { $0.last == ["colour"] }
    try await database.write { try $0.execute("DELETE FROM tag") }
    try await values.wait { $0.last == [] && $0.count == 3 }
    subscription.cancel()
  }

  @Test
  func `a closure that reads a table that is missing begins when it is created`() async throws {
    let database = try liveDatabase()
    let query = database.observe { transaction in try transaction.value("SELECT count(*) FROM later") }
    let failures = query.failures.recorded()
    let (values, subscription) = record(query)
    #expect("\(failures.elements)".contains("no such table: later"))
    try await database.write { try $0.execute(script: "CREATE TABLE later (id INTEGER); INSERT INTO later VALUES (1)") }
    try await values.wait { $0 == [1] }
    #expect(query.status.value == .current)
    subscription.cancel()
  }

  @Test
  func `a read of SQLite's own tables follows new tables`() async throws {
    let database = try liveDatabase()
    let (values, subscription) = record(
      database.observe { transaction in try transaction.value("SELECT count(*) FROM sqlite_schema WHERE name = 'more'")
      })
    try await database.write { try $0.execute("CREATE TABLE more (id INTEGER)") }
    try await values.wait { $0 == [0, 1] }
    subscription.cancel()
  }

  @Test
  func `a closure that reads nothing is sent once, and learns of the end`() async throws {
    let database = try liveDatabase()
    let query = database.observe { transaction in try transaction.all(Errand.where { $0.id.isIn([]) }) }
    let (values, subscription) = record(query)
    try await database.write { try $0.put(Errand(id: 1)) }
    #expect(values.elements == [[]])
    let failures = query.failures.recorded()
    try database.close()
    try await failures.wait { $0 == [.closed(path: ":memory:")] }
    subscription.cancel()
  }
}
