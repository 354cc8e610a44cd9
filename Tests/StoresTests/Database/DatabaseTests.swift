import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("A database", .patient)
struct DatabaseTests {
  private struct Unwanted: Error {}

  private let directory: TemporaryDirectory
  private let database: Database

  init() throws {
    directory = try TemporaryDirectory()
    database = try Database(.file(directory.file("a.sqlite")))
    try database.write { try $0.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)") }
  }

  @Test func `written rows are read, even after the file is reopened`() throws {
    let count = try database.write { try $0.execute("INSERT INTO t VALUES (1, 10), (2, 20)") }
    #expect(count == 2)
    #expect(try database.read { try $0.rows("SELECT n FROM t ORDER BY id").map { $0["n"] } } == [10, 20])
    #expect(try database.read { try $0.row("SELECT n FROM t ORDER BY id DESC")?["n"] } == 20)
    #expect(try database.read { try $0.row("SELECT n FROM t WHERE id = ?", 99) } == nil)
    try database.close()
    let again = try Database(.file(directory.file("a.sqlite")))
    #expect(try again.read { try $0.value("SELECT sum(n) FROM t") } == 30)
    #expect(try again.read { try $0.value("SELECT ? + ?", arguments: [.integer(1), .integer(2)]) } == 3)
  }

  @Test func `a new file is private to its owner`() throws {
    for name in ["a.sqlite", "a.sqlite-wal", "a.sqlite-shm"] {
      let path = directory.file(name).path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600, "\(name)")
    }
    try database.close()
  }

  @Test func `a write that throws changes and reports nothing`() throws {
    let collected = Collected(database)
    #expect(throws: Unwanted.self) {
      try database.write { transaction in
        try transaction.execute("INSERT INTO t VALUES (1, 1)")
        throw Unwanted()
      }
    }
    #expect(collected.sets.isEmpty)
    #expect(try database.read { try $0.value("SELECT count(*) FROM t") } == 0)
  }

  @Test(arguments: [false, true])
  func `a write inside a write or a read is an error, not a deadlock`(inMemory: Bool) throws {
    let database = inMemory ? try Database(.memory) : database
    for outer in ["write", "read"] {
      let body = {
        for inner in ["write", "close"] {
          let error = databaseError {
            if inner == "write" { try database.write { _ in } } else { try database.close() }
          }
          #expect(error == .nestedAccess(path: database.location.path, inner: inner, outer: outer))
        }
      }
      if outer == "write" { try database.write { _ in body() } } else { try database.read { _ in body() } }
    }
    try database.write { _ in }
  }

  @Test func `a read inside a write sees uncommitted rows, and a read elsewhere does not`() async throws {
    try await onThread {
      try database.write { transaction in
        try transaction.execute("INSERT INTO t VALUES (1, 1)")
        #expect(try database.read { try $0.value("SELECT count(*) FROM t") } == 1)
        let elsewhere = Shared<Result<SQLiteValue, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread {
          elsewhere.value = Result { try database.read { try $0.value("SELECT count(*) FROM t") } }
          done.signal()
        }.start()
        done.wait()
        #expect(try elsewhere.value?.get() == 0)
      }
    }
  }

  @Test func `a nested read sees the same snapshot and needs no other connection`() throws {
    let directory = try TemporaryDirectory()
    let database = try Database(.file(directory.file("a.sqlite")), maximumReaderCount: 1)
    try database.write { try $0.execute("CREATE TABLE t (n)") }
    try database.read { outer in
      let before = try outer.value("SELECT count(*) FROM t")
      let done = DispatchSemaphore(value: 0)
      Thread {
        #expect(throws: Never.self) { try database.write { try $0.execute("INSERT INTO t VALUES (1)") } }
        done.signal()
      }.start()
      done.wait()
      let after = try database.read { try $0.value("SELECT count(*) FROM t") }
      #expect(before == 0 && after == 0)
    }
    #expect(try database.read { try $0.value("SELECT count(*) FROM t") } == 1)
  }

  @Test func `a read cannot write`() throws {
    let expected = DatabaseError.writeInRead(statement: "DELETE FROM t", path: database.location.path)
    #expect(throws: expected) { try database.read { try $0.rows("DELETE FROM t") } }
    try database.write { _ in
      #expect(throws: expected) { try database.read { try $0.rows("DELETE FROM t") } }
    }
  }

  @Test func `a transaction cannot be used after its end`() throws {
    var kept: ReadTransaction?
    try database.write { kept = $0 }
    #expect(throws: DatabaseError.transactionIsOver(path: database.location.path)) { try kept?.rows("SELECT 1") }
    try database.read { kept = $0 }
    #expect(throws: DatabaseError.transactionIsOver(path: database.location.path)) { try kept?.rows("SELECT 1") }
  }

  @Test func `a savepoint undoes its own changes, and keeps the rest`() throws {
    let collected = Collected(database)
    try database.write { transaction in
      try transaction.execute("INSERT INTO t VALUES (1, 1)")
      #expect(throws: Unwanted.self) {
        try transaction.savepoint {
          try transaction.execute("INSERT INTO t VALUES (2, 2)")
          try transaction.savepoint { try transaction.execute("INSERT INTO t VALUES (3, 3)") }
          throw Unwanted()
        }
      }
      try transaction.savepoint { try transaction.execute("INSERT INTO t VALUES (4, 4)") }
    }
    #expect(try database.read { try $0.rows("SELECT id FROM t").map { $0[0] } } == [1, 4])
    #expect(collected.sets.map(\.tables) == [["t": TableChanges(inserted: [1, 4])]])
  }

  @Test func `a transaction that SQLite has rolled back rejects further statements`() throws {
    let statement = "INSERT OR ROLLBACK INTO t VALUES (1, 1)"
    let lost = DatabaseError.transactionLost(path: database.location.path, statement: statement)
    let error = databaseError {
      try database.write { transaction in
        try transaction.execute("INSERT INTO t VALUES (1, 1)")
        #expect(databaseError { try transaction.execute(statement) }?.failure?.code == 19)
        #expect(databaseError { try transaction.execute("INSERT INTO t VALUES (2, 2)") } == lost)
      }
    }
    #expect(error == lost)
    #expect(try database.read { try $0.value("SELECT count(*) FROM t") } == 0)
  }

  @Test func `a parameter in a script is rejected, not read as NULL`() throws {
    let refusal = databaseError {
      try database.write { try $0.execute(script: "INSERT INTO t VALUES (7, 7); INSERT INTO t VALUES (8, ?)") }
    }
    guard case .wrongArgumentCount(_, _, 1, 0) = refusal else { return recordUnexpected(refusal) }
    #expect(try database.read { try $0.value("SELECT count(*) FROM t WHERE id > 6") } == 0)
  }

  @Test func `a subscriber may write, and receives its change after the current one`() throws {
    let heard = Shared<[Int64]>([])
    let subscription = database.changes.sink { changes in
      heard.value.append(changes.sequence)
      let failure = databaseError {
        let count = try database.read { try $0.value("SELECT count(*) FROM t") }
        #expect(count == .integer(changes.sequence))
        if changes.sequence < 3 { try database.write { try $0.execute("INSERT INTO t VALUES (NULL, 0)") } }
      }
      #expect(failure == nil)
    }
    try database.write { try $0.execute("INSERT INTO t VALUES (NULL, 0)") }
    #expect(heard.value == [1, 2, 3])
    subscription.cancel()
  }

  @Test func `changes committed before a close are delivered, even while a subscriber is still busy`() async throws {
    let (isHeard, goesOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let heard = Recorder<String>()
    let subscription = database.changes.sink(
      receiveCompletion: { _ in heard.record("end") },
      receiveValue: { changes in
        heard.record("\(changes["t"].inserted)")
        guard changes.sequence == 1 else { return }
        isHeard.signal()
        goesOn.wait()
      })
    async let slow: Void = onThread { try database.write { try $0.execute("INSERT INTO t VALUES (1, 1)") } }
    try await onThread {
      isHeard.wait()
      defer { goesOn.signal() }
      for id in 2...3 { try database.write { try $0.execute("INSERT INTO t VALUES (?, 1)", id) } }
      try database.close()
    }
    try await slow
    #expect(heard.elements == ["[1]", "[2]", "[3]", "end"])
    subscription.cancel()
  }

  @Test func `concurrent commits are delivered once, in commit order`() async throws {
    let collected = Collected(database)
    try await onThread {
      withThreads(4) { thread in
        for _ in 0..<50 {
          do { try database.write { try $0.execute("INSERT INTO t VALUES (NULL, ?)", thread) } } catch {
            Issue.record(error)
          }
        }
      }
    }
    #expect(collected.sets.map(\.sequence) == Array(1...200))
    #expect(collected.sets.map { $0["t"].inserted } == (1...200).map { [.integer($0)] })
  }

  @Test func `tasks read and write without blocking each other's threads`() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<100 {
        group.addTask { _ = try await database.write { try $0.execute("INSERT INTO t VALUES (?, 1)", index) } }
        group.addTask { _ = try await database.read { try $0.value("SELECT count(*) FROM t") } }
      }
      try await group.waitForAll()
    }
    #expect(try await database.read { try $0.value("SELECT sum(n) FROM t") } == 100)
  }

  @Test func `a cancelled task does not write`() async throws {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await database.write { try $0.execute("INSERT INTO t VALUES (1, 1)") }
    }
    await #expect(throws: CancellationError.self) { _ = try await task.value }
    #expect(try await database.read { try $0.value("SELECT count(*) FROM t") } == 0)
  }

  @Test func `databases in memory are independent of each other`() throws {
    let first = try Database(.memory)
    let second = try Database(.memory)
    try first.write { try $0.execute("CREATE TABLE t (n)") }
    #expect(try second.read { try $0.value("SELECT count(*) FROM sqlite_schema") } == 0)
    #expect(try first.read { outer in try first.read { try $0.value("SELECT count(*) FROM sqlite_schema") } } == 1)
  }

  @Test func `changes of a table that another connection has created are reported`() throws {
    let other = try Database(.file(directory.file("a.sqlite")))
    try other.write { try $0.execute("CREATE TABLE u (id TEXT PRIMARY KEY)") }
    #expect(try database.changes(by: "INSERT INTO u VALUES ('k')")?["u"] == TableChanges(inserted: ["k"]))
  }
}
