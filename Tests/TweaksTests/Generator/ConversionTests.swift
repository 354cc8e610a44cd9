import Signals
import Foundation
import TestSupport
import Testing
import Tweaks

@Suite("Converting files of other libraries")
struct ConversionTests {
  /// The sample file of Toggles' migrator.
  private static let toggles = """
    {
      "toggles" : [
        {
          "int" : 42,
          "metadata" : {
            "description" : "Definitive answer",
            "group" : "General",
            "propertyName" : "definitiveAnswer"
          },
          "variable" : "answer_to_the_universe"
        },
        {
          "bool" : true,
          "metadata" : {
            "description" : "Display Green View",
            "group" : "UI Customization"
          },
          "variable" : "display_green_view"
        },
        {
          "metadata" : {
            "description" : "Encrypted definitive answer",
            "group" : "General",
            "propertyName" : "definitiveAnswerEncrypted"
          },
          "secure" : "24 ton yletinifeD",
          "variable" : "encrypted_answer_to_the_universe"
        },
        {
          "metadata" : {
            "description" : "Label Text",
            "group" : "UI Customization"
          },
          "string" : "Test value",
          "variable" : "label_text"
        },
        {
          "metadata" : {
            "description" : "Red View Alpha Component",
            "group" : "UI Customization"
          },
          "number" : 0.80000000000000004,
          "variable" : "red_view_alpha_component"
        }
      ]
    }
    """

  @Test(.patient)
  func `a converted file of Toggles can be read, and an accessor generated from it`() async throws {
    let generator = try Generator()
    try generator.write(Self.toggles, to: "Toggles.json")
    let outcome = try await generator.run(
      "convert", "--from", "toggles", "--feature", "app", "Toggles.json", "App.tweaks.json")
    #expect(outcome.status == 0)
    #expect(outcome.errors == [])
    let provider = try FileTweakProvider(url: generator.directory.file("App.tweaks.json"), isLive: false)
    #expect(
      provider.tweaks.map { "\($0.variable) \($0.value.kind.rawValue) \($0.value) \($0.title ?? "") \($0.group ?? "")" }
        == [
          "answer_to_the_universe Int 42 Definitive answer General",
          "display_green_view Bool true Display Green View UI Customization",
          "encrypted_answer_to_the_universe String 24 ton yletinifeD Encrypted definitive answer General",
          "label_text String Test value Label Text UI Customization",
          "red_view_alpha_component Double 0.8 Red View Alpha Component UI Customization",
        ])
    #expect(provider.tweaks.map(\.isEncrypted) == [false, false, true, false, false])
    #expect(Set(provider.table.value.ids.map(\.feature)) == ["app"])
    #expect(try await generator.run("-l", "App.tweaks.json", "-o", ".").errors == [])
    #expect(
      JustTweakExample.properties(in: try generator.text("GeneratedTweakAccessor.swift")) == [
        "definitiveAnswer: Int", "definitiveAnswerEncrypted: String", "displayGreenView: Bool", "labelText: String",
        "redViewAlphaComponent: Double",
      ])
  }

  @Test(.patient)
  func `toggles without metadata keep their names, numbers become Doubles, and objects become JSON`() async throws {
    let generator = try Generator()
    try generator.write(
      """
      {"toggles": [
        {"variable": "a", "number": 3},
        {"variable": "b", "object": {"int": 420, "list": [1.5, "x\\ny"], "no": null}}
      ]}
      """, to: "in.json")
    let outcome = try await generator.run("convert", "--from=toggles", "in.json", "out.json")
    #expect(outcome.errors == [#"in.json:3:31: warning: the object of "b" becomes a String that contains its JSON"#])
    #expect(
      try generator.text("out.json") == #"""
        {
          "toggles": {
            "a": {
              "Title": "a",
              "Group": "Other",
              "Value": 3.0
            },
            "b": {
              "Title": "b",
              "Group": "Other",
              "Value": "{\"int\":420,\"list\":[1.5,\"x\\ny\"],\"no\":null}"
            }
          }
        }

        """#)
  }

  @Test(.patient, arguments: ["toggles", "justtweak"])
  func `trailing commas, which both libraries accept, are dropped`(format: String) async throws {
    let generator = try Generator()
    let texts = [
      "toggles": #"""
      {
        "toggles": [
          {"variable": "limit", "int": 3, "metadata": {"description": "Limit", "group": "Shop", },},
          {"variable": "plan", "object": {"list": [1, 2, ], }, "metadata": {"group": "Shop"}},
        ],
      }
      """#,
      "justtweak": #"""
      {
        "toggles": {
          "limit": {"Title": "Limit", "Group": "Shop", "Value": 3, },
          "plan": {"Title": "plan", "Group": "Shop", "Value": "{\"list\":[1,2]}",},
        },
      }
      """#,
    ]
    try generator.write(try #require(texts[format]), to: "in.json")
    let outcome = try await generator.run("convert", "--from", format, "in.json", "out.json")
    #expect(outcome.errors.filter { $0.contains("error") } == [])
    let provider = try FileTweakProvider(url: generator.directory.file("out.json"), isLive: false)
    #expect(provider.tweaks.map(\.value) == [3, #"{"list":[1,2]}"#])
    #expect(provider.tweaks.map(\.title) == ["Limit", "plan"])
    #expect(throws: TweakError.self) {
      try FileTweakProvider(url: generator.directory.file("in.json"), isLive: false)
    }
  }

  @Test(.patient)
  func `converting JustTweak's example changes no tweak`() async throws {
    let generator = try Generator()
    try generator.write(JustTweakExample.json, to: "in.json")
    let outcome = try await generator.run("convert", "--from", "justtweak", "in.json", "out.json")
    #expect(outcome.errors == [])
    let old = try FileTweakProvider(url: generator.directory.file("in.json"), isLive: false).tweaks
    let new = try FileTweakProvider(url: generator.directory.file("out.json"), isLive: false).tweaks
    #expect(
      old.map { "\($0) \($0.title ?? "") \($0.details ?? "") \($0.group ?? "") \($0.isEncrypted)" }.map(Self.plain)
        == new.map { "\($0) \($0.title ?? "") \($0.details ?? "") \($0.group ?? "") \($0.isEncrypted)" }.map(Self.plain)
    )
    #expect(new.count == 9)
  }

  private static func plain(_ text: String) -> String { text.replacing(/FileTweakProvider\(.*?\)/, with: "") }

  @Test(.patient)
  func `a value that JustTweak silently reads as false is written as false, with a warning`() async throws {
    let generator = try Generator()
    try generator.write(
      """
      {"f": {
        "a": {"Value": null},
        "b": {"Value": [1]},
        "c": {"Title": "C"},
        "d": {"Value": 3, "PreserveFloat": true, "Colour": [true]}
      }}
      """, to: "in.json")
    let outcome = try await generator.run("convert", "--from", "justtweak", "in.json", "out.json")
    #expect(outcome.status == 0)
    #expect(
      outcome.errors == [
        #"in.json:2:18: warning: the value of "f/a" is null; JustTweak reads it as false, so false is written"#,
        #"in.json:3:18: warning: the value of "f/b" is an array; JustTweak reads it as false, so false is written"#,
        #"in.json:4:3: warning: "f/c" has no "Value"; JustTweak reads it as false, so false is written"#,
        #"in.json:5:44: warning: unknown property "Colour" of "f/d" is not converted"#,
      ])
    let provider = try FileTweakProvider(url: generator.directory.file("out.json"), isLive: false)
    #expect(provider.tweaks.map(\.value) == [false, false, false, .double(3)])
  }

  @Test(.patient)
  func `a file of Toggles survives a conversion to tweaks and back`() async throws {
    let generator = try Generator()
    try generator.write(Self.toggles, to: "Toggles.json")
    let arguments = ["--feature", "app", "Toggles.json", "a.json"]
    #expect(try await generator.run(Generator.tool.path, ["convert", "--from", "toggles"] + arguments).errors == [])
    let back = try await generator.run("convert", "--from", "justtweak", "--to", "toggles", "a.json", "back.json")
    #expect(back.errors == [])
    func json(_ name: String) throws -> NSDictionary {
      let object = try JSONSerialization.jsonObject(with: Data(contentsOf: generator.directory.file(name)))
      return try #require(object as? NSDictionary)
    }
    #expect(try json("back.json") == json("Toggles.json"))
  }

  @Test(.patient)
  func `a file that Toggles cannot represent is rejected, and nothing is written`() async throws {
    let generator = try Generator()
    try generator.write(
      """
      {"f": {"v": {"Value": 1}, "w": {"Value": 1, "Encrypted": true}},
       "g": {"v": {"Value": 1}}}
      """, to: "in.json")
    let outcome = try await generator.run("convert", "--from", "justtweak", "--to", "toggles", "in.json", "out.json")
    #expect(outcome.status == 1)
    #expect(
      outcome.errors == [
        #"in.json:1:27: error: "f/w" is encrypted, but not a String"#,
        #"in.json:2:8: error: Toggles has no features, so "g/v" conflicts with "f/v" on line 1"#,
      ])
    #expect(!generator.exists("out.json"))
  }

  static let faults: [(String, String)] = [
    (#"{"toggles": {}}"#, #"1:13: error: expected an array "toggles""#),
    (#"{}"#, #"1:1: error: expected an array "toggles""#),
    (#"{"toggles": [1]}"#, "1:14: error: expected an object for a toggle, found an Int"),
    (#"{"toggles": [{"bool": true}]}"#, #"1:14: error: a toggle has no "variable""#),
    (#"{"toggles": [{"variable": "a"}]}"#, #"1:14: error: expected one value for "a""#),
    (#"{"toggles": [{"variable": "a", "bool": 1}]}"#, #"1:40: error: expected "bool" for "a", found an Int"#),
    (#"{"toggles": [{"variable": "a", "int": 1.5}]}"#, #"1:39: error: expected "int" for "a", found a Double"#),
    (#"{"toggles": [{"variable": "a", "int": 1, "bool": true}]}"#, #"1:14: error: expected one value for "a""#),
    (
      #"{"toggles": [{"variable": "a", "int": 1}, {"variable": "a", "int": 2}]}"#,
      #"1:43: error: duplicate variable "a"; the first one is on line 1"#
    ),
    (#"{"toggles": [,]}"#, "1:14: error: expected a value"),
    (#"{"toggles": [1,,]}"#, "1:16: error: expected a value"),
    (#"{,}"#, "1:2: error: expected a name in quotation marks"),
  ]

  @Test(.patient, arguments: faults)
  func `errors in files of Toggles are reported with line and column, and nothing is written`(fault: (String, String))
    async throws
  {
    let generator = try Generator()
    try generator.write(fault.0, to: "in.json")
    let outcome = try await generator.run("convert", "--from", "toggles", "in.json", "out.json")
    #expect(outcome.status == 1)
    #expect(try #require(outcome.errors.first).hasPrefix("in.json:" + fault.1))
    #expect(!generator.exists("out.json"))
  }

  @Test(.patient)
  func `invalid arguments of a conversion are errors`() async throws {
    let generator = try Generator()
    for arguments in [
      ["--from", "toggles", "a"], ["a", "b"], ["--from", "xml", "a", "b"],
      ["--from", "justtweak", "--feature", "f", "a", "b"], ["--from", "toggles", "--to", "toggles", "a", "b"],
    ] {
      #expect(try await generator.run(Generator.tool.path, ["convert"] + arguments).status == 64)
    }
  }
}
