import Stores
import Testing

@Suite("Rows read one at a time")
struct CursorTests {
  private let database: Database

  init() throws {
    database = try liveDatabase()
    try database.write { try $0.put((1...1_000).map { Errand(id: $0, title: "\($0 % 10)") }) }
  }

  @Test func `each row of a query and of a statement is passed in order`() throws {
    try database.read { transaction in
      var ids: [Int] = []
      try transaction.forEach(Errand.where { $0.title == "7" }.ordered(.descending) { $0.id }) { ids.append($0.id) }
      #expect(ids == stride(from: 997, through: 7, by: -10).map { $0 })
      var rows: [SQLiteValue] = []
      try transaction.forEach("SELECT id FROM errand WHERE id > ? ORDER BY id", 998) { rows.append($0[0]) }
      #expect(rows == [999, 1000])
      try transaction.forEach("SELECT id FROM errand WHERE id < ?", arguments: [1]) { _ in Issue.record("a row") }
    }
  }

  @Test func `an error ends the loop, and the statement can run again`() throws {
    struct Enough: Error {}
    try database.read { transaction in
      for _ in 1...2 {
        var count = 0
        #expect(throws: Enough.self) {
          try transaction.forEach(Errand.ordered { $0.id }) { _ in
            count += 1
            if count == 3 { throw Enough() }
          }
        }
        #expect(count == 3)
        #expect(throws: Enough.self) { try transaction.forEach("SELECT id FROM errand") { _ in throw Enough() } }
      }
    }
  }

  @Test func `the closure may run the same query, and write`() throws {
    try database.write { transaction in
      let query = Errand.where { $0.id <= 3 }.ordered { $0.id }
      var pairs: [[Int]] = []
      try transaction.forEach(query) { outer in
        try transaction.forEach(query) { inner in pairs.append([outer.id, inner.id]) }
        try transaction.put(Opaque(id: "\(outer.id)"))
      }
      #expect(pairs.count == 9)
      #expect(try transaction.count(Opaque.self) == 3)
    }
  }

  @Test func `a row that cannot be decoded is named`() throws {
    try database.write { try $0.execute("INSERT INTO level VALUES (1, 5), (2, 500)") }
    var levels: [UInt8] = []
    let error = databaseError {
      try database.read { try $0.forEach(Level.ordered { $0.id }) { levels.append($0.level) } }
    }
    #expect(levels == [5] && "\(error as Any)".contains("level"))
  }
}
