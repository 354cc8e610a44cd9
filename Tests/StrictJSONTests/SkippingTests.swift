import StrictJSON
import TestSupport
import Testing

@Suite("Skipping JSON and writing it in a canonical layout")
struct SkippingTests {
  private func layout(_ text: String, depth: Int = 0) throws(TextProblem) -> String {
    let layout = try Array(text.utf8).withUnsafeBufferPointer { bytes throws(TextProblem) in
      try JSONReader.read(bytes, depth: depth) { reader throws(TextProblem) in
        var layout: [UInt8] = []
        try reader.layOut(into: &layout)
        return layout
      }
    }
    return String(decoding: layout, as: UTF8.self)
  }

  private func problem(_ text: String, trailingCommas: JSONReader.TrailingCommas = .refused) -> TextProblem? {
    Array(text.utf8).withUnsafeBufferPointer { JSONReader.problem(in: $0, trailingCommas: trailingCommas) }
  }

  private func position(_ path: [Key], _ text: String) throws(TextProblem) -> String? {
    try Array(text.utf8).withUnsafeBufferPointer { bytes throws(TextProblem) in
      try JSONReader.position(of: path, in: bytes)
    }?.description
  }

  /// A key of a coding path.
  struct Key: CodingKey, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    let stringValue: String
    var intValue: Int?

    init(stringValue: String) { self.stringValue = stringValue }

    init(intValue: Int) {
      stringValue = "\(intValue)"
      self.intValue = intValue
    }

    init(stringLiteral value: String) { self.init(stringValue: value) }

    init(integerLiteral value: Int) { self.init(intValue: value) }
  }

  @Test
  func `equal values have equal layouts, and scalars keep every byte`() throws {
    let text = #" { "a" :1.50e+02,"b\u0041":"x \" \\ \/ \u00E9", "c":[ 1E400 , {"d":[ ],"e":{ }} ,null] } "#
    let expected = #"""
      {
        "a" : 1.50e+02,
        "b\u0041" : "x \" \\ \/ \u00E9",
        "c" : [
          1E400,
          {
            "d" : [],
            "e" : {}
          },
          null
        ]
      }
      """#
    #expect(try layout(text) == expected)
    #expect(try layout(expected) == expected)
    #expect(try layout("[1]", depth: 1) == "[\n    1\n  ]")
    for scalar in ["-0.0", "12345678901234567890123456789", "\"\\ud83e\\uddf5\"", "true"] {
      #expect(try layout(" \(scalar)\n") == scalar)
    }
  }

  @Test
  func `deep elements are written without whitespace`() throws {
    let deep = String(repeating: "[", count: 500) + "{\"a\" : 1, \"b\":2}" + String(repeating: "]", count: 500)
    let layout = try layout(deep)
    #expect(layout.utf8.count < deep.utf8.count + 200)
    #expect(layout.contains(#"[{"a":1,"b":2}]"#))
  }

  @Test
  func `the depth of the surrounding text counts`() throws {
    let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
    #expect(throws: Never.self) { try layout(deep) }
    let problem = try #require(throws: TextProblem.self) { try layout(deep, depth: 1) }
    #expect(problem.reason == "values are nested more than 512 levels deep")
    #expect(self.problem(deep) == nil)
    #expect(self.problem("[\(deep)]")?.reason == problem.reason)
  }

  @Test(arguments: ReadingTests.faults)
  func `skipped values are checked as strictly as parsed ones`(
    text: String, line: Int, column: Int, reason: String
  ) throws {
    // Duplicate names and numbers out of range are left to the reader of the value.
    let isAccepted = reason.contains("duplicate name") || reason.contains("does not fit")
    let problem = problem(text)
    #expect(problem?.description == (isAccepted ? nil : "\(reason) on line \(line), column \(column)"))
    if let problem {
      let thrown = try #require(throws: TextProblem.self) { try layout(text) }
      #expect(thrown == problem)
    }
  }

  @Test
  func `a comma before a closing bracket is an error only where it is not allowed`() {
    #expect(problem("[1,]")?.reason == "a trailing comma is not allowed")
    #expect(problem("[1,]", trailingCommas: .accepted) == nil)
  }

  @Test
  func `a coding path leads to the position of its value`() throws {
    let text = "{\n  \"é\": [true, {\"a\": 1}],\n  \"b\": {\"a\": 2},\n  \"b\": {\"\\u0061\": 3}\n}"
    let expected: [([Key], String?)] = [
      ([], "line 1, column 1"), (["é"], "line 2, column 8"), (["é", 1, "a"], "line 2, column 21"),
      (["b", "a"], "line 4, column 19"), (["c"], nil), (["é", 2], nil), (["é", "a"], nil), (["b", "a", "c"], nil),
    ]
    for (path, position) in expected { #expect(try self.position(path, text) == position, "\(path)") }
    #expect(throws: TextProblem.self) { try position(["é"], text + "x") }
  }

  @Test
  func `a deep path is followed up to the maximum nesting depth`() throws {
    let deep = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
    #expect(try position(Array(repeating: 0, count: 511), deep) == "line 1, column 512")
    #expect(try position(Array(repeating: 0, count: 512), deep) == nil)
  }
}
