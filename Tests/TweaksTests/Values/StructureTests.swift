import FileSignals
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

/// A structured value that counts how often it is decoded.
private struct Layout: TweakStructure, Equatable {
  struct Section: Codable, Sendable, Equatable {
    var title: String
    var rows: Int
  }

  static let decodings = MutableProperty(0)

  var columns: Int
  var sections: [Section]

  private enum CodingKeys: String, CodingKey { case columns, sections }

  init(columns: Int = 1, sections: [Section] = []) {
    self.columns = columns
    self.sections = sections
  }

  init(from decoder: any Decoder) throws {
    Self.decodings.modify { $0 += 1 }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    columns = try container.decode(Int.self, forKey: .columns)
    sections = try container.decodeIfPresent([Section].self, forKey: .sections) ?? []
  }
}

@Suite("Structured values", .serialized)
struct StructureTests {
  private let key = TweakKey("shop", "layout", default: Layout())

  private static func text(_ value: String) -> String { #"{"shop": {"layout": {"Value": \#(value)}}}"# }

  @Test(.patient)
  func `objects and lists in a file are read, followed, and compared whatever the order of members`() async throws {
    let fixture = try Fixture()
    let url = try fixture.write(
      Self.text(#"{ "columns": 3, "sections": [ { "title": "A", "rows": 2 } ], "unknown": null }"#))
    let manager = TweakManager(providers: [try FileTweakProvider(url: url)])
    let values = manager.signal(for: key).recorded()
    let changes = manager.changes.recorded()
    #expect(manager[key] == Layout(columns: 3, sections: [.init(title: "A", rows: 2)]))
    try fixture.write(Self.text(#"{"unknown":null,"sections":[{"rows":2,"title":"A"}],"columns":3}"#))
    try fixture.write(Self.text(#"{"columns": 4}"#))
    _ = try await values.wait(for: "the new value") { $0.last?.columns == 4 }
    #expect(values.elements.map(\.columns) == [3, 4])
    // The values are sent first.
    try await changes.wait(for: "the change") { $0.count == 1 }
    let list = TweakKey("shop", "list", default: ["none"])
    try fixture.write(#"{"shop": {"list": {"Value": ["a", "b"]}, "map": {"Value": {"x": 1}}}}"#)
    _ = try await manager.signal(for: list).recorded().wait(for: "the list") { $0.last == ["a", "b"] }
    #expect(manager[TweakKey("shop", "map", default: ["y": 0])] == ["x": 1])
  }

  @Test
  func `a wrong member makes the whole value fall back, and is reported once with its line and column`() throws {
    let fixture = try Fixture()
    let file = try fixture.local(
      """
      {
        "shop": { "layout": { "Value": {
          "columns": 2,
          "sections": [
            { "title": "A", "rows": 1 },
            { "title": "B", "rows": "two" }
          ]
        } } }
      }
      """)
    let manager = TweakManager(providers: [file])
    let failures = manager.failures.recorded()
    for _ in 0..<3 { #expect(manager[key] == Layout()) }
    #expect(failures.elements.count == 1)
    let text = "\(failures.elements)"
    #expect(text.contains("sections.1.rows on line 6, column 31"), "\(text)")
    let missing = TweakManager(providers: [try fixture.local(Self.text(#"{"sections": []}"#))])
    #expect(throws: TweakError.self) { try missing.value(feature: "shop", variable: "layout", as: Layout.self) }
    #expect("\(missing.trace(feature: "shop", variable: "layout", as: Layout.self).result)".contains("as Layout"))
  }

  @Test
  func `a value is decoded once for each change`() throws {
    let manager = TweakManager(providers: [
      EphemeralTweakProvider(), try Fixture().local(Self.text(#"{"columns": 5}"#)),
    ])
    let property = TweakProperty(key, tweakManager: manager)
    #expect(manager[key].columns == 5)
    let before = Layout.decodings.value
    for _ in 0..<100 {
      #expect(manager[key].columns == 5)
      #expect(property.wrappedValue.columns == 5)
    }
    #expect(Layout.decodings.value == before)
    try manager.set(Layout(columns: 6), for: key)
    for _ in 0..<100 {
      #expect(manager[key].columns == 6)
      #expect(property.wrappedValue.columns == 6)
      #expect(manager.value(feature: "shop", variable: "layout", default: Layout()).columns == 6)
      #expect(try manager.value(feature: "shop", variable: "layout", as: Layout.self).columns == 6)
    }
    #expect(Layout.decodings.value == before + 1)
    // Another type of the same tweak has its own decoded value.
    #expect(manager[TweakKey("shop", "layout", default: TweakJSON(verbatim: "null"))].text.contains("6"))
    #expect(manager[key].columns == 6)
  }

  @Test
  func `a structure is no String, and a scalar is no structure`() throws {
    let manager = TweakManager(providers: [try Fixture().local(Self.text(#"{"columns": 5}"#))])
    #expect(manager.value(feature: "shop", variable: "layout", default: "none") == "none")
    #expect(throws: TweakError.self) { try manager.value(feature: "shop", variable: "layout", as: String.self) }
    let number = TweakManager(providers: [EphemeralTweakProvider(["shop": ["layout": 5]])])
    #expect(number[key] == Layout())
  }

  @Test
  func `overrides, rules, the environment and user defaults hold structures`() throws {
    let fixture = try Fixture()
    let value = Layout(columns: 7, sections: [.init(title: "É\n\"", rows: -1)])
    let stores: [any MutableTweakProvider] = [
      EphemeralTweakProvider(), SuiteTweakProvider(suite: try fixture.suite()),
      UserDefaultsTweakProvider(userDefaults: try TestDefaults().defaults),
    ]
    for store in stores {
      let manager = TweakManager(providers: [store])
      let seen = manager.signal(for: key).recorded()
      try manager.set(value, for: key)
      try manager.set(value, for: key)
      #expect(manager[key] == value)
      #expect(manager.snapshot()[key] == value)
      #expect(seen.elements == [Layout(), value])
    }
    let rule = TweakRule("shop", "layout", value: value.tweakValue)
    let targeting = TargetingTweakProvider(rules: [rule], context: .constant(TweakContext()))
    #expect(TweakManager(providers: [targeting])[key] == value)
    let environment = EnvironmentTweakProvider(environment: ["TWEAK_SHOP__LAYOUT": #"{ "columns": 8 }"#])
    #expect(TweakManager(providers: [environment])[key].columns == 8)
  }

  @Test
  func `a panel accepts JSON for a structure, and refuses anything else`() throws {
    let file = try Fixture().local(Self.text(#"{"columns": 5}"#))
    let manager = TweakManager(providers: [EphemeralTweakProvider(), file])
    let panel = TweakPanel(manager: manager)
    #expect(panel.sections.value.flatMap(\.rows).map(\.text) == [#"{"columns":5}"#])
    #expect(throws: TweakError.self) { try panel.edit(key.id, text: "{columns}") }
    try panel.edit(key.id, text: #"{ "columns" : 9 }"#)
    #expect(manager[key].columns == 9)
  }

  @Test
  func `values that are nested too deeply or too large are errors with a position`() throws {
    let fixture = try Fixture()
    let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
    let large = #"[""# + String(repeating: "x", count: 256 << 10) + #""]"#
    for value in [deep, large] {
      let url = try fixture.write(Self.text(value))
      do {
        _ = try FileTweakProvider(url: url, isLive: false)
        Issue.record("the value is accepted")
      } catch {
        guard case .invalidFile(_, 1, 31, _) = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }

  @Test
  func `a server's structures survive a launch`() async throws {
    let fixture = try CacheFixture()
    let provider = RemoteTweakProvider(cache: fixture.cache, policy: .onRequest) { _ in
      .body(Data(Self.text(#"{"columns": 5}"#).utf8))
    }
    try await provider.refresh()
    let next = RemoteTweakProvider(cache: fixture.cache, policy: .onRequest) { _ in
      throw TweakRequestFailure.status(500)
    }
    #expect(TweakManager(providers: [next])[key].columns == 5)
  }
}
