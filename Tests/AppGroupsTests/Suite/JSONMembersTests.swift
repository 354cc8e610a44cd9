import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import AppGroups

@Suite("Members of JSON objects")
struct JSONMembersTests {
  private func members(_ text: String) throws -> [String: String] {
    try JSONMembers.read(Data(text.utf8)).reduce(into: [:]) { $0[$1.name] = String(decoding: $1.text, as: UTF8.self) }
  }

  @Test
  func `values keep their text, in one canonical layout`() throws {
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
  func `a canonical layout is stable`() throws {
    let text = #"{"c":[1,{"d":[],"e":{"f":"g"}}],"a":true}"#
    for (_, text) in try JSONMembers.read(Data(text.utf8)) { #expect(try JSONReader.memberText(of: text) == text) }
  }

  @Test(arguments: ["", "\"", "\\", "\n\r\t\u{8}\u{C}\u{0}\u{1F}\u{7F}", "é🧵/", "\u{2028}"])
  func `a written name is read back unchanged`(name: String) throws {
    let text = Data("{".utf8) + JSONText.quoted(name) + Data(":0}".utf8)
    #expect(try JSONMembers.read(text).map(\.name) == [name])
    let object = try JSONSerialization.jsonObject(with: text) as? [String: Any]
    #expect(object?.keys.first == name)
  }

  @Test
  func `values may be nested deeply, up to a limit`() throws {
    let deep = { (depth: Int) in
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { try members("{\"a\":\(deep(511))}") }
    #expect(throws: TextProblem.self) { try members("{\"a\":\(deep(512))}") }
    #expect(throws: TextProblem.self) { try members("{\"a\":\(deep(1_000_000))}") }
  }

  @Test
  func `bytes that are not text are rejected with their position`() throws {
    let error = #expect(throws: TextProblem.self) { try JSONMembers.read(Data("{\n\"é".utf8) + [0xFF]) }
    #expect(error?.description.hasSuffix("on line 2, column 3") == true)
  }

  /// Generates JSON texts and texts that are almost JSON.
  private func text(_ chance: inout Chance, depth: Int) -> String {
    let atoms = [
      "0", "-1", "1.5", "1e5", "01", "-", "1.", ".5", "+1", "1e", "true", "false", "null", "nul", "\"\"", "\"a\"",
      "\"\\n\"", "\"\\x\"", "\"\\u12\"", "\"\\u0041\"", "\"\\ud83e\\uddf5\"", "\"é\"", "\"", "12345678901234567890",
      "-0.0",
    ]
    guard depth > 0, Int.random(in: 0..<3, using: &chance) > 0 else {
      // Mostly valid ones, or no larger text would ever be valid.
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

  @Test(.patient)
  func `members are accepted and rejected as by Foundation`() async {
    await runRandomPrograms(seconds: 0.5, repetitions: 1) { seed in
      var chance = Chance(seed: seed)
      let bytes = damaged(Data("{\"a\":\(text(&chance, depth: 4))}".utf8), &chance)
      let text = String(decoding: bytes, as: UTF8.self)
      let expected = object(bytes)
      guard let members = read(bytes) else {
        // Foundation accepts a comma before a closing bracket.
        let isRight = expected == nil || text.contains(/,\s*[}\]]/)
        #expect(isRight, "SIGNALS_SEED=\(seed): \(text)")
        return isRight
      }
      // Foundation rejects numbers that are too large for it, which pass through here.
      let again = JSONMembers.join(Dictionary(members.map { ($0.name, $0.text) }) { $1 })
      let isRight = expected == nil ? text.contains(/[eE][+-]?[0-9]{3}/) : object(again) == expected
      #expect(isRight, "SIGNALS_SEED=\(seed): \(text)")
      return isRight
    }
  }

  private func damaged(_ text: Data, _ chance: inout Chance) -> Data {
    var bytes = text
    guard chance.once(in: 4) else { return bytes }
    let index = chance.number(below: bytes.count)
    switch chance.number(below: 3) {
    case 0: bytes.remove(at: index)
    case 1: bytes[index] = UInt8(chance.number(below: 256))
    default: bytes.insert(bytes[index], at: index)
    }
    return bytes
  }

  private func object(_ bytes: Data) -> NSDictionary? {
    try? JSONSerialization.jsonObject(with: bytes) as? NSDictionary
  }

  private func read(_ bytes: Data) -> [(name: String, text: Data)]? { try? JSONMembers.read(bytes) }
}
