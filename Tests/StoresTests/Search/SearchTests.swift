import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import Stores

/// A model with an integer key.
struct Letter: StoreModel, Hashable {
  static let table = TableSpec("letter", unique: ["label"], search: SearchIndex(["title", "body"]))
  var id: Int64?
  var title = ""
  var body: String?
  var label: String?
  var count = 0
}

/// A model whose key is text, so that its rows have numbers in the index.
struct Page: StoreModel, Hashable {
  static let table = TableSpec("page`s", unique: ["label"], search: SearchIndex(["title", "body"]))
  var id: String
  var title = ""
  var body: String?
  var label: String?
  var count = 0
}

extension Schema {
  static let searched = Schema(version: 1, models: [Letter.self, Page.self])
}

extension ReadTransaction {
  /// The titles of the rows that a search finds, in order.
  func titles(_ text: String, _ mode: SearchMode = .allWords) throws -> [String] {
    try all(Letter.matching(text, mode)).map(\.title)
  }
}

extension WriteTransaction {
  /// Compares both indexes with the texts.
  func checkIndexes() throws {
    for layout in [try ModelLayout.of(Letter.self), try ModelLayout.of(Page.self)] {
      guard let tables = layout.searchTables else { throw CancellationError() }
      try execute("INSERT INTO \(tables.words) (\(tables.words), rank) VALUES ('integrity-check', 1)")
    }
  }
}

@Suite("Full-text search", .patient)
struct SearchTests {
  let database: Database

  init() throws {
    database = try Database(.memory, schema: .searched)
  }

  private func add(_ titles: String...) throws {
    try database.write { transaction throws in
      for title in titles {
        try transaction.put(Letter(title: title))
        try transaction.put(Page(id: title, title: title))
      }
    }
  }

  @Test func `words are found regardless of case and accents, and combined as requested`() throws {
    try add("Café au lait", "Tea with milk", "Milk, and a cafe")
    try database.read { transaction throws in
      #expect(try Set(transaction.titles("CAFÉ")) == ["Café au lait", "Milk, and a cafe"])
      #expect(try transaction.titles("milk cafe") == ["Milk, and a cafe"])
      #expect(try transaction.titles("mil caf", .allPrefixes) == ["Milk, and a cafe"])
      #expect(try transaction.titles("tea lait", .anyWord).count == 2)
      #expect(try transaction.titles("with milk", .phrase) == ["Tea with milk"])
      #expect(try transaction.titles("milk with", .phrase) == [])
      #expect(try transaction.titles("mil") == [])
      #expect(try transaction.all(Page.matching("milk cafe")).map(\.id) == ["Milk, and a cafe"])
    }
  }

  @Test func `matches are sorted by relevance, and equal ones by key`() throws {
    try add("milk", "milk milk milk", "tea", "milk")
    let found = try database.read { try $0.all(Letter.matching("milk")) }
    #expect(found.map(\.id) == [2, 1, 4])
    #expect(try database.read { try $0.all(Letter.matching("milk").limit(2)) }.map(\.id) == [2, 1])
    #expect(try database.read { try $0.all(Letter.matching("milk").offset(1)) }.map(\.id) == [1, 4])
  }

  @Test func `a search is counted, limited and deleted like any query`() throws {
    try add("milk 1", "milk 2", "tea")
    try database.write { transaction throws in
      #expect(try transaction.count(Letter.matching("milk")) == 2)
      #expect(try transaction.count(Page.matching("milk").limit(1)) == 1)
      #expect(try transaction.first(Letter.matching("tea"))?.title == "tea")
      let second = Letter.matching("milk").where { $0.title.contains("2") && $0.body == nil }
      #expect(try transaction.all(second).map(\.title) == ["milk 2"])
      #expect(
        try transaction.all(Page.matching("milk").ordered(.descending) { $0.id }).map(\.id) == ["milk 2", "milk 1"])
      #expect(try transaction.deleteAll(Letter.matching("milk").limit(1)) == 1)
      #expect(try transaction.deleteAll(Page.matching("milk")) == 2)
      #expect(try transaction.titles("milk") == ["milk 2"])
      try transaction.checkIndexes()
    }
    #expect("\(Letter.matching("it's").limit(3))" == "SELECT * FROM letter MATCH 'it''s' LIMIT 3")
  }

  @Test func `an aggregate of a search counts only the matches`() throws {
    try add("milk 1", "milk 2", "tea")
    try database.read { transaction throws in
      let sums = try transaction.all(Letter.matching("milk").select { ($0.title.count(), $0.title.max()) })
      #expect(sums.map(\.0) == [2])
      #expect(sums.map(\.1) == ["milk 2"])
      let titles = try transaction.all(Page.matching("tea").select { $0.title }.distinct())
      #expect(titles == ["tea"])
    }
  }

  @Test func `a snippet marks the words`() throws {
    try database.write { transaction throws in
      try transaction.put(Letter(title: "A b\u{2}c", body: "One two three four five six"))
      try transaction.put(Page(id: "p", title: "none", body: "x e\u{301}te\u{301} y"))
    }
    try database.read { transaction throws in
      let match = try #require(try transaction.matches(Letter.matching("three five"), maximumWords: 3).first)
      #expect(match.snippet.text == "…three four five…")
      #expect(match.snippet.marked("<", ">") == "…<three> four <five>…")
      #expect(match.snippet.ranges.map { match.snippet.text[$0] } == ["three", "five"])
      let title = try transaction.matches(Letter.matching("three"), snippetOf: "title")
      #expect(title.map(\.snippet.ranges) == [[]])
      #expect(
        try transaction.matches(Page.matching("ete")).map { $0.snippet.marked("[", "]") } == ["x [e\u{301}te\u{301}] y"]
      )
    }
  }

  @Test func `a search without an index, or without a search, is a typed error`() throws {
    struct Plain: StoreModel {
      static let table = TableSpec("letter")
      var id: Int
    }
    func isNotSearchable(_ body: (ReadTransaction) throws -> Void) -> Bool {
      guard case .model(.notSearchable, _) = databaseError({ try database.read(body) }) else { return false }
      return true
    }
    #expect(isNotSearchable { _ = try $0.all(Plain.matching("a")) })
    #expect(isNotSearchable { _ = try $0.count(Plain.matching("")) })
    #expect(isNotSearchable { _ = try $0.matches(Plain.matching("a")) })
    #expect(isNotSearchable { _ = try $0.matches(Query<Letter>()) })
    #expect(throws: DatabaseError.self) {
      try database.read { try $0.matches(Letter.matching("a"), snippetOf: "label") }
    }
    #expect(throws: DatabaseError.self) { try database.write { try $0.rebuildSearchIndex(of: Plain.self) } }
  }

  @Test func `an index over columns that cannot be searched is a typed error`() throws {
    let columns = [
      TableColumn("id", .text), TableColumn("n", .integer), TableColumn("t", .text), TableColumn("rank", .text),
    ]
    for index in [["n"], ["x"], [], ["t", "t"], ["id"], ["rank"]] {
      let spec = TableSpec("t", search: SearchIndex(index))
      #expect(throws: ModelError.self, "\(index)") { try spec.checkConstraints(columns) }
    }
  }

  @Test(
    arguments: [
      (SearchIndex.Tokenizer.unicode(removesDiacritics: false), "cafe", []), (.porter, "running", ["run"]),
      (.trigram, "afé", ["Café"]), (.unicode(), "cafe", ["Café"]),
    ] as [(SearchIndex.Tokenizer, String, [String])])
  func `the tokenizer decides which words match`(_ tokenizer: SearchIndex.Tokenizer, _ text: String, _ found: [String])
    throws
  {
    let connection = try SQLiteConnection(path: ":memory:", access: .writing, busyTimeout: .zero)
    try connection.execute("CREATE VIRTUAL TABLE t USING fts5(a, tokenize = '\(tokenizer.sql)')")
    try connection.execute("INSERT INTO t VALUES ('Café'), ('run')")
    let pattern = try #require(SearchText(text: text, mode: .allWords).pattern)
    #expect(try connection.rows("SELECT a FROM t WHERE t MATCH ?", [.text(pattern)]).map { $0[0].stringValue } == found)
  }

  @Test func `a live search follows the rows`() async throws {
    let seen = Recorder<[String]>()
    let subscription = database.query(Page.matching("milk")).sink { seen.record($0.map(\.id)) }
    try add("tea", "milk")
    try await seen.wait { $0.last == ["milk"] }
    try await database.write { try $0.execute("UPDATE `page``s` SET title = 'milk tea' WHERE id = 'tea'") }
    try await seen.wait { $0.last == ["milk", "tea"] }
    try await database.write { _ = try $0.deleteAll(Page.self) }
    try await seen.wait { $0.last == [] }
    subscription.cancel()
  }

  @Test func `changes report the rows, and none of the index's own tables`() throws {
    let collected = Collected(database)
    try add("milk")
    #expect(collected.take().map { Set($0.tables.keys) } == [["letter", "page`s"]])
    try database.write { try $0.execute("UPDATE letter SET count = 1") }
    #expect(collected.take().map(\.tables) == [["letter": TableChanges(updated: [1])]])
  }

  // MARK: Staying in step

  @Test(.seeded) func `the index stays in step with random writes, upserts and replaced rows`() throws {
    var chance = Chance()
    let words = ["milk", "tea", "café", "run", "blue", ""]
    for _ in 0..<Scale.count(60, torture: 2000) {
      try database.write { transaction throws in
        for _ in 0..<5 {
          let key = chance.number(below: 8)
          let text = "\(words[chance.number(below: 6)]) \(words[chance.number(below: 6)])"
          let label: SQLiteValue = chance.number(below: 3) == 0 ? nil : .text("l\(chance.number(below: 6))")
          let statements: [(String, [SQLiteValue])] = [
            ("INSERT OR REPLACE INTO T (id, title, label, count) VALUES (:k, ?, ?, 0)", [.text(text), label]),
            ("UPDATE OR REPLACE T SET label = ?, body = ? WHERE id = :k", [label, .text(text)]),
            ("INSERT OR IGNORE INTO T (id, title, label, count) VALUES (:k, ?, ?, 0)", [.text(text), label]),
            (
              "INSERT INTO T (id, title, count) VALUES (:k, ?, 0) ON CONFLICT (id) DO UPDATE SET title = excluded.title",
              [.text(text)]
            ),
            ("UPDATE OR REPLACE T SET id = :j WHERE id = :k", []), ("DELETE FROM T WHERE id = :k", []),
            ("UPDATE T SET body = NULL WHERE id = :k", []), ("UPDATE T SET count = count + 1", []),
          ]
          let (sql, arguments) = statements[chance.number(below: statements.count)]
          let other = chance.number(below: 8)
          for (table, quote) in [("letter", ""), ("`page``s`", "'")] {
            let statement = sql.replacing(" T ", with: " \(table) ").replacing(":k", with: "\(quote)\(key)\(quote)")
            try transaction.execute(
              statement.replacing(":j", with: "\(quote)\(other)\(quote)"),
              arguments: arguments)
          }
        }
        try transaction.checkIndexes()
      }
    }
    try database.read { transaction throws in
      for word in ["milk", "tea", "café", "run", "blue"] {
        let expected = try transaction.all(Page.self).filter { "\($0.title) \($0.body ?? "")".contains(word) }
        #expect(try Set(transaction.all(Page.matching(word))) == Set(expected))
      }
    }
  }
}
