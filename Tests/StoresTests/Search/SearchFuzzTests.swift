import Foundation
import TestSupport
import Testing

@testable import Stores

@Suite("Search texts typed by people", .seeded, .patient)
struct SearchFuzzTests {
  let database: Database

  init() throws {
    database = try Database(.memory, schema: .searched)
    try database.write { transaction throws in
      try transaction.put(Letter(title: "the near and or not", body: "o'clock \"quoted\" a-b c:d {x} (y) ^z *"))
      try transaction.put(Page(id: "1", title: "the near and or not", body: "title body NULL"))
    }
  }

  /// Texts that are operators, or invalid, in the language of FTS5.
  private static let hostile = [
    "", " ", "\0", "\"", "\"\"", "\"\"\"", "'", "''; DROP TABLE letter; --", "*", "a*", "*a", "^", "^a", "-", "-a",
    "a -b", "+",
    "a + b", "AND", "OR", "NOT", "a AND", "OR b", "a NOT b", "NEAR", "NEAR(", "NEAR(a b, 2)", "title:", "title:a",
    "{title body}:a",
    "-title:a", "(", ")", "()", "(a", "a)", "a(b)", "{", "}", "[", "]", ":", ";", ",", ".", "\\", "/", "?", "?1", "@a",
    "#", "$", "%",
    "a\0b", "\0\u{301}", "a\u{0}\u{301}\"", "\"\u{301}", "a\"\u{301} OR b", "\u{FEFF}", "\u{202E}a", "e\u{301}", "👩‍👩‍👧‍👦",
    "日本語", "ﬁ", "İ", "\u{1F}",
    "\u{2}a\u{3}", "\r\n",
    "\"a\" OR \"b\"", "a\" OR title:\"b", "signals_search", "rank", "rowid", String(repeating: "\"", count: 999),
    String(repeating: "a ", count: 5000), String(repeating: "(", count: 5000), String(repeating: "x", count: 100_000),
  ]

  /// Runs all kinds of searches, which must neither fail nor change anything.
  private func search(_ text: String) throws {
    try database.read { transaction throws in
      for mode in SearchMode.allCases {
        let found = try transaction.all(Letter.matching(text, mode))
        #expect(found.count <= 1, "\(text.debugDescription) \(mode)")
        #expect(try transaction.matches(Page.matching(text, mode).limit(3)).count <= 1)
        #expect(try transaction.count(Letter.matching(text, mode)) == found.count)
      }
    }
  }

  @Test func `operators and invalid texts are words`() throws {
    for text in Self.hostile { try search(text) }
    #expect(try database.read { try $0.all(Letter.matching("AND NOT", .phrase)) }.isEmpty)
    #expect(try database.read { try $0.all(Letter.matching("or NOT NEAR")) }.count == 1)
    #expect(try database.read { try $0.all(Letter.matching("title:near")) }.isEmpty)
    #expect(try database.read { try $0.all(Letter.matching("a-b - *")) }.count == 1, "punctuation alone is ignored")
    #expect(try database.write { try $0.count(Letter.self) } == 1)
  }

  @Test func `random texts never fail`() throws {
    var chance = Chance()
    let pieces = Self.hostile.filter { $0.utf8.count < 20 } + ["the", "near", "z", " ", " ", " "]
    for _ in 0..<Scale.count(2000, torture: 100_000) {
      var text = ""
      for _ in 0..<chance.number(below: 8) {
        if chance.once(in: 3) {
          text.unicodeScalars.append(Unicode.Scalar(UInt32(chance.number(below: 0xD800))) ?? " ")
        } else {
          text += pieces[chance.number(below: pieces.count)]
        }
      }
      try search(text)
    }
  }
}
