import AppGroups
import Foundation
import TestSupport
import Testing

@testable import Stores

/// A model with one property of a type.
private struct Holder<Value: Codable & Sendable>: StoreModel {
  static var table: TableSpec { TableSpec("holder") }
  var id: Int
  var value: Value
}

/// A value with the expectation that it is read as it was written, or refused.
private struct Sample: CustomTestStringConvertible, Sendable {
  enum Expectation { case kept, refused }

  let testDescription: String
  let expectation: Expectation
  /// Writes the value and reads it, and returns whether both are the same.
  let isKept: @Sendable (Database) throws -> Bool

  /// Creates a sample of a type whose column is inferred.
  init<Value: Codable & Sendable & Equatable>(
    _ value: Value, _ expectation: Expectation = .kept,
    isSame: @escaping @Sendable (Value, Value) -> Bool = { $0 == $1 }
  ) {
    // Foundation stops the program that describes a date that is not a number.
    let text = (value as? Date).map { "\($0.timeIntervalSinceReferenceDate)" } ?? String(reflecting: value)
    testDescription = "\(Value.self) \(text.prefix(60))"
    self.expectation = expectation
    isKept = { database in
      let schema = try ModelLayout.of(Holder<Value>.self).creation()
      return try database.write { transaction throws in
        try transaction.execute(schema)
        try transaction.put(Holder(id: 1, value: value))
        guard let found = try transaction.find(Holder<Value>.self, id: 1) else { return false }
        return isSame(found.value, value)
      }
    }
  }

  private struct Pair: Codable, Hashable {
    var first: Double?
    var second: [String: [Int?]]
  }

  private struct Wrapper: RawRepresentable, Codable, Hashable {
    var rawValue: UInt16
  }

  private static func bits(_ first: Double, _ second: Double) -> Bool { first.bitPattern == second.bitPattern }
  private static let base = URL(string: "https://example.com/a/")

  static let all: [Sample] = [
    Sample(true), Sample(false), Sample(Int.min), Sample(Int.max), Sample(Int8.min), Sample(Int16.max),
    Sample(Int32.min), Sample(UInt8.max), Sample(UInt16.max), Sample(UInt32.max), Sample(UInt64(Int64.max)),
    Sample(UInt64.max, .refused), Sample(UInt(bitPattern: .min), .refused),
    Sample(Double.infinity), Sample(-Double.infinity), Sample(Double.nan, .refused),
    Sample(Double.leastNonzeroMagnitude, isSame: bits), Sample(Double.greatestFiniteMagnitude, isSame: bits),
    Sample(0.1 + 0.2, isSame: bits), Sample(9_007_199_254_740_993.0, isSame: bits), Sample(-1.0, isSame: bits),
    // SQLite stores a whole number in a REAL column as an integer, which has no negative zero.
    Sample(-0.0), Sample(-0.0, isSame: { found, _ in found.sign == .plus }),
    Sample(Float.infinity), Sample(Float.nan, .refused), Sample(Float.leastNonzeroMagnitude),
    Sample(Float.greatestFiniteMagnitude), Sample(Float(0.1)),
    Sample(""), Sample("a\0b"), Sample("\0"), Sample("e\u{301}") { Array($0.utf8) == Array($1.utf8) },
    Sample("\u{FEFF}a"), Sample("NULL"), Sample("12"),
    Sample(Data()), Sample(Data([0])), Sample(Data("text".utf8)), Sample(Data?.some(Data())), Sample(Data?.none),
    Sample(String?.some("")), Sample(Int?.none), Sample(Bool?.some(false)),
    Sample(Int??.some(.some(1))), Sample(Int??.none), Sample(String??.some(.some(""))),
    // The format of `Codable` does not distinguish them.
    Sample(Int??.some(.none)) { found, _ in found == .none },
    Sample(Date.distantPast), Sample(Date.distantFuture), Sample(Date(timeIntervalSinceReferenceDate: 0.1)),
    Sample(Date(timeIntervalSinceReferenceDate: -1e-9)), Sample(Date(timeIntervalSinceReferenceDate: .infinity)),
    Sample(Date(timeIntervalSinceReferenceDate: .nan), .refused),
    Sample(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))), Sample(UUID()),
    Sample(Decimal.zero), Sample(Decimal(string: "0.1")), Sample(Decimal.greatestFiniteMagnitude),
    Sample(Decimal.leastNonzeroMagnitude), Sample(-Decimal.greatestFiniteMagnitude), Sample(Decimal.nan, .refused),
    Sample(Decimal(string: "12345678901234567890.12345678901234567")),
    Sample(URL(string: "https://example.com/?q=%C3%BC#f")), Sample(URL(string: "a/b")),
    Sample(URL(string: "mailto:a@b.c")),
    Sample(URL(filePath: "/tmp/ü a")), Sample(URL(filePath: "/tmp/", directoryHint: .isDirectory)),
    Sample(URL(string: "b?c", relativeTo: base), .refused), Sample(URL(string: "b", relativeTo: base)?.absoluteURL),
    Sample(URL(string: "data:,")),
    Sample([String]()), Sample(["", "\0", "\"\\\n"]), Sample([Int?.none, 1]), Sample([Double.infinity], .refused),
    Sample([-0.0]) { $0[0].bitPattern == $1[0].bitPattern }, Sample([0.1, 1e300, -1]), Sample([Data(), Data([255])]),
    Sample([Date.distantPast, Date(timeIntervalSinceReferenceDate: 0.1)]), Sample([UInt64.max, 0]),
    Sample([Decimal.nan], .refused), Sample([Decimal(string: "0.1")]), Sample(["a": ["b": 1]]), Sample([Int: String]()),
    Sample([1: "a"]), Sample(Set([1, 2])), Sample([String: Int]?.none), Sample([UUID()]),
    Sample([URL(string: "https://example.com/a%20b")]),  // The format of `JSONEncoder` has no place for the base.
    Sample([URL(string: "b", relativeTo: base)]) { $0 == $1.map { $0?.absoluteURL } },
    Sample(Pair(first: nil, second: ["": [nil, 1]])), Sample(Pair?.none),
    Sample(Pair?.some(Pair(first: -1, second: [:]))),
    Sample(Wrapper(rawValue: .max)), Sample(Wrapper?.none),
  ]
}

@Suite("Values that are stored")
struct RoundTripTests {
  @Test(arguments: Sample.all)
  private func `every value is read as it was written, or refused with an error`(sample: Sample) throws {
    let database = try Database(.memory)
    switch sample.expectation {
    case .kept: #expect(try sample.isKept(database))
    case .refused:
      let error = databaseError { try sample.isKept(database) }
      guard case .model(.unencodable("holder", "value", _), _) = error else { return recordUnexpected(error) }
    }
  }

  /// Arguments of statements, which have no column that could refuse them.
  @Test func `an argument is read as it was passed`() throws {
    let values: [SQLiteValue] = [
      .real(-0.0), .real(.infinity), .real(.leastNonzeroMagnitude), .integer(.min), .text(""), .text("a\0b"),
      .blob(Data()),
      .blob(Data([0])), .null,
    ]
    let database = try Database(.memory)
    for value in values {
      let found = try database.read { try $0.value("SELECT ?", value) }
      #expect(found == value)
      if case .real(let number) = found { #expect(number.sign == value.doubleValue?.sign) }
    }
  }
}
