import Foundation
import TestSupport
import Testing

@Suite("Diagnostics of the accessor generator")
struct GeneratorDiagnosticTests {
  static let faults: [(String, String)] = [
    (#""v": {"Title": "t", "Group": "g", "Value": null}"#, #"2:44: error: unsupported value for "f/v": null"#),
    (#""v": {"Title": "t", "Group": "g", "Value": null}"#, #"2:44: error: unsupported value for "f/v": null"#),
    (#""v": {"Title": "t", "Group": "g"}"#, #"2:1: error: "f/v" has no "Value""#),
    (#""v": {"Group": "g", "Value": 1}"#, #"2:1: error: "f/v" has no "Title""#),
    (#""v": {"Title": "t", "Value": 1}"#, #"2:1: error: "f/v" has no "Group""#),
    (#""v": {"Title": "t", "Group": "g", "Value": 1,}"#, "2:46: error: a trailing comma is not allowed"),
    (#""v": {"Title": "t", "Group": "g", "Value": 1e400}"#, "2:44: error: 1e400 does not fit in a Double"),
    (
      #""v": {"Title": "t", "Group": "g", "Value": 99999999999999999999}"#,
      "2:44: error: 99999999999999999999 does not fit in an Int"
    ),
    (#""v": {"Title": "t", "Group": "g", "Value": NaN}"#, "2:44: error: expected a value"),
    (
      "\"é\": {\"Title\": \"ü\", \"Group\": \"g\", \"Value\": 1},\n\"é\": {}",
      #"3:1: error: duplicate name "é"; the first one is on line 2"#
    ),
    (#""": {"Title": "t", "Group": "g", "Value": 1}"#, "2:1: error: a variable has no name"),
    (#""v": {"Title": 1, "Group": "g", "Value": 1}"#, #"2:16: error: expected a String for "Title", found an Int"#),
    (#""--": {"Title": "t", "Group": "g", "Value": 1}"#, #"2:1: error: cannot derive a property name from "f/--""#),
  ]

  @Test(.patient, arguments: faults)
  func `errors in a file are reported with line and column, and no accessor is written`(fault: (String, String))
    async throws
  {
    let generator = try Generator()
    let outcome = try await generator.accessor(of: fault.0)
    #expect(outcome.status == 1)
    #expect(try #require(outcome.errors.first).hasPrefix("a.json:" + fault.1))
    #expect(!generator.exists("GeneratedTweakAccessor.swift"))
  }

  @Test(.patient)
  func `all errors are reported at once, and unknown properties are warnings`() async throws {
    let generator = try Generator()
    let outcome = try await generator.accessor(
      of: """
        "a": {"Title": "t", "Group": "g", "Value": null},
        "b": {"Titel": "t", "Group": "g", "Value": 1}
        """)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == [
        #"a.json:2:44: error: unsupported value for "f/a": null; expected a Bool, Int, Double, String, object or list"#,
        #"a.json:3:7: warning: unknown property "Titel" of "f/b""#,
        #"a.json:3:1: error: "f/b" has no "Title""#,
      ])
    let odd = try await generator.accessor(of: #""a": {"Title": "t", "Group": "g", "Value": 1, "Colour": "red"}"#)
    #expect(odd.status == 0)
    #expect(odd.errors == [#"a.json:2:47: warning: unknown property "Colour" of "f/a""#])
    #expect(generator.exists("GeneratedTweakAccessor.swift"))
  }

  @Test(.patient)
  func `a byte-order mark does not count as a column`() async throws {
    let generator = try Generator()
    let text = #"{"f": {"v": {"Title": 1, "Group": "g", "Value": 1}}}"#
    try generator.write(text, to: "plain.json")
    try generator.write("\u{FEFF}" + text, to: "marked.json")
    let place = #":1:23: error: expected a String for "Title", found an Int"#
    for name in ["plain.json", "marked.json"] {
      #expect(try await generator.run("-l", name, "-o", ".").errors.first == name + place)
    }
    try generator.write("\u{FEFF}" + #"{"f": {"v": {"Group": "g", "Value": 1}}}"#, to: "untitled.json")
    #expect(
      try await generator.run("-l", "untitled.json", "-o", ".").errors
        == [#"untitled.json:1:8: error: "f/v" has no "Title""#])
    try generator.write("\u{FEFF}{\n  \"f\": [] }", to: "second.json")
    #expect(
      try await generator.run("-l", "second.json", "-o", ".").errors
        == [#"second.json:2:8: error: expected an object of variables for "f", found an array"#])
    try generator.write("\u{FEFF}[", to: "broken.json")
    #expect(
      try await generator.run("-l", "broken.json", "-o", ".").errors
        == ["broken.json:1:2: error: expected a value, but the text ends"])
  }

  @Test(.patient)
  func `unreadable and unwritable files and invalid arguments are errors`() async throws {
    let generator = try Generator()
    #expect(
      try await generator.run("-l", "missing.json", "-o", ".").errors
        == ["missing.json:1:1: error: cannot open the file: No such file or directory"])
    #expect(
      try await generator.run("-l", ".", "-o", ".").errors == [".:1:1: error: cannot read the file: Is a directory"])
    try generator.write("{}", to: "a.json")
    let blocked = try await generator.run("-l", "a.json", "-o", "a.json/folder")
    #expect(blocked.status == 1)
    #expect(try #require(blocked.errors.first).hasPrefix("a.json:1:1: error: cannot create the folder: "))
    try generator.write(#"{"accessorName": "class", "accessLevel": 1, "author": "me"}"#, to: "config.json")
    #expect(
      try await generator.run("-l", "a.json", "-o", ".", "-c", ".").errors == [
        #"./config.json:1:18: error: "class" is not a valid type name"#,
        #"./config.json:1:42: error: expected a String for "accessLevel", found an Int"#,
        #"./config.json:1:45: warning: unknown property "author""#,
      ])
    for arguments in [
      [], ["-l", "a.json"], ["-o", "."], ["-x", "a.json"], ["-l"], ["-l", "a.json", "-o", ".", "b"],
    ] {
      let outcome = try await generator.run(Generator.tool.path, arguments)
      #expect(outcome.status == 64)
      #expect(try #require(outcome.errors.first).hasPrefix("error: "))
    }
    let help = try await generator.run("--help")
    #expect(help.status == 0)
    #expect(help.output.contains("--local-tweaks-file-path"))
  }
}
