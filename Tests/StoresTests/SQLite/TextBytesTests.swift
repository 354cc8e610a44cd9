import Foundation
import Signals
import TestSupport
import Testing

@testable import Stores

@Suite("Canonically equivalent texts with different bytes", .patient)
struct TextBytesTests {
  /// Equal strings in Swift, but not in SQLite.
  private let composed = "\u{E9}"
  private let decomposed = "e\u{301}"
  private let database: Database

  init() throws {
    database = try liveDatabase()
  }

  @Test func `canonically equivalent texts are different values`() {
    let values: [SQLiteValue] = [.text(composed), .text(decomposed), .text("e"), .blob(Data("e".utf8)), .null]
    #expect(Set(values).count == values.count)
    for (place, value) in values.enumerated() {
      #expect(values.firstIndex(of: value) == place)
      #expect(Set(values + [value]).count == values.count)
    }
    #expect(SQLiteValue.integer(1) != .real(1) && SQLiteValue.real(0) == .real(-0.0))
    #expect(SQLiteValue.text("K") != .text("\u{212A}"))
  }

  @Test func `canonically equivalent keys are different rows, each with its own changes`() throws {
    let collected = Collected(database)
    try database.write { try $0.put(Opaque(id: decomposed)) }
    try database.write { transaction in
      try transaction.put(Opaque(id: composed))
      #expect(try transaction.delete(Opaque.self, id: decomposed))
    }
    let expected = TableChanges(inserted: [.text(composed)], deleted: [.text(decomposed)])
    #expect(collected.sets.last?["opaque"] == expected)
    #expect(try database.read { try $0.all(Opaque.self).map { Array($0.id.utf8) } } == [Array(composed.utf8)])
  }

  @Test func `a row can move between canonically equivalent keys`() throws {
    try database.write { try $0.put(Opaque(id: decomposed, number: 5)) }
    let (old, new) = (
      try database.live(Opaque.self, id: decomposed), try database.live(Opaque.self, id: composed)
    )
    #expect(old.value?.number == 5 && new.value == nil)
    try database.write { try $0.update(Opaque.self, id: decomposed) { $0.id = composed } }
    #expect(try database.read { try $0.count(Opaque.self) } == 1)
    #expect(old.value == nil && new.value?.number == 5)
  }

  @Test func `canonically equivalent statements are prepared separately`() throws {
    try database.write { transaction in
      for _ in 0..<2 {
        for text in [composed, decomposed] {
          let expected = try transaction.value("SELECT hex(?)", text)
          for _ in 0..<2 { #expect(try transaction.value("SELECT hex('\(text)')") == expected) }
        }
      }
    }
  }
}
