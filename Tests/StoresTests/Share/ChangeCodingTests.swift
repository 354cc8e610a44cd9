import FileSignals
import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite struct `Coding of changes` {
  private func key(_ chance: inout Chance) -> SQLiteValue {
    switch chance.number(below: 5) {
    case 0: .null
    case 1: .integer(Int64(bitPattern: chance.next()) >> Int64(chance.number(below: 64)))
    case 2: .real(Double(bitPattern: chance.next() >> 2))
    case 3: .text(String(repeating: "ö\u{0}", count: chance.number(below: 200)))
    default: .blob(Data((0..<chance.number(below: 200)).map { UInt8($0) }))
    }
  }

  @Test func `changes are decoded as encoded`() throws {
    for seed in 0..<200 as Range<UInt64> {
      var chance = Chance(seed: seed)
      var tables: [String: TableChanges] = [:]
      for number in 0..<chance.number(below: 4) {
        var keys: [Set<SQLiteValue>] = []
        for _ in 0..<3 { keys.append(Set((0..<chance.number(below: 5)).map { _ in key(&chance) })) }
        tables["täble \(number)"] = TableChanges(
          inserted: keys[0], updated: keys[1], deleted: keys[2], isEverything: chance.once(in: 3))
      }
      #expect(try ChangeCoding.decode(ChangeCoding.encode(tables)).tables == tables)
    }
    let edges: Set<SQLiteValue> = [.integer(.min), .integer(.max), .integer(0), .integer(-1)]
    let tables = ["t": TableChanges(updated: edges)]
    #expect(try ChangeCoding.decode(ChangeCoding.encode(tables)).tables == tables)
  }

  @Test func `who made a change is decoded as encoded, and a part of it is ignored`() throws {
    let tables = ["item": TableChanges(inserted: [1])]
    let provenance = Provenance(
      processIdentifier: 7, processName: "jär", processStart: Date(timeIntervalSince1970: 1_700_000_000), cause: "ß",
      date: Date(timeIntervalSince1970: 1_700_000_001))
    let whole = ChangeCoding.encode(tables, provenance)
    #expect(try ChangeCoding.decode(whole).provenance == provenance)
    #expect(try ChangeCoding.decode(ChangeCoding.encode(tables)).provenance == nil)
    for count in ChangeCoding.encode(tables).count..<whole.count {
      let found = try ChangeCoding.decode(whole.prefix(count))
      #expect(found.tables == tables && found.provenance == nil)
    }
  }

  @Test func `truncated data is rejected, and damaged data never crashes`() throws {
    let whole = ChangeCoding.encode(["item": TableChanges(inserted: [1, "two", 3.5], deleted: [.blob(Data([1, 2]))])])
    for count in 0..<whole.count {
      #expect(throws: ChangeCoding.Unreadable.self) { try ChangeCoding.decode(whole.prefix(count)) }
    }
    var chance = Chance(seed: 7)
    for _ in 0..<20_000 {
      var spoilt = whole
      for _ in 0...chance.number(below: 3) {
        spoilt[chance.number(below: spoilt.count)] = UInt8(truncatingIfNeeded: chance.next())
      }
      do { _ = try ChangeCoding.decode(spoilt) } catch { #expect(!"\(error)".isEmpty) }
    }
    #expect(throws: ChangeCoding.Unreadable.self) { try ChangeCoding.decode(Data([9])) }
  }
}
