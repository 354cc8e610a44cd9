import StrictJSON
import TestSupport
import Testing

@Suite("Reading JSON strictly")
struct ReadingTests {
  @Test(arguments: [
    ("null", "null"), (" true\r\n", "true"), ("\tfalse", "false"), ("0", "0"), ("-0", "0"), ("-12", "-12"),
    ("1.0", "1.0"), ("1e2", "100.0"), ("-1.5E-1", "-0.15"), ("9223372036854775807", "9223372036854775807"),
    (#""a\"\\\/\b\f\n\r\t\u0041é""#, #""a\"\\/\u0008\u000c\n\r\tAé""#), (#""\ud83e\uddf5""#, #""🧵""#),
    ("[]", "[]"), ("{ }", "{}"), ("[1,[2, {\"a\":[3]} ] ]", "[1,[2,{\"a\":[3]}]]"),
    (#"{"b": 1, "a": {"b": 2}, "é": [{}]}"#, #"{"b":1,"a":{"b":2},"é":[{}]}"#), ("\u{FEFF} [1]", "[1]"),
  ])
  func `a text is parsed into its value`(text: String, value: String) throws {
    #expect(try node(text).description == value)
  }

  static let faults: [(String, line: Int, column: Int, String)] = [
    ("", 1, 1, "expected a value, but the text ends"), ("\n  ", 2, 3, "expected a value, but the text ends"),
    ("tru", 1, 1, "expected a value"), ("NaN", 1, 1, "expected a value"), ("'a'", 1, 1, "expected a value"),
    ("[1 2]", 1, 4, #"expected a comma or "]""#), ("[1", 1, 3, #"expected a comma or "]""#),
    ("[1,]", 1, 4, "a trailing comma is not allowed"), (#"{"a":1,}"#, 1, 8, "a trailing comma is not allowed"),
    ("[,1]", 1, 2, "expected a value"), ("{,}", 1, 2, "expected a name in quotation marks"),
    ("{a:1}", 1, 2, "expected a name in quotation marks"), (#"{"a" 1}"#, 1, 6, "expected a colon"),
    ("1 2", 1, 3, "unexpected text after the value"), ("[]]", 1, 3, "unexpected text after the value"),
    ("01", 1, 1, "a number has a leading zero"), ("-", 1, 2, "expected a digit in a number"),
    ("1.", 1, 3, "expected a digit in a number"),
    ("1e+", 1, 4, "expected a digit in a number"), ("+1", 1, 1, "expected a value"), (".5", 1, 1, "expected a value"),
    ("[9223372036854775808]", 1, 2, "9223372036854775808 does not fit in an Int"),
    ("[-1e999]", 1, 2, "-1e999 does not fit in a Double"),
    (#"["a]"#, 1, 2, "a string has no closing quotation mark"),
    ("[\"a\n\"]", 1, 4, "a string contains a control character"),
    (#"["\x"]"#, 1, 3, "a string contains an unknown escape"),
    (#"["\u00g0"]"#, 1, 7, "expected a hexadecimal digit in an escape"),
    (#"["\u+123"]"#, 1, 5, "expected a hexadecimal digit in an escape"),
    (#"["\ud800"]"#, 1, 3, "a string contains an unpaired surrogate"),
    (#"["\ud800\u0041"]"#, 1, 3, "a string contains an unpaired surrogate"),
    (#"["\udc00"]"#, 1, 3, "a string contains an unpaired surrogate"),
    ("{\"é\":1,\n \"e\u{301}\":2}", 2, 2, "duplicate name \"e\u{301}\"; the first one is on line 1"),
    (#"{"a":{"b":1,"b":2}}"#, 1, 13, #"duplicate name "b"; the first one is on line 1"#),
  ]

  @Test(arguments: faults)
  func `invalid JSON is rejected, with line and column`(
    text: String, line: Int, column: Int, reason: String
  ) throws {
    for (mark, text) in [("", text), ("\u{FEFF}", "\u{FEFF}" + text)] {
      let problem = try #require(throws: TextProblem.self) { try node(text) }
      #expect(problem.reason == reason)
      #expect(
        (problem.position.line, problem.position.column) == (line, column), "with the mark \(mark.debugDescription)")
      #expect(problem.description == "\(reason) on line \(line), column \(column)")
    }
  }

  @Test
  func `invalid UTF-8 is rejected, and columns count characters`() throws {
    for invalid: [UInt8] in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
      let problem = try #require(throws: TextProblem.self) {
        try JSONReader.read(Array("{\n\"é🧵".utf8) + invalid + Array("\":1}".utf8))
      }
      #expect(problem.reason == "the text is not valid UTF-8")
      #expect((problem.position.line, problem.position.column) == (2, 4))
    }
    let problem = try #require(throws: TextProblem.self) { try node("[\"é🧵\", x]") }
    #expect(problem.position.column == 8)
  }

  @Test
  func `a single comma before a closing bracket is accepted where allowed`() throws {
    let text = #"{"a":[1,2, ],"b":{"c":3 , },}"#
    #expect(try node(text, trailingCommas: .accepted).description == #"{"a":[1,2],"b":{"c":3}}"#)
    #expect(throws: TextProblem.self) { try node(text) }
    for wrong in ["[,]", "{,}", "[1,,]", #"{"a":1,,}"#, "1,", "[1],"] {
      #expect(throws: TextProblem.self) { try node(wrong, trailingCommas: .accepted) }
    }
  }

  @Test
  func `values may nest exactly as deep as in Foundation, without a deeper stack`() async throws {
    let deep = { (depth: Int) in String(repeating: "[{\"a\":", count: depth / 2) + "0" }
    let closed = { (depth: Int) in deep(depth) + String(repeating: "}]", count: depth / 2) }
    let limit = JSONReader.maximumDepth
    #expect(limit == 512)
    #expect(throws: Never.self) { try node(closed(limit)) }
    for text in [closed(limit + 2), deep(1_000_000)] {
      let problem = try #require(throws: TextProblem.self) { try node(text) }
      #expect(problem.reason == "values are nested more than 512 levels deep")
    }
  }

  @Test(arguments: ["", "\"", "\\", "\n\r\t\u{8}\u{C}\u{0}\u{1F}\u{7F}", "é🧵/", "\u{2028}"])
  func `a written string is read back unchanged`(string: String) throws {
    guard case .string(string) = try JSONReader.read(JSONText.quoted(string)).content else {
      return #expect(Bool(false), "the string differs")
    }
  }

  @Test
  func `the position of a node is its first byte`() throws {
    guard case .object(let members) = try node(#" {"a" : [true, {}]}"#).content else {
      return #expect(Bool(false), "an object was expected")
    }
    #expect(members.map(\.offset) == [2])
    guard case .array(let elements) = members[0].value.content else {
      return #expect(Bool(false), "an array was expected")
    }
    #expect(([members[0].value] + elements).map(\.offset) == [8, 9, 15])
    #expect(elements.map(\.kind) == ["a Bool", "an object"])
  }

  @Test
  func `positions are found in any order, at line ends and after the text`() {
    let text = Array("\u{FEFF}a\né\r\n\nb".utf8)
    let lines = TextLines(text)
    let expected = [
      (0, 1, 1), (3, 1, 1), (4, 1, 2), (5, 2, 1), (7, 2, 2), (8, 2, 3), (9, 3, 1), (10, 4, 1), (11, 4, 2),
    ]
    for (offset, line, column) in expected + expected.reversed() {
      let position = lines.position(of: offset)
      #expect((position.line, position.column) == (line, column), "offset \(offset)")
      #expect(TextPosition(of: offset, in: text) == position)
    }
    #expect(TextPosition(of: 4, in: text) < TextPosition(of: 5, in: text))
  }
}
