import Foundation
import Stores
import TestSupport

/// A model with a property of every kind.
struct Everything: StoreModel, Hashable {
  static let table = TableSpec("everything")

  enum Color: String, Codable, CaseIterable { case red, green = "grün" }
  enum Level: Int, Codable, CaseIterable { case low = -1, high = 9 }
  enum Mood: String, Codable { case good, bad }
  enum Shape: Codable, Hashable { case circle(radius: Double), square }
  struct Place: Codable, Hashable {
    var name: String
    var moment: Date
    var bytes: Data?
  }

  var id: UUID
  var flag: Bool
  var small: UInt8
  var large: Int64
  var ratio: Double
  var single: Float
  var text: String
  var data: Data
  var date: Date
  var url: URL
  var price: Decimal
  var color: Color
  var level: Level
  var tags: [String]
  var scores: [String: Int]
  var place: Place
  var shape: Shape?
  var note: String?
  var count: Int?
  var when: Date?
  var key: UUID?
  var blob: Data?
  var mood: Mood?
  var spot: Place?
  var homepage: URL?
}

extension Everything {
  /// A model with random content.
  init(using chance: inout Chance) {
    id = UUID(using: &chance)
    flag = chance.once(in: 2)
    small = UInt8(chance.number(below: 256))
    large = [Int64.min, .max, 0, Int64(bitPattern: chance.next())].randomElement(using: &chance) ?? 0
    ratio = Double(using: &chance)
    single = Float(chance.number(below: 1000)) / 7
    text = String(using: &chance)
    data = Data(using: &chance)
    date = Date(timeIntervalSinceReferenceDate: Double(using: &chance))
    url = URL(string: "https://example.com/\(chance.number(below: 99))?q=%C3%BC") ?? URL(filePath: "/")
    price = Decimal(chance.number(below: 1_000_000)) / 100
    color = Color.allCases.randomElement(using: &chance) ?? .red
    level = Level.allCases.randomElement(using: &chance) ?? .low
    tags = (0..<chance.number(below: 4)).map { _ in String(using: &chance) }
    scores = chance.once(in: 2) ? [:] : ["a": chance.number(below: 9), "ü\"": -1]
    place = Place(using: &chance)
    shape = [nil, .square, .circle(radius: 1.5)].randomElement(using: &chance) ?? nil
    note = chance.once(in: 2) ? nil : String(using: &chance)
    count = chance.once(in: 2) ? nil : Int(truncatingIfNeeded: chance.next())
    when = chance.once(in: 2) ? nil : Date(timeIntervalSinceReferenceDate: Double(using: &chance))
    key = chance.once(in: 2) ? nil : UUID(using: &chance)
    blob = chance.once(in: 2) ? nil : Data(using: &chance)
    mood = [nil, .good, .bad].randomElement(using: &chance) ?? nil
    spot = chance.once(in: 2) ? nil : Place(using: &chance)
    homepage = chance.once(in: 2) ? nil : URL(string: "file:///tmp")
  }
}

extension Everything.Place {
  init(using chance: inout Chance) {
    name = String(using: &chance)
    moment = Date(timeIntervalSinceReferenceDate: Double(chance.number(below: 1_000_000)))
    bytes = chance.once(in: 2) ? nil : Data(using: &chance)
  }
}

extension UUID {
  init(using chance: inout Chance) {
    self = withUnsafeBytes(of: (chance.next(), chance.next())) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

extension Double {
  /// Creates a random number, sometimes an extreme one.
  init(using chance: inout Chance) {
    let numbers = [
      0, -0.0, .infinity, -.infinity, .pi, 1e300, .leastNonzeroMagnitude, 0.1 + 0.2, 9_007_199_254_740_992,
    ]
    self =
      chance.once(in: 2) ? numbers.randomElement(using: &chance) ?? 0 : Double.random(in: -1e6...1e6, using: &chance)
  }
}

extension String {
  /// Creates a random text, sometimes an awkward one.
  init(using chance: inout Chance) {
    let pieces = ["", "a", "'; DROP TABLE everything; --", "\"", "\0", "ü", "👩‍👩‍👧‍👦", "\n", "NULL", "%_\\", "12", "日本"]
    self = (0..<chance.number(below: 4)).map { _ in pieces.randomElement(using: &chance) ?? "" }.joined()
  }
}

extension Data {
  init(using chance: inout Chance) {
    self = Data((0..<chance.number(below: 40)).map { _ in UInt8(truncatingIfNeeded: chance.next()) })
  }
}
