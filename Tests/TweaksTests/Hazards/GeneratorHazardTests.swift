import Foundation
import TestSupport
import Testing

@Suite("Hazards of generated accessors")
struct GeneratorHazardTests {
  private static func variable(_ name: String, property: String? = nil) -> String {
    let property = property.map { #", "GeneratedPropertyName": "\#($0)""# } ?? ""
    return #""\#(name)": {"Title": "t", "Group": "g", "Value": 1\#(property)}"#
  }

  @Test(.patient)
  func `two tweaks with one property name are an error that names both, and nothing is generated`()
    async throws
  {
    let generator = try Generator()
    let hint = #"; give one of them a different "GeneratedPropertyName""#
    try generator.write(
      "{\"f\": {\(Self.variable("v"))},\n \"g\": {\(Self.variable("v"))}}", to: "a.json")
    let features = try await generator.run("-l", "a.json", "-o", ".")
    #expect(features.status == 1)
    #expect(
      features.errors == [
        #"a.json:2:8: error: the property v of "g/v" conflicts with the property v of "f/v" in a.json, line 1"#
          + hint
      ])
    #expect(!generator.exists("GeneratedTweakAccessor.swift"))
    let derived = try await generator.accessor(of: "\(Self.variable("x_y")),\n\(Self.variable("xY"))")
    #expect(
      derived.errors == [
        #"a.json:3:1: error: the property xY of "f/xY" conflicts with the property xY of "f/x_y" in a.json, line 2"#
          + hint
      ])
    let stored = try await generator.accessor(of: "\(Self.variable("x")),\n\(Self.variable("y", property: "_x"))")
    #expect(
      stored.errors == [
        #"a.json:3:72: error: the property _x of "f/y" conflicts with the property x of "f/x" in a.json, line 2"#
          + hint
      ])
    let explicit = try await generator.accessor(
      of: "\(Self.variable("a", property: "same")),\n\(Self.variable("b", property: "same"))")
    #expect(
      explicit.errors == [
        #"a.json:3:72: error: the property same of "f/b" conflicts with the property same of "f/a" in a.json, line 2"#
          + hint
      ])
    for reserved in ["tweakManager", "Features", "Variables", "Keys"] {
      let outcome = try await generator.accessor(of: Self.variable("v", property: reserved))
      #expect(outcome.errors.count == 1)
    }
  }

  @Test(.patient)
  func `two names with one constant are an error with file and line`() async throws {
    let generator = try Generator()
    func clash(_ names: [String], _ message: String) async throws {
      let features = names.enumerated().map { "\"\($1)\": {\(Self.variable("v\($0)"))}" }.joined(separator: ",\n")
      try generator.write("{\(features)}", to: "a.json")
      let outcome = try await generator.run("-l", "a.json", "-o", ".")
      #expect(outcome.status == 1)
      #expect(outcome.errors == [message])
      let variables = names.enumerated().map { Self.variable($1, property: "v\($0)") }.joined(separator: ",\n")
      try generator.write("{\"f\": {\(variables)}}", to: "a.json")
      #expect(try await generator.run("-l", "a.json", "-o", ".").status == 1)
      #expect(!generator.exists("GeneratedTweakAccessor.swift"))
    }
    try await clash(
      ["Type", "type", "_Type"],
      #"a.json:3:11: error: the constant _Type of "_Type" conflicts with the constant _Type of "Type" in a.json, "#
        + #"line 1; rename one of them"#)
    try await clash(
      ["_Protocol", "Protocol"],
      #"a.json:2:14: error: the constant _Protocol of "Protocol" conflicts with the constant _Protocol of "#
        + #""_Protocol" in a.json, line 1; rename one of them"#)
  }

  /// Names that are near to each other, in every way in which names become Swift names.
  private static let near = [
    "Type", "type", "_type", "TYPE", "t_ype", "Protocol", "protocol", "x_y", "xY", "x-y", "x y", "X_y", "XY", "2fa",
    "_2fa", "2Fa", "1", "_1", "__1", "é", "É", "e", "e_\u{301}", "ﬁ", "fi", "ß", "ss", "SS", "İ", "i", "I", "ı",
    "self", "Self", "_self", "init", "Init", "default", "de_fault", "a.b", "aB", "a\u{200D}b", "K", "k", "日本", "_日本",
    "a🎉b", "🎉", "🎉🎉", "-", "--", "$x", "x", "Keys", "Features", "_", "__",
  ]

  @Test(.patient, .seeded)
  func `names that are near to each other are an error, or have different constants that compile`() async throws {
    var chance = Chance()
    for round in 0..<Scale.count(4, torture: 60) {
      let generator = try Generator()
      var names = round == 0 ? Self.near : Self.near.filter { _ in chance.once(in: 2) }.shuffled(using: &chance)
      var outcome = try await write(names, to: generator)
      // Each error names a line, whose name is left out.
      while outcome.status != 0, !names.isEmpty {
        let lines = outcome.errors.compactMap { $0.split(separator: ":").dropFirst().first.flatMap { Int($0) } }
        #expect(lines.count == outcome.errors.count, "\(outcome.errors)")
        for line in Set(lines).sorted(by: >) { names.remove(at: (line - 1) % names.count) }
        outcome = try await write(names, to: generator)
      }
      let compiled = try await generator.compile(
        "GeneratedTweakAccessor.swift", "GeneratedTweakAccessor+Constants.swift")
      #expect(compiled.errors == [], "\(names)")
    }
  }

  /// Writes a file in which each name is that of a variable, and that of a feature.
  private func write(_ names: [String], to generator: Generator) async throws -> Generator.Outcome {
    let variables = names.enumerated().map { Self.variable($1, property: "p\($0)") }
    let features = names.enumerated().map { "\"\($1)\": {\(Self.variable("only", property: "q\($0)"))}" }
    let text = "{\"f0\": {" + variables.joined(separator: ",\n") + "},\n" + features.joined(separator: ",\n") + "}"
    try generator.write(text, to: "a.json")
    return try await generator.run("-l", "a.json", "-o", ".")
  }

  @Test(.patient)
  func `tweaks with custom property names lose neither property nor constant`() async throws {
    let generator = try Generator()
    let outcome = try await generator.accessor(
      of: [
        Self.variable("x_y"), Self.variable("xY", property: "other"), Self.variable("x-y", property: "third"),
        Self.variable("y.z"),
      ].joined(separator: ",\n"))
    #expect(outcome.errors == [])
    let constants = try generator.text("GeneratedTweakAccessor+Constants.swift")
    #expect(
      JustTweakExample.constants(in: constants)
        == [#"f = "f""#, #"`x-y` = "x-y""#, #"xY = "xY""#, #"x_y = "x_y""#, #"yZ = "y.z""#])
    let accessor = try generator.text("GeneratedTweakAccessor.swift")
    #expect(JustTweakExample.properties(in: accessor) == ["other: Int", "third: Int", "xY: Int", "yZ: Int"])
    try generator.write(
      """
      func read(_ accessor: GeneratedTweakAccessor) -> [String] {
        [GeneratedTweakAccessor.Variables.`x-y`, "\\(accessor.other + accessor.third + accessor.xY + accessor.yZ)"]
      }
      """, to: "User.swift")
    let compiled = try await generator.compile(
      "User.swift", "GeneratedTweakAccessor.swift", "GeneratedTweakAccessor+Constants.swift")
    #expect(compiled.errors == [])
  }

  @Test(.patient)
  func `keywords, digits and symbols become valid names, and texts are escaped`()
    async throws
  {
    let keywords = [
      "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
      "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for",
      "func", "guard", "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "operator",
      "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
      "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while", "actor",
      "async", "each", "get", "set", "some", "any", "open", "package", "Int", "String", "Bool", "hash",
    ]
    let texts = [#"\(1)"#, #"""#, "a\u{202E}b\u{0}", "line\nline", "*/ é 🎉"]
    let names = keywords.map { ($0, $0 as String?) } + [("2fa", nil), ("a-b", nil), ("über_größe", nil), ("Äb", nil)]
    var variables = names.map { Self.variable($0.0, property: $0.1) }
    for (index, text) in texts.enumerated() {
      let json = String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
      variables.append(
        #""text_\#(index)": {"Title": \#(json), "Description": \#(json), "Group": "g", "Value": \#(json)}"#)
    }
    let generator = try Generator()
    let outcome = try await generator.accessor(of: variables.joined(separator: ",\n"))
    #expect(outcome.errors == [])
    let accessor = try generator.text("GeneratedTweakAccessor.swift")
    for name in ["`default`: Int", "_2fa: Int", "aB: Int", "überGröße: Int", "äb: Int"] {
      #expect(JustTweakExample.properties(in: accessor).contains(name))
    }
    #expect(accessor.contains(#"default: "a\u{202e}b\u{0}""#))
    #expect(accessor.contains(#"default: "\\(1)""#))
    try generator.write(
      "func read(_ accessor: GeneratedTweakAccessor) -> Int { accessor.default + accessor.`self` + accessor._2fa }",
      to: "User.swift")
    let compiled = try await generator.compile(
      "User.swift", "GeneratedTweakAccessor.swift", "GeneratedTweakAccessor+Constants.swift")
    #expect(compiled.errors == [])
  }

  /// The names that generated code uses, and some that it might use.
  private static let names = [
    "TweakProperty", "TweakKey", "TweakManager", "Tweaks", "Sendable", "Swift", "Bool", "Int", "Double", "String",
    "Optional", "Type", "Protocol", "Self", "self", "init", "wrappedValue", "projectedValue", "type", "protocol",
    "defaultValue", "key", "feature", "variable", "manager", "with", "GeneratedTweakAccessor", "description", "Any",
  ]

  @Test(.patient)
  func `properties and constants may have any name that generated code uses`() async throws {
    let generator = try Generator()
    let outcome = try await generator.accessor(
      of: Self.names.map { Self.variable($0, property: $0) }.joined(separator: ",\n"))
    #expect(outcome.errors == [])
    #expect(
      JustTweakExample.properties(in: try generator.text("GeneratedTweakAccessor.swift")).count == Self.names.count)
    let compiled = try await generator.compile("GeneratedTweakAccessor.swift", "GeneratedTweakAccessor+Constants.swift")
    #expect(compiled.errors == [])
  }

  @Test(.patient)
  func `an accessor may have any name except those of the types it uses`() async throws {
    let generator = try Generator()
    try generator.write(
      #"{"f": {"b": {"Title": "t", "Group": "g", "Value": true}, "d": {"Title": "t", "Group": "g", "Value": 1.5}}}"#,
      to: "a.json")
    let used = ["Bool", "Double", "Int", "Sendable", "String", "TweakKey", "TweakManager", "TweakProperty"]
    for name in used {
      try generator.write(#"{"accessorName": "\#(name)"}"#, to: "config.json")
      let outcome = try await generator.run("-l", "a.json", "-o", ".", "-c", ".")
      #expect(
        outcome.errors == [
          "./config.json:1:18: error: the accessor cannot be named \(name), because its code uses a type of that name"
        ])
    }
    for name in ["Tweaks", "Features", "Keys", "Swift"] {
      try generator.write(#"{"accessorName": "\#(name)"}"#, to: "config.json")
      #expect(try await generator.run("-l", "a.json", "-o", ".", "-c", ".").errors == [])
      let compiled = try await generator.compile("\(name).swift", "\(name)+Constants.swift")
      #expect(compiled.errors == [])
    }
  }

  @Test(.patient)
  func `whole numbers of every size are Ints`() async throws {
    let generator = try Generator()
    let numbers = [0, 1, -1, 127, 128, 255, 65_536, 4_294_967_296, Int.max, Int.min]
    let outcome = try await generator.accessor(
      of: numbers.enumerated().map { index, number in
        #""n\#(index)": {"Title": "t", "Group": "g", "Value": \#(number)}"#
      }.joined(separator: ",\n"))
    #expect(outcome.errors == [])
    let accessor = try generator.text("GeneratedTweakAccessor.swift")
    for (index, number) in numbers.enumerated() {
      #expect(accessor.contains("var n\(index): Int\n"))
      #expect(accessor.contains("default: \(number)\n"))
    }
  }
}
