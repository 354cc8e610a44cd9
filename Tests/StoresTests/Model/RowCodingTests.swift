import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Rows of models")
struct RowCodingTests {
  private func open<Model: StoreModel>(_ model: Model.Type) throws -> (SQLiteConnection, ModelStatements<Model>) {
    let connection = try SQLiteConnection(path: ":memory:", access: .writing, busyTimeout: .milliseconds(10))
    let columns = try Model.columns.map {
      "\(SQL.name($0.name)) \($0.type.sql)" + ($0.name == "id" ? " PRIMARY KEY" : "")
    }
    try connection.execute("CREATE TABLE \(SQL.name(Model.table.name)) (\(columns.joined(separator: ", ")))")
    return (connection, try .of(connection))
  }

  @Test
  func `a thousand random models are read as written`() throws {
    var chance = Chance(seed: 20_261_121)
    let (connection, statements) = try open(Everything.self)
    defer { connection.close() }
    for _ in 0..<1000 {
      let model = Everything(using: &chance)
      try statements.put(model)
      let found = try #require(try statements.find(model.id))
      #expect(found == model)
      #expect(Array(found.text.utf8) == Array(model.text.utf8), "not only canonically equivalent")
    }
  }

  @Test
  func `values are stored in the form that SQL expects`() throws {
    var chance = Chance(seed: 1)
    let (connection, statements) = try open(Everything.self)
    var model = Everything(using: &chance)
    model.date = Date(timeIntervalSinceReferenceDate: 0.25)
    model.scores = ["b": 2, "a": 1]
    model.note = nil
    model.data = Data()
    model.text = ""
    try statements.put(model)
    #expect(try connection.value("SELECT id FROM everything") == .text(model.id.uuidString))
    #expect(try connection.value("SELECT date FROM everything") == 0.25)
    #expect(try connection.value("SELECT scores FROM everything") == #"{"a":1,"b":2}"#)
    #expect(try connection.value("SELECT note FROM everything") == nil)
    #expect(try connection.value("SELECT data FROM everything") == .blob(Data()))
    #expect(try connection.value("SELECT text FROM everything") == "")
    #expect(try connection.value("SELECT color FROM everything") == .text(model.color.rawValue))
    #expect(try connection.value("SELECT level FROM everything") == .integer(Int64(model.level.rawValue)))
    #expect(try connection.value("SELECT typeof(flag) FROM everything") == "integer")
  }

  @Test
  func `an integer out of range is reported with table, column and row`() throws {
    let (connection, statements) = try open(Small.self)
    try connection.execute("INSERT INTO small VALUES (7, 300, 1, 'good', NULL)")
    let error = try #require(throws: DatabaseError.self) { try statements.find(7) }
    let expected = ModelError.undecodable(
      table: "small", column: "byte", key: "7", reason: "300 is out of the range of UInt8")
    #expect(error == .model(expected, path: ":memory:"))
    for word in ["small", "byte", "7", "300", "UInt8", ":memory:"] { #expect(error.description.contains(word)) }
  }

  @Test(arguments: [
    ("(7, 'text', 1, 'good', NULL)", "byte"), ("(7, 1.5, 1, 'good', NULL)", "byte"),
    ("(7, NULL, 1, 'good', NULL)", "byte"),
    ("(7, -1, 1, 'good', NULL)", "byte"), ("(7, 1, 2, 'good', NULL)", "flag"), ("(7, 1, 1, 'ugly', NULL)", "mood"),
    ("(7, 1, 1, x'00', NULL)", "mood"), ("(7, 1, 1, 'good', '{')", "tags"), ("(7, 1, 1, 'good', '{}')", "tags"),
    ("(7, 1, 1, 'good', 5)", "tags"), ("(7, 1, 1, CAST(x'ff' AS TEXT), NULL)", "mood"),
  ])
  func `a value of the wrong type is reported, and never crashes`(row: String, column: String) throws {
    let (connection, statements) = try open(Small.self)
    try connection.execute("DROP TABLE small; CREATE TABLE small (id INTEGER PRIMARY KEY, byte, flag, mood, tags)")
    try connection.execute("INSERT INTO small VALUES \(row)")
    let error = try #require(throws: DatabaseError.self) { try statements.find(7) }
    guard case .model(.undecodable("small", column, "7", let reason), ":memory:") = error else {
      Issue.record("\(error)")
      return
    }
    #expect(!reason.isEmpty)
    try connection.execute("DELETE FROM small; INSERT INTO small VALUES (7, 1, 1, 'good', '[\"a\"]')")
    #expect(
      try statements.find(7) == Small(id: 7, byte: 1, flag: true, mood: .good, tags: ["a"]), "and the next one is read")
  }

  @Test
  func `values that SQLite would change are rejected, and nothing is written`() throws {
    let (connection, statements) = try open(Extreme.self)
    for (model, column) in [
      (Extreme(id: 1, number: .nan, count: 0, list: []), "number"),
      (Extreme(id: 1, number: 0, count: .max, list: []), "count"),
      (Extreme(id: 1, number: 0, count: 0, list: [.infinity]), "list"),
    ] {
      let error = try #require(throws: DatabaseError.self) { try statements.put(model) }
      guard case .model(.unencodable("extreme", column, _), _) = error else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(try connection.value("SELECT count(*) FROM extreme") == 0)
    try statements.put(Extreme(id: 1, number: .infinity, count: UInt64(Int64.max), list: [1]))
    #expect(try statements.find(1) == Extreme(id: 1, number: .infinity, count: UInt64(Int64.max), list: [1]))
  }

  @Test
  func `putting a row again updates it in place`() throws {
    let (connection, statements) = try open(Small.self)
    try statements.put(Small(id: 7, byte: 1, flag: true, mood: .good, tags: ["a"]))
    try statements.put(Small(id: 7, byte: 2, flag: false, mood: .bad, tags: nil))
    #expect(try statements.find(7) == Small(id: 7, byte: 2, flag: false, mood: .bad, tags: nil))
    #expect(try connection.value("SELECT count(*) FROM small") == 1)
    try statements.delete(7)
    #expect(try statements.find(7) == nil)
  }

  @Test
  func `properties may be coded in any order, and optional ones omitted`() throws {
    let (connection, statements) = try open(Disorderly.self)
    defer { connection.close() }
    try statements.put(Disorderly(id: 1, first: "a", second: 2, third: nil))
    #expect(try statements.find(1) == Disorderly(id: 1, first: "a", second: 2, third: nil))
    try statements.put(Disorderly(id: 1, first: "a", second: 2, third: 3))
    #expect(try statements.find(1) == Disorderly(id: 1, first: "a", second: 2, third: 3))
  }

  @Test
  func `an unlisted property and a nested container are reported`() throws {
    let (connection, stray) = try open(Stray.self)
    defer { connection.close() }
    #expect(
      throws: DatabaseError.model(.unknownColumn(table: "stray", column: "other", known: ["id"]), path: ":memory:")
    ) {
      try stray.put(Stray(id: 1))
    }
    let (connection4, nesting) = try open(Nesting.self)
    defer { connection4.close() }
    let error = try #require(throws: DatabaseError.self) { try nesting.put(Nesting(id: 1)) }
    guard case .model(.unencodable("nesting", "inner", _), _) = error else {
      Issue.record("\(error)")
      return
    }
    let (connection5, mislisted) = try open(Mislisted.self)
    defer { connection5.close() }
    #expect(throws: DatabaseError.self) { try mislisted.put(Mislisted(id: 1, tags: [1])) }
  }

  @Test
  func `a row that cannot be stored does not affect the next one`() throws {
    let (connection, statements) = try open(Moody.self)
    defer { connection.close() }
    #expect(throws: DatabaseError.self) { try statements.put(Moody(id: 1, mood: Moody.Mood(isNested: true))) }
    try statements.put(Moody(id: 2, mood: Moody.Mood(isNested: false)))
    #expect(try connection.value("SELECT id FROM moody") == 2)
  }

  @Test
  func `keys can be integers, texts, UUIDs, and types that wrap them`() throws {
    let (connection, texts) = try open(Keyed<String>.self)
    defer { connection.close() }
    try texts.put(Keyed(id: "a'b\0c"))
    #expect(try texts.find("a'b\0c") != nil)
    #expect(try texts.find("a") == nil)
    let (connection7, wrapped) = try open(Keyed<Wrapped>.self)
    defer { connection7.close() }
    try wrapped.put(Keyed(id: Wrapped(rawValue: -3)))
    #expect(try wrapped.find(Wrapped(rawValue: -3)) != nil)
    #expect(Int(sqliteValue: "1") == nil && UUID(sqliteValue: "x") == nil && String(sqliteValue: 1) == nil)
  }
}

private struct Small: StoreModel, Equatable {
  enum Mood: String, Codable, CaseIterable { case good, bad }
  static let table = TableSpec("small")
  var id: Int
  var byte: UInt8
  var flag: Bool
  var mood: Mood
  var tags: [String]?
}

private struct Extreme: StoreModel, Equatable {
  static let table = TableSpec("extreme")
  var id: Int64
  var number: Double
  var count: UInt64
  var list: [Double]
}

private struct Disorderly: StoreModel, Equatable {
  static let table = TableSpec("disorderly")
  var id: Int
  var first: String
  var second: Int
  var third: Int?

  enum CodingKeys: CodingKey { case id, first, second, third }

  init(id: Int, first: String, second: Int, third: Int?) {
    (self.id, self.first, self.second, self.third) = (id, first, second, third)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    third = try container.decodeIfPresent(Int.self, forKey: .third)
    second = try container.decode(Int.self, forKey: .second)
    id = try container.decode(Int.self, forKey: .id)
    first = try container.decode(String.self, forKey: .first)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(first, forKey: .first)
    try container.encode(id, forKey: .id)
    try container.encode(second, forKey: .second)
    if let third { try container.encode(third, forKey: .third) }
  }
}

private struct Stray: StoreModel {
  static let table = TableSpec("stray", columns: [TableColumn("id", .integer)])
  var id: Int
  var other = 1
}

private struct Nesting: StoreModel {
  static let table = TableSpec("nesting", columns: [TableColumn("id", .integer), TableColumn("inner", .json)])
  var id: Int

  enum CodingKeys: CodingKey { case id, inner }

  init(id: Int) { self.id = id }

  init(from decoder: any Decoder) throws {
    id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    var inner = container.nestedContainer(keyedBy: CodingKeys.self, forKey: .inner)
    do { try inner.encode(1, forKey: .id) } catch {}
  }
}

private struct Mislisted: StoreModel {
  static let table = TableSpec("mislisted", columns: [TableColumn("id", .integer), TableColumn("tags", .text)])
  var id: Int
  var tags: [Int]
}

/// A model whose member encodes itself as a nested value or as a single one.
private struct Moody: StoreModel {
  static let table = TableSpec("moody", columns: [TableColumn("id", .integer), TableColumn("mood", .text)])

  struct Mood: Codable {
    var isNested: Bool

    enum CodingKeys: CodingKey { case isNested }

    func encode(to encoder: any Encoder) throws {
      if isNested {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isNested, forKey: .isNested)
      } else {
        var container = encoder.singleValueContainer()
        try container.encode("calm")
      }
    }
  }

  var id: Int
  var mood: Mood
}

private struct Wrapped: RawRepresentable, Codable, StoreKey {
  var rawValue: Int64
}

private struct Keyed<ID: StoreKey & Codable>: StoreModel {
  static var table: TableSpec { TableSpec("keyed") }
  var id: ID
}
