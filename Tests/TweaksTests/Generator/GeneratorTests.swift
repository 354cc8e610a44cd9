import Foundation
import TestSupport
import Testing
import Tweaks

@Suite("The accessor generator")
struct GeneratorTests {
  @Test(.patient)
  func `JustTweak's example yields JustTweak's accessor, with observable values`() async throws {
    let generator = try Generator()
    try generator.write(JustTweakExample.json, to: "LocalTweaks_example.json")
    try generator.write(#"{"accessorName": "GeneratedTweakAccessor"}"#, to: "CodeGeneration/config.json")
    let outcome = try await generator.run(
      "-l", "LocalTweaks_example.json", "-o", "Code", "-c", "CodeGeneration")
    #expect(outcome.status == 0)
    #expect(outcome.errors == [])
    let accessor = try generator.text("Code/GeneratedTweakAccessor.swift")
    let constants = try generator.text("Code/GeneratedTweakAccessor+Constants.swift")
    #expect(JustTweakExample.properties(in: accessor) == JustTweakExample.properties)
    #expect(JustTweakExample.constants(in: constants) == JustTweakExample.constants)
    #expect(!accessor.contains("24 ton yletinifeD"))
    try generator.write(JustTweakExample.user, to: "User.swift")
    let compiled = try await generator.compile(
      "User.swift", "Code/GeneratedTweakAccessor.swift", "Code/GeneratedTweakAccessor+Constants.swift"
    )
    #expect(compiled.errors == [])
  }

  @Test(.patient)
  func `an object or a list becomes a property of JSON, which compiles`() async throws {
    let generator = try Generator()
    let tweak = #""v": {"Title": "t", "Group": "g", "Value": {"b": [1, "\"x"], "a": 2}}"#
    #expect(try await generator.accessor(of: tweak).status == 0)
    let accessor = try generator.text("GeneratedTweakAccessor.swift")
    #expect(accessor.contains("TweakKey<TweakJSON>"))
    let names = ["GeneratedTweakAccessor.swift", "GeneratedTweakAccessor+Constants.swift"]
    #expect(try await generator.compile(names[0], names[1]).errors == [])
  }

  @Test(.patient)
  func `a file is rewritten only if its content changes`() async throws {
    let generator = try Generator()
    let names = ["GeneratedTweakAccessor.swift", "GeneratedTweakAccessor+Constants.swift"]
    let old = Date(timeIntervalSinceReferenceDate: 0)
    func written() throws -> [Bool] {
      try names.map {
        let attributes = try FileManager.default.attributesOfItem(atPath: generator.directory.file($0).path)
        return attributes[.modificationDate] as? Date != old
      }
    }
    func age() throws {
      for name in names {
        try FileManager.default.setAttributes(
          [.modificationDate: old], ofItemAtPath: generator.directory.file(name).path)
      }
    }
    #expect(try await generator.accessor(of: #""v": {"Title": "t", "Group": "g", "Value": 1}"#).status == 0)
    try age()
    #expect(try await generator.accessor(of: #""v": {"Group": "g", "Title": "t", "Value": 1}"#).status == 0)
    #expect(try written() == [false, false])
    #expect(try await generator.accessor(of: #""v": {"Title": "t", "Group": "g", "Value": 2}"#).status == 0)
    #expect(try written() == [true, false])
    try age()
    let two = #""v": {"Title": "t", "Group": "g", "Value": 2}, "w": {"Title": "t", "Group": "g", "Value": 2}"#
    #expect(try await generator.accessor(of: two).status == 0)
    #expect(try written() == [true, true])
    let files = try FileManager.default.contentsOfDirectory(atPath: generator.directory.url.path)
    #expect(files.filter { !$0.hasPrefix(".") }.count == 3)
  }

  @Test(.patient)
  func `several files yield one accessor, and the first file takes precedence`() async throws {
    let generator = try Generator()
    try generator.write(
      #"{"shop": {"limit": {"Value": 20}, "title": {"Title": "Title", "Group": "Shop", "Value": "a"}}}"#,
      to: "top.json")
    try generator.write(
      #"{"shop": {"limit": {"Title": "Limit", "Group": "Shop", "Value": 10, "GeneratedPropertyName": "most"}}}"#,
      to: "base.json")
    let outcome = try await generator.run(
      "--local-tweaks-file-path=top.json", "--local-tweaks-file-path", "base.json", "--output-folder", "."
    )
    #expect(outcome.errors == [])
    let accessor = try generator.text("GeneratedTweakAccessor.swift")
    #expect(accessor.contains("/// Limit\n  @TweakProperty var most: Int\n"))
    #expect(accessor.contains("default: 20\n"))
    #expect(accessor.contains("var title: String"))
    try generator.write(#"{"shop": {"limit": {"Title": "t", "Group": "g", "Value": 1.5}}}"#, to: "other.json")
    let drifted = try await generator.run("-l", "top.json", "-l", "base.json", "-l", "other.json", "-o", ".")
    #expect(
      drifted.errors == [
        #"other.json:1:11: error: "shop/limit" has type Double here, but type Int in top.json, line 1"#
      ])
  }

  @Test(.patient)
  func `a public accessor has public members, and compiles`() async throws {
    let generator = try Generator()
    try generator.write(#"{"f": {"v": {"Title": "t", "Group": "g", "Value": true}}}"#, to: "a.json")
    try generator.write(#"{"accessorName": "Flags", "accessLevel": "public"}"#, to: "own.json")
    #expect(try await generator.run("-l", "a.json", "-o", ".", "-c", "own.json").errors == [])
    let accessor = try generator.text("Flags.swift")
    #expect(accessor.contains("public struct Flags"))
    #expect(accessor.contains("public var v: Bool"))
    #expect(try generator.text("Flags+Constants.swift").contains("public static let v = \"v\""))
    let compiled = try await generator.compile("Flags.swift", "Flags+Constants.swift")
    #expect(compiled.errors == [])
  }

  @Test(.patient)
  func `PreserveFloat makes a whole number a Double, and large numbers stay exact`() async throws {
    let generator = try Generator()
    let outcome = try await generator.accessor(
      of: """
        "wide": {"Title": "t", "Group": "g", "Value": 3, "PreserveFloat": true},
        "exact": {"Title": "t", "Group": "g", "Value": 9007199254740993},
        "huge": {"Title": "t", "Group": "g", "Value": -1e300}
        """)
    #expect(outcome.errors == [])
    let accessor = try generator.text("GeneratedTweakAccessor.swift")
    #expect(accessor.contains("default: 3.0\n"))
    #expect(accessor.contains("default: 9007199254740993\n"))
    #expect(accessor.contains("default: -1e+300\n"))
  }
}
