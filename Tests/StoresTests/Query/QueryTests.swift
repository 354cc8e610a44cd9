import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Queries")
struct QueryTests {
  private let connection: SQLiteConnection

  init() throws {
    connection = try open(
      Schema(version: 1, models: [Person.self]),
      rows: [
        Person(id: 1, name: "Ada", age: 36, city: "London"), Person(id: 2, name: "Bob", age: 17, city: nil),
        Person(id: 3, name: "Cleo", age: 36, city: "Cairo"), Person(id: 4, name: "100%_\\", age: 0, city: "O'Hare"),
      ])
  }

  private func deleteAll(_ query: Query<Person>) throws {
    _ = try connection.change(Person.self, query.compiledDeletion)
  }

  private func names(_ query: Query<Person>) throws -> [String] { try connection.all(query).map(\.name) }

  @Test
  func `conditions, order, limit and offset select the rows`() throws {
    #expect(try names(Person.where { $0.age >= 18 }.ordered { $0.name }.limit(10)) == ["Ada", "Cleo"])
    #expect(try names(Person.ordered(.descending) { $0.age }) == ["Ada", "Cleo", "Bob", "100%_\\"])
    #expect(try names(Person.ordered(.descending) { $0.age }.ordered(.descending) { $0.name }).first == "Cleo")
    #expect(try names(Query().ordered { $0.id }.offset(1).limit(2)) == ["Bob", "Cleo"])
    #expect(try names(Query().offset(3)) == ["100%_\\"])
    #expect(try names(Query().limit(0)) == [] && names(Query().limit(-5)) == [])
    #expect(try names(Person.where { $0.age < 18 }.or { $0.name == "Ada" }.ordered { $0.id }).count == 3)
    #expect(try names(Person.where { $0.id.isIn([1, 3, 9]) && !$0.name.like("a%") }) == ["Cleo"])
    #expect(try names(Person.where { $0.id.isIn([]) }) == [])
    #expect(try names(Person.where { $0.city.contains("'") }) == ["100%_\\"])
    #expect(
      try names(Person.where { _ in .sql("length(name) = ? -- a comment", 3) }.ordered { $0.id }) == ["Ada", "Bob"])
  }

  @Test
  func `null is nil, not SQL's third truth value`() throws {
    #expect(try names(Person.where { $0.city == nil }) == ["Bob"])
    #expect(try names(Person.where { $0.city.isNil }) == ["Bob"])
    #expect(try names(Person.where { $0.city <= nil }) == ["Bob"])
    #expect(try names(Person.where { $0.city < nil }) == [])
    #expect(try names(Person.where { $0.city != nil }).count == 3)
    #expect(try names(Person.where { $0.city != "Cairo" }).count == 3, "nil differs from a city")
    #expect(try names(Person.where { !($0.city == "Cairo") }).count == 3)
    #expect(try names(Person.where { !($0.city < "Z") }) == ["Bob"])
    #expect(try names(Person.where { $0.city.isIn(["Cairo", nil]) }.ordered { $0.id }) == ["Bob", "Cleo"])
    #expect(try names(Person.where { $0.named("age") < (nil as Int?) }) == [])
  }

  @Test
  func `collections and ranges contain a column`() throws {
    #expect(try names(Person.where { [1, 3, 9].contains($0.id) }.ordered { $0.id }) == ["Ada", "Cleo"])
    #expect(try names(Person.where { Set(["Cairo"]).contains($0.city) }) == ["Cleo"])
    #expect(try names(Person.where { ["Cairo", nil].contains($0.city) }.ordered { $0.id }) == ["Bob", "Cleo"])
    #expect(try names(Person.where { ("A"..."D").contains($0.city) }) == ["Cleo"])
    #expect("\(Person.where { (18..<65).contains($0.age) })" == "\(Person.where { $0.age.isIn(18..<65) })")
    #expect("\(Person.where { (0...Int.max).contains($0.age) })" == "\(Person.where { $0.age.isIn(0...Int.max) })")
  }

  @Test
  func `the wildcards of a pattern can be escaped`() throws {
    #expect(try names(Person.where { $0.name.like(#"100\%\_\\"#) }) == ["100%_\\"])
    #expect(try names(Person.where { $0.name.like("%a") }) == ["Ada"])
    #expect(try names(Person.where { $0.name.contains("%") }) == ["100%_\\"])
  }

  @Test
  func `a prefix is compared byte by byte, whatever the collation, and uses an index`() throws {
    let words = [
      "Zoo", "zoo", "ZOO", "Zo", "Zp", "Żoo", "Z[", "z{", "@a", "Aa", "", "Z\0o", "z\0o", "Zoo ", "\u{10FFFF}a",
    ]
    let rows = words.enumerated().map {
      Word(id: $0, plain: $1, folded: $1, trimmed: $1, missing: $1.isEmpty ? nil : $1)
    }
    let connection = try open(Schema(version: 1, models: [Word.self]), rows: rows)
    for prefix in words + ["Z", "z", "@", "oo", "Z\0", "Zoo  ", "\u{10FFFF}", "*", "[", "\u{1F}"] {
      let expected = words.filter { $0.utf8.starts(with: prefix.utf8) }
      let queries = [
        Word.where { $0.plain.hasPrefix(prefix) }, Word.where { $0.folded.hasPrefix(prefix) },
        Word.where { $0.trimmed.hasPrefix(prefix) },
        Word.where { $0.named("folded", as: String.self).hasPrefix(prefix) },
      ]
      for query in queries {
        #expect(try connection.all(query.ordered { $0.id }).map(\.plain) == expected, "\(query)")
        // The text of a statement ends at a NUL, so such a pattern must be an argument.
        if prefix.utf8.contains(0) { continue }
        let pattern = "SELECT count(*) FROM word WHERE " + "\(query)".split(separator: " WHERE ")[1]
        #expect(try connection.value(pattern) == .integer(Int64(expected.count)), "\(pattern)")
      }
      #expect(try connection.count(Word.where { $0.missing.hasPrefix(prefix) }) == expected.count { !$0.isEmpty })
    }
    for query in [Word.where { $0.plain.hasPrefix("Z") }, Word.where { $0.folded.hasPrefix("Z") }] {
      let compiled = try query.compiled(in: ModelLayout.of(Word.self))
      let plan = try connection.rows("EXPLAIN QUERY PLAN \(compiled.sql)", compiled.arguments)
      #expect(plan.first?["detail"].stringValue?.hasPrefix("SEARCH word USING INDEX") == true, "\(plan)")
    }
  }

  @Test
  func `ranges of optional properties exclude nil`() throws {
    #expect(try names(Person.where { $0.city.isIn("A"..."D") }) == ["Cleo"])
    #expect(try names(Person.where { $0.city.isIn("Cairo"..<"London") }) == ["Cleo"])
    #expect(try names(Person.where { !$0.city.isIn("A"..."Z") }) == ["Bob"])
  }

  @Test
  func `texts and names cannot inject SQL`() throws {
    let text = "'; DROP TABLE person; --"
    #expect(try names(Person.where { $0.name == text }) == [])
    #expect(try names(Person.where { $0.name.isIn([text, "\"", "\0"]) }) == [])
    #expect(try names(Person.where { $0.name.like(text) }) == [])
    #expect(try connection.count(Query<Person>()) == 4)
    for name in ["name\" OR 1 --", "name; DROP TABLE person", "rowid", "nam", "", "NAME"] {
      let expected = ModelError.unknownColumn(table: "person", column: name, known: ["id", "name", "age", "city"])
      for query in [
        Person.where { $0.named(name) == "x" }, Query<Person>().ordered { $0.named(name, as: SQLiteValue.self) },
        Person.where { $0.named(name, as: Int.self).isIn([]) },
        Person.where { $0.named(name, as: String.self).like("x") },
        Person.where { $0.named(name, as: String.self).contains("x") },
        Person.where { $0.named(name, as: String.self).hasPrefix("x") },
        Person.where { $0.named(name) == (nil as Int?) },
      ] {
        #expect(throws: DatabaseError.model(expected, path: ":memory:")) { try connection.all(query) }
      }
    }
  }

  @Test
  func `comparing a column with a value of another type is an error`() {
    do {
      _ = try connection.all(Person.where { $0.named("age") > "hunter2" })
      Issue.record("a text is no age")
    } catch {
      let words = "\"age\" of \"person\" has the type integer, and cannot be compared with text"
      #expect("\(error)".contains(words), "\(error)")
      var dumped = ""
      dump(error, to: &dumped)
      #expect(!(dumped + "\(error)").contains("hunter2"))
    }
    #expect(throws: DatabaseError.self) { try connection.all(Person.where { $0.named("name").isIn([1]) }) }
    #expect(throws: Never.self) { try connection.all(Person.where { $0.named("age") < 17.5 }) }
  }

  @Test
  func `a raw SQL query can be refined, and must return the model's columns`() throws {
    let adults = Query<Person>(
      sql: "SELECT city, age, name, id, 1 AS other FROM person WHERE age >= ? -- all", 18)
    #expect(try names(adults.ordered(.descending) { $0.name }) == ["Cleo", "Ada"])
    #expect(try names(adults.where { $0.city == "Cairo" }) == ["Cleo"])
    #expect(try connection.count(adults) == 2)
    let expected = ModelError.unknownColumn(table: "person", column: "age", known: ["id", "name"])
    #expect(throws: DatabaseError.model(expected, path: ":memory:")) {
      try connection.all(Query<Person>(sql: "SELECT id, name FROM person"))
    }
    #expect(throws: DatabaseError.self) { try connection.all(Query<Person>(sql: "SELECT * FROM person WHERE age > ?")) }
    #expect(throws: DatabaseError.self) { try connection.all(Query<Person>(sql: "DELETE FROM person")) }
    try deleteAll(adults.limit(1))
    #expect(try connection.count(Query<Person>()) == 3)
  }

  @Test
  func `a raw SQL query follows later changes of its table`() throws {
    let query = Query<Person>(sql: "SELECT * FROM person WHERE id = 1")
    #expect(try names(query) == ["Ada"])
    try connection.execute(
      "ALTER TABLE person RENAME COLUMN city TO town; ALTER TABLE person ADD COLUMN city TEXT DEFAULT 'new'")
    #expect(try connection.all(query).map(\.city) == ["new"])
  }

  @Test
  func `counting and deleting affect exactly the found rows`() throws {
    #expect(try connection.count(Person.where { $0.age == 36 }) == 2)
    #expect(try connection.count(Query<Person>().limit(3)) == 3)
    #expect(try connection.count(Query<Person>().offset(3)) == 1)
    try deleteAll(Person.ordered(.descending) { $0.age }.limit(1))
    #expect(try names(Person.ordered { $0.id }) == ["Bob", "Cleo", "100%_\\"])
    try deleteAll(Person.where { $0.age < 18 })
    #expect(try names(Query()) == ["Cleo"])
    try deleteAll(Query<Person>())
    #expect(try connection.count(Query<Person>()) == 0)
  }

  @Test
  func `equal queries are equal values`() {
    let query = Person.where { $0.age > 1 }.ordered { $0.name }.limit(3)
    #expect(query == Person.where { $0.named("age") > 1 }.ordered { $0.name }.limit(3))
    #expect(Set([query, query, query.limit(4)]).count == 2)
    #expect(Person.where { $0.age > 1 } != Person.where { $0.named("age") > 1.0 })
  }

  @Test
  func `random queries find the same rows as a filter of an array`() throws {
    var chance = Chance(seed: 2_026)
    let people = (0..<200).map { Person(id: $0, using: &chance) }
    let connection = try open(Schema(version: 1, models: [Person.self]), rows: people)
    for _ in 0..<200 {
      let (condition, holds) = randomCondition(using: &chance, depth: 3)
      let limit = chance.once(in: 3) ? nil : chance.number(below: 30)
      let skipped = chance.once(in: 2) ? 0 : chance.number(below: 10)
      let descending = chance.once(in: 2)
      var query = Person.where { _ in condition }.ordered(descending ? .descending : .ascending) { $0.age }.offset(
        skipped)
      if let limit { query = query.limit(limit) }
      let expected = people.filter(holds)
        .sorted { left, right in
          if left.age == right.age { return left.id < right.id }
          return descending ? left.age > right.age : left.age < right.age
        }
        .dropFirst(skipped).prefix(limit ?? .max)
      #expect(try connection.all(query) == Array(expected), "\(query)")
      #expect(try connection.count(query) == expected.count, "\(query)")
    }
  }

  private static func condition(
    @ConditionBuilder<Person> _ body: (Columns<Person>) -> Condition<Person>
  ) -> Condition<Person> {
    body(Columns())
  }

  /// Returns a random condition and an equivalent closure.
  private func randomCondition(
    using chance: inout Chance, depth: Int
  ) -> (Condition<Person>, @Sendable (Person) -> Bool) {
    switch chance.number(below: depth > 0 ? 9 : 6) {
    case 0:
      let age = chance.number(below: 20)
      switch QueryComparison.allCases.randomElement(using: &chance) ?? .equal {
      case .equal: return (Self.condition { $0.age == age }, { $0.age == age })
      case .notEqual: return (Self.condition { $0.age != age }, { $0.age != age })
      case .less: return (Self.condition { $0.age < age }, { $0.age < age })
      case .lessOrEqual: return (Self.condition { $0.age <= age }, { $0.age <= age })
      case .greater: return (Self.condition { $0.age > age }, { $0.age > age })
      case .greaterOrEqual: return (Self.condition { $0.age >= age }, { $0.age >= age })
      }
    case 1:
      let city = chance.once(in: 4) ? nil : Person.cities.randomElement(using: &chance)
      return chance.once(in: 2)
        ? (Self.condition { $0.city == city }, { $0.city == city })
        : (Self.condition { $0.city != city }, { $0.city != city })
    case 2:
      let cities = (0..<chance.number(below: 4)).map { _ in
        chance.once(in: 4) ? nil : Person.cities.randomElement(using: &chance)
      }
      return (Self.condition { $0.city.isIn(cities) }, { cities.contains($0.city) })
    case 3:
      let part = ["a", "'", "%", "o"].randomElement(using: &chance) ?? ""
      return (Self.condition { $0.city.contains(part) }, { $0.city?.contains(part) ?? false })
    case 4:
      let city = Person.cities.randomElement(using: &chance) ?? ""
      return (
        Self.condition { $0.city < city }, { $0.city.map { $0.utf8.lexicographicallyPrecedes(city.utf8) } ?? false }
      )
    case 5: return (Self.condition { $0.city == nil }, { $0.city == nil })
    case 6:
      let (condition, holds) = randomCondition(using: &chance, depth: depth - 1)
      return (!condition, { !holds($0) })
    case 7:
      let (left, leftHolds) = randomCondition(using: &chance, depth: depth - 1)
      let (right, rightHolds) = randomCondition(using: &chance, depth: depth - 1)
      return (left && right, { leftHolds($0) && rightHolds($0) })
    default:
      let (left, leftHolds) = randomCondition(using: &chance, depth: depth - 1)
      let (right, rightHolds) = randomCondition(using: &chance, depth: depth - 1)
      return (left || right, { leftHolds($0) || rightHolds($0) })
    }
  }
}

/// Opens a database in memory with some rows.
private func open<Model: StoreModel>(_ schema: Schema, rows: [Model]) throws -> SQLiteConnection {
  let connection = try SQLiteConnection(path: ":memory:", access: .writing, busyTimeout: .seconds(1))
  #expect(try SchemaOpening(schema, policy: .persistence, connection: connection).run() == .created)
  let statements = try ModelStatements<Model>.of(connection)
  for row in rows { try statements.put(row) }
  return connection
}

private struct Word: StoreModel {
  static let table = TableSpec(
    "word", indexes: ["plain", "folded", "trimmed"], collations: ["folded": .nocase, "trimmed": .rtrim])
  var id: Int
  var plain: String
  var folded: String
  var trimmed: String
  var missing: String?
}

private struct Person: StoreModel, Hashable {
  static let table = TableSpec("person", indexes: ["age", ["city", "name"]])
  static let cities = ["Rome", "Oslo", "O'Hare", "100%", "Łódź", ""]

  var id: Int
  var name: String
  var age: Int
  var city: String?
}

extension Person {
  init(id: Int, using chance: inout Chance) {
    self.init(
      id: id, name: String(using: &chance), age: chance.number(below: 20),
      city: chance.once(in: 5) ? nil : Self.cities.randomElement(using: &chance))
  }
}
