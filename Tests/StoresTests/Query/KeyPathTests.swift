import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Columns of key paths")
struct KeyPathTests {
  /// Returns the name of a column, or throws the reason why a key path is none.
  private func column<Model: StoreModel, Value>(_ keyPath: KeyPath<Model, Value>) throws(ModelError) -> String {
    try KeyPathFinder(keyPath: keyPath).reference().description
  }

  @Test
  func `every stored property is found, whatever its type and its coding key`() throws {
    #expect(try column(\Sample.id) == "id")
    #expect(try column(\Sample.name) == "full_name")
    #expect(try column(\Sample.nick) == "nick")
    #expect(try column(\Sample.age) == "age")
    #expect(try column(\Sample.small) == "small")
    #expect(try column(\Sample.large) == "large")
    #expect(try column(\Sample.height) == "height")
    #expect(try column(\Sample.width) == "width")
    #expect(try column(\Sample.isOpen) == "isOpen")
    #expect(try column(\Sample.wasOpen) == "wasOpen")
    #expect(try column(\Sample.born) == "born")
    #expect(try column(\Sample.died) == "died")
    #expect(try column(\Sample.token) == "token")
    #expect(try column(\Sample.page) == "page")
    #expect(try column(\Sample.bytes) == "bytes")
    #expect(try column(\Sample.price) == "price")
    #expect(try column(\Sample.kind) == "kind")
    #expect(try column(\Sample.other) == "other")
    #expect(try column(\Sample.city) == "city")
    #expect(try column(\Sample.address) == "address")
    #expect(try column(\Sample.watched) == "watched")
    #expect(try column(\Sample.wrapped) == "wrapped")
  }

  @Test
  func `arrays, sets, dictionaries and nested values are columns, and their parts are not`() throws {
    #expect(try column(\Nest.words) == "words")
    #expect(try column(\Nest.numbers) == "numbers")
    #expect(try column(\Nest.maybe) == "maybe")
    #expect(try column(\Nest.gaps) == "gaps")
    #expect(try column(\Nest.set) == "set")
    #expect(try column(\Nest.counts) == "counts")
    #expect(try column(\Nest.byNumber) == "byNumber")
    #expect(try column(\Nest.byID) == "byID")
    #expect(try column(\Nest.places) == "places")
    #expect(try column(\Nest.matrix) == "matrix")
    #expect(try column(\Nest.deep) == "deep")
    #expect(try column(\Nest.tree) == "tree")
    #expect(throws: ModelError.self) { try column(\Nest.words.count) }
    #expect(throws: ModelError.self) { try column(\Nest.words.first) }
    #expect(throws: ModelError.self) { try column(\Nest.sorted) }
    #expect(throws: ModelError.self) { try column(\Nest.deep.tags) }
  }

  @Test
  func `an array whose elements cannot be invented is empty, and its property must be listed`() throws {
    #expect(try column(\Picky.name) == "name")
    let error = #expect(throws: ModelError.self) { try column(\Picky.moods) }
    #expect("\(try #require(error))".contains("columnNames"))
  }

  @Test
  func `a computed property is not a column, even if it resembles one`() {
    let paths: [(PartialKeyPath<Sample>, () throws -> String)] = [
      (\.upper, { try column(\Sample.upper) }), (\.trimmed, { try column(\Sample.trimmed) }),
      (\.double, { try column(\Sample.double) }), (\.distance, { try column(\Sample.distance) }),
      (\.limited, { try column(\Sample.limited) }), (\.isAdult, { try column(\Sample.isAdult) }),
      (\.isClosed, { try column(\Sample.isClosed) }), (\.known, { try column(\Sample.known) }),
      (\.title, { try column(\Sample.title) }), (\.sum, { try column(\Sample.sum) }),
      (\.address.street, { try column(\Sample.address.street) }), (\.nick?.count, { try column(\Sample.nick?.count) }),
      (\.constant, { try column(\Sample.constant) }), (\.day, { try column(\Sample.day) }),
    ]
    for (path, column) in paths {
      let error = #expect(throws: ModelError.self) { try column() }
      guard case .notAColumn("sample", let name, _)? = error else {
        Issue.record("\(path): \(String(describing: error))")
        continue
      }
      #expect(name == "\(path)")
      #expect(error?.description.contains("columnNames") == true)
    }
  }

  @Test
  func `a query with a property that is no column fails when it runs`() throws {
    let database = try Database(.memory, schema: Schema(version: 1, models: [Sample.self]))
    let query = Sample.where { $0.upper == "A" }
    #expect("\(query)".contains("computed"))
    let error = #expect(throws: DatabaseError.self) { try database.read { try $0.all(query) } }
    #expect("\(try #require(error))".contains("computed"))
    #expect(throws: DatabaseError.self) { try database.read { try $0.all(Sample.ordered { $0.double }) } }
    #expect(throws: DatabaseError.self) { try database.write { try $0.deleteAll(query) } }
  }

  @Test
  func `decoder defaults do no harm`() throws {
    #expect(try column(\Lenient.isDone) == "isDone")
    #expect(try column(\Lenient.count) == "count")
    #expect(try column(\Lenient.note) == "note")
  }

  @Test
  func `a decoder that changes values needs a listed key path`() throws {
    #expect(throws: ModelError.self) { try column(\Normalizing.email) }
    #expect(try column(\Normalizing.listed) == "listed")
  }

  @Test
  func `a model that rejects invented rows lists its key paths`() throws {
    let error = #expect(throws: ModelError.self) { try column(\Strict.count) }
    #expect("\(try #require(error))".contains("columnNames"))
    #expect(try column(\Strict.name) == "name")
  }

  @Test
  func `a listed column that does not exist is reported when a database is opened`() throws {
    #expect(throws: DatabaseError.self) {
      try Database(.memory, schema: Schema(version: 1, models: [Misspelt.self]))
    }
  }

  @Test
  func `a class model has columns, and its computed properties are none`() throws {
    #expect(try column(\Thing.name) == "name")
    #expect(try column(\Thing.count) == "count")
    #expect(throws: ModelError.self) { try column(\Thing.upper) }
    #expect(throws: ModelError.self) { try column(\Thing.titled) }
  }

  @Test
  func `generic code finds the key`() throws {
    func key<Model: StoreModel>(of model: Model.Type) throws -> String { try column(\Model.id) }
    #expect(try key(of: Sample.self) == "id")
    #expect(try key(of: Renamed.self) == "code")
    #expect("\(Renamed.where { $0.code == "x" })" == "SELECT * FROM renamed WHERE code = 'x'")
    #expect(try column(\Renamed.id) == "code")
  }

  @Test
  func `equal key paths of different origin have the same column`() {
    for _ in 0..<3 {
      #expect(KeyPathColumns.reference(to: \Sample.age) == .named("age"))
      #expect(KeyPathColumns.reference(to: \Sample.age.self) == .named("age"))
    }
    let chained = (\Sample.address).appending(path: \.street)
    for _ in 0..<10 { #expect(throws: ModelError.self) { try column(chained) } }
  }

  @Test
  func `threads may look for columns at once`() async {
    await withTaskGroup(of: ColumnReference.self) { group in
      for _ in 0..<20 {
        group.addTask { KeyPathColumns.reference(to: \Contended.first) }
        group.addTask { KeyPathColumns.reference(to: \Contended.second) }
      }
      var found: Set<ColumnReference> = []
      for await column in group { found.insert(column) }
      #expect(found == [.named("first"), .named("second")])
    }
  }
}

// MARK: Models

private enum Kind: String, Codable, CaseIterable, SQLiteConvertible { case friend, foe, stranger, special }
private enum Rank: Int, Codable, CaseIterable, SQLiteOrdered { case low, high }

@propertyWrapper
private struct Plain<Value: Codable & Sendable>: Codable, Sendable {
  var wrappedValue: Value

  init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  init(from decoder: any Decoder) throws {
    wrappedValue = try decoder.singleValueContainer().decode(Value.self)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

private struct Address: Codable {
  var street: String
  var number: Int
}

private struct Sample: StoreModel {
  static let table = TableSpec("sample")

  enum CodingKeys: String, CodingKey {
    case name = "full_name"
    case id, nick, age, small, large, height, width, isOpen, wasOpen, born, died, token, page, bytes, price, kind, other
    case city, address, watched, wrapped
  }

  var id: UUID
  var name: String
  var nick: String?
  var age: Int
  var small: UInt8
  var large: UInt64
  var height: Double
  var width: Float
  var isOpen: Bool
  var wasOpen: Bool?
  var born: Date
  var died: Date?
  var token: UUID
  var page: URL
  var bytes: Data
  var price: Decimal
  var kind: Kind
  var other: Rank?
  var city: String?
  var address: Address
  var watched: Int = 0 { didSet {} }
  @Plain var wrapped: String

  var upper: String { name.uppercased() }
  var trimmed: String { name.trimmingCharacters(in: .whitespacesAndNewlines) }
  var double: Int { age * 2 }
  var distance: Int { abs(age) }
  var limited: Int { min(age, 10_000) }
  var isAdult: Bool { age >= 18 }
  var isClosed: Bool { !isOpen }
  var known: String { nick ?? "unknown" }
  var title: String { kind == .special ? "Dr. " + name : name }
  var sum: Int { age + Int(small) }
  var constant: Int { 7 }
  var day: Double { height.rounded() }
}

private struct Nest: StoreModel {
  static let table = TableSpec("nest")

  struct Deep: Codable {
    var tags: [String]
    var inner: [String: [Address]]
  }

  struct Branch: Codable {
    var name: String
    var branches: [Branch]
  }

  var id: Int
  var words: [String]
  var numbers: [Int]
  var maybe: [Double]?
  var gaps: [Int?]
  var set: Set<String>
  var counts: [String: Int]
  var byNumber: [Int: String]
  var byID: [UUID: Bool]
  var places: [Address]
  var matrix: [[Int]]
  var deep: Deep
  var tree: [Branch]

  var sorted: [String] { words.map { $0.uppercased() } }
}

private struct Picky: StoreModel {
  static let table = TableSpec("picky")
  enum Mood: String, Codable { case good, bad }
  var id: Int
  var name: String
  var moods: [Mood]
}

private struct Lenient: StoreModel {
  static let table = TableSpec("lenient")
  var id: Int
  var isDone: Bool
  var count: Int
  var note: String?

  enum CodingKeys: CodingKey { case id, isDone, count, note }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    isDone = try container.decodeIfPresent(Bool.self, forKey: .isDone) ?? false
    count = try container.decodeIfPresent(Int.self, forKey: .count) ?? 3
    note = try container.decodeIfPresent(String.self, forKey: .note)
  }
}

private struct Normalizing: StoreModel {
  static let table = TableSpec("normalizing")
  static var columnNames: [PartialKeyPath<Normalizing>: String] { [\.listed: "listed"] }
  var id: Int
  var email: String
  var listed: String

  enum CodingKeys: CodingKey { case id, email, listed }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    email = try container.decode(String.self, forKey: .email).lowercased()
    listed = try container.decode(String.self, forKey: .listed).lowercased()
  }
}

private struct Strict: StoreModel {
  static let table = TableSpec(
    "strict",
    columns: [TableColumn("id", .integer), TableColumn("name", .text), TableColumn("count", .integer)])
  static var columnNames: [PartialKeyPath<Strict>: String] { [\.name: "name"] }

  struct Nameless: Error {}
  var id: Int
  var name: String
  var count: Int

  enum CodingKeys: CodingKey { case id, name, count }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(Int.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    count = try container.decode(Int.self, forKey: .count)
    if !name.hasPrefix("@") { throw Nameless() }
  }
}

private struct Misspelt: StoreModel {
  static let table = TableSpec("misspelt")
  static var columnNames: [PartialKeyPath<Misspelt>: String] { [\.name: "nmae"] }
  var id: Int
  var name: String
}

private final class Thing: StoreModel {
  static let table = TableSpec("thing")
  let id: Int
  let name: String
  let count: Int
  let kind: Kind

  var upper: String { name.uppercased() }
  var titled: String { kind == .special ? "Dr. " + name : name }
}

private struct Renamed: StoreModel {
  static let table = TableSpec("renamed", key: "code")
  var code: String
  var name: String
  var id: String { code }

  enum CodingKeys: CodingKey { case code, name }
}

private struct Contended: StoreModel {
  static let table = TableSpec("contended")
  var id: Int
  var first: Int
  var second: Int
}
