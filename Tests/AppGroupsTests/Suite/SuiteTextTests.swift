import FileSignals
import Foundation
import StrictJSON
import TestSupport
import Testing

@testable import AppGroups

@Suite("The text of a suite")
struct SuiteTextTests {
  /// Names that are escaped, that share a beginning, or that Swift takes for the same.
  private static let names =
    [
      "", "a", "aa", "ab", "b", "\"", "\\", "\n\r\t\u{8}\u{0}\u{1F}", "a\"b", "é", "e\u{301}", "🧵", "f", "\u{7F}",
      "a\u{0}",
    ]
    + (0..<20).map { "key \($0)" }

  private func text(_ values: [ExactString: String]) -> SuiteText {
    SuiteText().changing(
      Dictionary(uniqueKeysWithValues: values.map { ($0, SuiteEntry($0, text: Data($1.utf8))) }))
  }

  /// The layout of a suite, written without the code that is tested.
  private func layout(_ values: [ExactString: String]) -> String {
    if values.isEmpty { return "{}\n" }
    let lines = values.sorted { $0.key.text.unicodeScalars.lexicographicallyPrecedes($1.key.text.unicodeScalars) }
      .map { "  \(String(decoding: JSONText.quoted($0.text), as: UTF8.self)) : \($1)" }
    return "{\n\(lines.joined(separator: ",\n"))\n}\n"
  }

  private func values(_ text: SuiteText) -> [ExactString: String] {
    Dictionary(
      uniqueKeysWithValues: text.names.map { ($0, text[$0].map { String(decoding: $0.text, as: UTF8.self) } ?? "?") })
  }

  @Test
  func `unchanged members are not read, and others are not mistaken for them`() throws {
    let last = text([ExactString("a"): "1", ExactString("b"): "2", ExactString("c"): "3", ExactString("d"): "4"])
    let read = { (text: String) in
      values(try SuiteText.read(Data(text.utf8), after: last)).map { "\($0.key.text)=\($0.value)" }.sorted()
    }
    #expect(try read("{\n  \"a\" : 1,\n  \"b\" : 2,\n  \"c\" : 3\n}\n") == ["a=1", "b=2", "c=3"])
    #expect(try read("{\n  \"a\" : 1,\n  \"b\" : 20,\n  \"c\" : 3\n}\n") == ["a=1", "b=20", "c=3"])
    #expect(try read("{\n  \"a\" : 1,\n  \"c\" : 3\n}\n") == ["a=1", "c=3"])
    #expect(try read("{\n  \"a\" : 1,\n  \"aa\" : 1,\n  \"b\" : 2\n}\n") == ["a=1", "aa=1", "b=2"])
    #expect(try read("{\n  \"a\" : 1\n, \"d\" : 4}") == ["a=1", "d=4"])
    #expect(try read("{\n  \"a\" : 1,\n  \"a\" : 2\n}\n") == ["a=2"])
    #expect(try read("{\n  \"b\" : 2,\n  \"a\" : 1\n}\n") == ["a=1", "b=2"])
    #expect(try read("{\n  \"b\" : 2,\n  \"a\" : 5\n}\n") == ["a=5", "b=2"])
    for wrong in [
      "{\n  \"a\" : 1", "{\n  \"a\" : 1\n\"b\" : 2}", "{\n  \"a\" : 1,\n}\n", "{\n  \"a\" : 1\n}\n}", "[]", "",
    ] {
      #expect(throws: TextProblem.self) { try read(wrong) }
    }
  }

  /// A value that only the encoder can write, as text in its place would be.
  private struct Same<Item: Encodable>: Encodable {
    let item: Item

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(item)
    }
  }

  @Test
  func `values of usual types are written as the encoder writes them`() throws {
    func check<Item: Encodable>(_ item: Item) throws {
      let name = ExactString("key")
      #expect(try SuiteEntry.encoding(item, for: name) == SuiteEntry.encoding(Same(item: item), for: name), "\(item)")
    }
    for number in [0, 1, -1, 42, .min, .max] { try check(number) }
    for boolean in [true, false, nil] { try check(boolean) }
    for name in Self.names + ["/", "</script>", "\u{2028}", "\u{FFFF}", String(repeating: "ä", count: 100)] {
      try check(name)
    }
    for scalar in 0..<0x180 { try check("a" + (Unicode.Scalar(scalar).map { String($0) } ?? "")) }
    try check(Int?.none)
    try check(Int??.some(.some(1)))
    try check(1.0)
  }

  /// A value that only the decoder can read, as text in its place would be.
  private struct Read<Item: Decodable & Sendable>: Decodable {
    let item: Item

    init(from decoder: any Decoder) throws {
      item = try decoder.singleValueContainer().decode(Item.self)
    }
  }

  @Test
  func `values of usual types are read as the decoder reads them`() throws {
    func check<Item: Decodable & Equatable & Sendable>(_ text: String, as type: Item.Type) throws {
      let expected = try? JSONDecoder().decode(Read<Item>.self, from: Data(text.utf8)).item
      switch SuiteEntry(ExactString("key"), text: Data(text.utf8)).content(as: type) {
      case .item(let decoded): #expect(decoded.item == expected, "\(text)")
      case .unreadable: #expect(expected == nil, "\(text)")
      }
    }
    var texts = ["0", "-0", "7", "-42", "1.0", "1e3", "2.5", "-1e-3", "true", "false", "null", "[]", "{}", "[1]"]
    texts += ["999999999999999999", "-999999999999999999", "9223372036854775807", "-9223372036854775808"]
    texts += ["9223372036854775808", "1000000000000000000000", #""""#, #""a""#, #""ä🧵e\u0301""#, #""a\"b\\\n\/""#]
    texts += [#""true""#, #""1""#, #""\u00e9\ud83e\uddf5""#, #""tail\\""#, "\"\u{7F}\u{2028}\""]
    for text in texts {
      try check(text, as: Int.self)
      try check(text, as: Bool.self)
      try check(text, as: String.self)
      try check(text, as: Int?.self)
      try check(text, as: String?.self)
    }
    for name in Self.names { try check(String(decoding: JSONText.quoted(name), as: UTF8.self), as: String.self) }
  }

  @Test
  func `a file in the layout of a suite is used as it is`() throws {
    let data = Data("{\n  \"a\" : 1,\n  \"b\" : [\n    2\n  ]\n}\n".utf8)
    let text = try SuiteText.read(data, after: SuiteText())
    #expect(text.data == data && text.names.map(\.text) == ["a", "b"])
    let address = { (data: Data) in data.withUnsafeBytes { $0.baseAddress } }
    #expect(address(text.data) == address(data), "without a copy")
    let part = try SuiteText.read((Data("x".utf8) + data).dropFirst(), after: SuiteText())
    #expect(part.data == data && part[ExactString("a")]?.text == Data("1".utf8))
  }

  @Test
  func `a value that was read stays the same object while its text is the same`() throws {
    let (a, b) = (ExactString("a"), ExactString("b"))
    let first = text([a: "1", b: "2"])
    let entry = try #require(first[a])
    let second = try SuiteText.read(Data("{\"0\": 0, \"b\": 3, \"a\": 1}".utf8), after: first)
    #expect(second[a] === entry)
    #expect(second[b].map { String(decoding: $0.text, as: UTF8.self) } == "3")
    #expect(first[b].map { String(decoding: $0.text, as: UTF8.self) } == "2", "an earlier text keeps its values")
    #expect(second[ExactString("c")] == nil)
  }

  /// Writes an object in some other layout, with members in any order, and some of them twice.
  private func foreign(_ values: [ExactString: String], _ chance: inout Chance) -> String {
    var members = values.map { ($0.key.text, $0.value) }.shuffled(using: &chance)
    if let member = members.first, chance.once(in: 3) { members.insert((member.0, "0"), at: 0) }
    let space = ["", " ", "\n  "].randomElement(using: &chance) ?? ""
    return "{"
      + members.map { "\(space)\(String(decoding: JSONText.quoted($0), as: UTF8.self)):\(space)\($1)" }
      .joined(separator: ",") + "}"
  }

  @Test(.patient)
  func `changes, other layouts and comparisons agree with a dictionary`() async {
    await runRandomPrograms(seconds: 1, repetitions: 1) { seed in
      var chance = Chance(seed: seed)
      var (model, text) = ([ExactString: String](), SuiteText())
      for step in 0..<30 {
        var changes: [ExactString: SuiteEntry?] = [:]
        let before = model
        for _ in 0..<chance.number(below: 6) {
          let name = ExactString(Self.names.randomElement(using: &chance) ?? "")
          let value = chance.once(in: 3) ? nil : ["1", "true", "\"é\"", "[\n    1\n  ]"].randomElement(using: &chance)
          model[name] = value
          changes.updateValue(value.map { SuiteEntry(name, text: Data($0.utf8)) }, forKey: name)
        }
        let old = text
        switch chance.number(below: 3) {
        case 0: text = old.changing(changes)
        case 1: text = (try? SuiteText.read(Data(layout(model).utf8), after: old)) ?? old
        default: text = (try? SuiteText.read(Data(foreign(model, &chance).utf8), after: old)) ?? old
        }
        let changed = Set(before.keys).union(model.keys).filter { before[$0] != model[$0] }
        let isRight =
          text.data == Data(layout(model).utf8) && values(text) == model && text.difference(from: old) == changed
          && old.difference(from: text) == changed
          && Self.names.allSatisfy { name in
            let name = ExactString(name)
            return text[name].map { String(decoding: $0.text, as: UTF8.self) } == model[name]
              && old[name].map { String(decoding: $0.text, as: UTF8.self) } == before[name]
          }
        #expect(isRight, "SIGNALS_SEED=\(seed), step \(step): \(model)")
        if !isRight { return false }
      }
      return true
    }
  }
}
