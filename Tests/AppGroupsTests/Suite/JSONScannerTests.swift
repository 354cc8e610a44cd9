import Foundation
import TestSupport
import Testing

@testable import AppGroups

/// A source of random numbers that can be had again.
private struct Chance: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

@Suite("JSON in pieces")
struct JSONScannerTests {
  private func list(_ text: Data, known: [Data] = []) throws -> [(name: String, text: Data)] {
    try JSONScanner.members(of: text, known: known).map { member in
      switch member {
      case .known(let index): ("known \(index)", Data())
      case .new(let name, let text): (name, text)
      }
    }
  }

  private func members(_ text: String) throws -> [String: String] {
    try list(Data(text.utf8)).reduce(into: [:]) { $0[$1.name] = String(decoding: $1.text, as: UTF8.self) }
  }

  @Test
  func `members that are known are recognised, and others are not taken for them`() throws {
    let known = ["\"a\" : 1", "\"b\" : 2", "\"c\" : 3", "\"d\" : 4"].map { Data($0.utf8) }
    let names = { (text: String) in try list(Data(text.utf8), known: known).map(\.name) }
    #expect(try names("{\n  \"a\" : 1,\n  \"b\" : 2,\n  \"c\" : 3\n}\n") == ["known 0", "known 1", "known 2"])
    #expect(try names("{\n  \"a\" : 1,\n  \"b\" : 20,\n  \"c\" : 3\n}\n") == ["known 0", "b", "known 2"])
    #expect(try names("{\n  \"a\" : 1,\n  \"c\" : 3\n}\n") == ["known 0", "known 2"])
    #expect(try names("{\n  \"a\" : 1,\n  \"aa\" : 1,\n  \"b\" : 2\n}\n") == ["known 0", "aa", "known 1"])
    #expect(try names("{\n  \"a\" : 1\n, \"d\" : 4}") == ["known 0", "d"])
    #expect(throws: JSONSyntaxError.self) { try names("{\n  \"a\" : 1") }
    #expect(throws: JSONSyntaxError.self) { try names("{\n  \"a\" : 1\n\"b\" : 2}") }
  }

  @Test
  func `values come as they are written, in one layout`() throws {
    let text = #" { "a" :1.50e+02,"b\u0041\n\ud83e\uddf5":"x \" \\ \/ \u00E9", "c":[ 1 , {"d":[ ],"e":{ }} ] } "#
    #expect(
      try members(text) == [
        "a": "1.50e+02",
        "bA\n🧵": #""x \" \\ \/ \u00E9""#,
        "c": "[\n      1,\n      {\n        \"d\" : [],\n        \"e\" : {}\n      }\n    ]"
          .replacing("\n  ", with: "\n"),
      ])
  }

  @Test
  func `a layout that is read again stays the same`() throws {
    let text = #"{"c":[1,{"d":[],"e":{"f":"g"}}],"a":true}"#
    for (_, text) in try list(Data(text.utf8)) { #expect(try JSONScanner.value(of: text) == text) }
  }

  @Test(arguments: ["", "\"", "\\", "\n\r\t\u{8}\u{C}\u{0}\u{1F}\u{7F}", "é🧵/", "\u{2028}"])
  func `a name that is written is read again`(name: String) throws {
    let text = Data("{".utf8) + JSONScanner.quoted(name) + Data(":0}".utf8)
    #expect(try list(text).map(\.name) == [name])
    let object = try JSONSerialization.jsonObject(with: text) as? [String: Any]
    #expect(object?.keys.first == name)
  }

  @Test
  func `values may be nested deep, but not without end`() throws {
    let deep = { (depth: Int) in
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { try members("{\"a\":\(deep(511))}") }
    #expect(throws: JSONSyntaxError.self) { try members("{\"a\":\(deep(512))}") }
    #expect(throws: JSONSyntaxError.self) { try members("{\"a\":\(deep(1_000_000))}") }
  }

  @Test
  func `bytes that are no text are refused, and where they are is told`() throws {
    let error = #expect(throws: JSONSyntaxError.self) { try JSONScanner.members(of: Data("{\n\"é".utf8) + [0xFF]) }
    #expect(error?.description.hasSuffix("in line 2, column 3") == true)
  }

  /// Texts of JSON and of what is nearly JSON.
  private func text(_ chance: inout Chance, depth: Int) -> String {
    let atoms = [
      "0", "-1", "1.5", "1e5", "01", "-", "1.", ".5", "+1", "1e", "true", "false", "null", "nul", "\"\"", "\"a\"",
      "\"\\n\"", "\"\\x\"", "\"\\u12\"", "\"\\u0041\"", "\"\\ud83e\\uddf5\"", "\"é\"", "\"", "12345678901234567890",
      "-0.0",
    ]
    guard depth > 0, Int.random(in: 0..<3, using: &chance) > 0 else {
      // Mostly good ones, or nothing larger would ever be right.
      let isGood = Int.random(in: 0..<20, using: &chance) > 0
      return isGood
        ? ["0", "true", "\"a\\n\"", "-1.5e3", "null", "\"🧵\""].randomElement(using: &chance) ?? ""
        : atoms.randomElement(using: &chance) ?? ""
    }
    let count = Int.random(in: 0..<4, using: &chance)
    let space = ["", " ", "\n", "\t"].randomElement(using: &chance) ?? ""
    let separator =
      Int.random(in: 0..<40, using: &chance) == 0 ? [";", ",,", ""].randomElement(using: &chance) ?? "" : ","
    if Bool.random(using: &chance) {
      return "[" + (0..<count).map { _ in text(&chance, depth: depth - 1) + space }.joined(separator: separator) + "]"
    }
    let members = (0..<count).map { "\"k\($0)\"" + space + ":" + text(&chance, depth: depth - 1) }
    return "{" + space + members.joined(separator: separator) + "}"
  }

  @Test
  func `what is taken and what is refused is what Foundation takes and refuses`() throws {
    let seed = UInt64.random(in: 0..<UInt64.max)
    var chance = Chance(state: seed)
    var taken = 0
    for _ in 0..<Scale.count(3_000, torture: 300_000) {
      var bytes = Data("{\"a\":\(text(&chance, depth: 4))}".utf8)
      if Int.random(in: 0..<4, using: &chance) == 0, let index = bytes.indices.randomElement(using: &chance) {
        switch Int.random(in: 0..<3, using: &chance) {
        case 0: bytes.remove(at: index)
        case 1: bytes[index] = UInt8.random(in: 0..<255, using: &chance)
        default: bytes.insert(bytes[index], at: index)
        }
      }
      let expected = try? JSONSerialization.jsonObject(with: bytes) as? NSDictionary
      let members = try? list(bytes)
      let string = String(decoding: bytes, as: UTF8.self)
      // Foundation takes a comma too many, which hardly anybody else does.
      if expected != nil, members == nil, string.contains(/,\s*[}\]]/) { continue }
      // It refuses numbers that are too large for it, which pass through here.
      if expected == nil, members != nil, string.contains(/[eE][+-]?[0-9]{3}/) { continue }
      #expect((expected == nil) == (members == nil), "seed \(seed): \(string)")
      guard let expected, let members else { continue }
      taken += 1
      var joined = Data()
      for (name, text) in members {
        joined += Data((joined.isEmpty ? "{" : ",").utf8) + JSONScanner.quoted(name) + Data(":".utf8) + text
      }
      joined += Data((joined.isEmpty ? "{}" : "}").utf8)
      let again = try JSONSerialization.jsonObject(with: joined) as? NSDictionary
      #expect(again == expected, "seed \(seed): \(string)")
    }
    #expect(taken > 100)
  }
}
