import Foundation
import Stores
import Testing

@Suite("Columns of a model")
struct InferenceTests {
  @Test
  func `each property becomes a column of its type`() throws {
    let columns = try Everything.columns
    #expect(
      columns.map(\.description) == [
        "id TEXT NOT NULL", "flag INTEGER NOT NULL", "small INTEGER NOT NULL", "large INTEGER NOT NULL",
        "ratio REAL NOT NULL", "single REAL NOT NULL", "text TEXT NOT NULL", "data BLOB NOT NULL", "date REAL NOT NULL",
        "url TEXT NOT NULL", "price TEXT NOT NULL", "color TEXT NOT NULL", "level INTEGER NOT NULL",
        "tags TEXT NOT NULL",
        "scores TEXT NOT NULL", "place TEXT NOT NULL", "shape TEXT", "note TEXT", "count INTEGER", "when REAL",
        "key TEXT", "blob BLOB", "mood TEXT", "spot TEXT", "homepage TEXT",
      ])
    let types = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0.type) })
    for name in ["tags", "scores", "place", "shape", "spot"] { #expect(types[name] == .json, "\(name)") }
    for name in ["color", "mood", "url", "note"] { #expect(types[name] == .text, "\(name)") }
    #expect(types["price"] == .decimal)
  }

  @Test
  func `columns have the names of custom coding keys`() throws {
    #expect(try Renamed.columns.map(\.name) == ["identifier", "given_name", "select"])
  }

  @Test
  func `properties without coding keys are not columns`() throws {
    #expect(try Partial.columns.map(\.name) == ["id", "kept"])
  }

  @Test
  func `recursive types are inferred`() throws {
    #expect(
      try Tree.columns == [
        TableColumn("id", .integer), TableColumn("children", .json), TableColumn("parent", .json, isOptional: true),
      ]
    )
  }

  @Test
  func `an enumeration that cannot be inferred is reported by its key, and works once its column is listed`() throws {
    let error = try #require(throws: ModelError.self) { try Unlisted.columns }
    guard case .columnsNotInferable("unlisted", "state", _) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(error.description.contains("\"state\"") && error.description.contains("TableSpec"))
    #expect(error.description.contains("State is an enumeration"))
    #expect(error.localizedDescription == error.description)
    #expect(try Listed.columns.map(\.description) == ["id INTEGER NOT NULL", "state TEXT NOT NULL"])
  }

  @Test
  func `a validating initializer is tried with other values, and reported if it rejects all of them`() throws {
    #expect(try NotEmpty.columns.map(\.name) == ["id", "name"])
    let error = try #require(throws: ModelError.self) { try Refusing.columns }
    guard case .columnsNotInferable("refusing", "name", let reason) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(reason.contains("NoSuchName"))
  }

  @Test
  func `a model without coding keys is reported`() {
    #expect(throws: ModelError.columnsNotInferable(table: "keyless", column: nil, reason: "Keyless has no coding keys"))
    {
      try Keyless.columns
    }
  }

  @Test
  func `a key that is not a column, or differs in type from the id, is reported`() {
    #expect(throws: ModelError.invalidKey(table: "computed", column: "id", reason: "the model has no such column")) {
      try Computed.columns
    }
    #expect(throws: ModelError.self) { try WrongKey.columns }
    #expect(throws: Never.self) { try ComputedAndNamed.columns }
  }

  @Test
  func `an index over a missing column is reported with the existing ones`() {
    #expect(throws: ModelError.unknownColumn(table: "misindexed", column: "agee", known: ["id", "age"])) {
      try Misindexed.columns
    }
  }

  @Test
  func `empty, reserved and ambiguous names are rejected`() {
    #expect(throws: ModelError.self) { try BadTable<Name0>.columns }
    #expect(throws: ModelError.self) { try BadTable<Name1>.columns }
    #expect(throws: ModelError.self) { try BadTable<Name2>.columns }
    #expect(throws: ModelError.self) { try BadTable<Name3>.columns }
    #expect(throws: ModelError.self) { try SameInCapitals.columns }
  }
}

private enum State: String, Codable { case open, closed }

private struct Unlisted: StoreModel {
  static let table = TableSpec("unlisted")
  var id: Int
  var state: State
}

private struct Listed: StoreModel {
  static let table = TableSpec("listed", columns: [TableColumn("id", .integer), TableColumn("state", .text)])
  var id: Int
  var state: State
}

private struct Renamed: StoreModel {
  static let table = TableSpec("renamed", key: "identifier")
  var id: Int
  var name: String
  var select: Int

  enum CodingKeys: String, CodingKey {
    case id = "identifier"
    case name = "given_name"
    case select
  }
}

private struct Partial: StoreModel {
  static let table = TableSpec("partial")
  var id: Int
  var kept: Int
  var computedOnce = 7

  enum CodingKeys: CodingKey { case id, kept }
}

private struct Tree: StoreModel {
  static let table = TableSpec("tree")
  var id: Int
  var children: [Tree]
  var parent: Parent?

  final class Parent: Codable, Sendable {
    let parent: Parent?
    let tree: Tree
  }
}

private struct NotEmpty: StoreModel {
  static let table = TableSpec("notempty")
  var id: Int
  var name: Name

  struct Name: Codable {
    let text: String

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      if text.isEmpty { throw NoSuchName() }
    }
  }
}

private struct NoSuchName: Error {}

private struct Refusing: StoreModel {
  static let table = TableSpec("refusing")
  var id: Int
  var name: String

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    if name.count < 3 { throw NoSuchName() }
  }
}

private struct Keyless: StoreModel {
  static let table = TableSpec("keyless")
  var id: Int

  init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(Int.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(id)
  }
}

private struct Computed: StoreModel {
  static let table = TableSpec("computed")
  var id: String { email }
  var email: String
}

private struct ComputedAndNamed: StoreModel {
  static let table = TableSpec("computedAndNamed", key: "email")
  var id: String { email }
  var email: String
}

private struct WrongKey: StoreModel {
  static let table = TableSpec("wrongKey", key: "age")
  var id: String
  var age: Int
}

private struct Misindexed: StoreModel {
  static let table = TableSpec("misindexed", indexes: ["agee"])
  var id: Int
  var age: Int
}

private protocol Named: Sendable {
  static var name: String { get }
}

private enum Name0: Named { static let name = "" }
private enum Name1: Named { static let name = "sqlite_master" }
private enum Name2: Named { static let name = "a\0b" }
private enum Name3: Named { static let name = "Signals_schema" }

private struct BadTable<Name: Named>: StoreModel {
  static var table: TableSpec { TableSpec(Name.name) }
  var id: Int
}

private struct SameInCapitals: StoreModel {
  static let table = TableSpec("capitals")
  var id: Int
  var name: Int
  var Name: Int
}
