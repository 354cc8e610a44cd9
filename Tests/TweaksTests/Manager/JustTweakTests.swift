import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

/// The expectations of JustTweak's own tests, in their groups, except those that are faults.
@Suite("Behavior adopted from JustTweak")
struct JustTweakTests {
  @Suite("FileTweakProvider")
  struct Local {
    let provider: FileTweakProvider

    init() throws {
      provider = try Fixture().local(Example.json)
    }

    @Test
    func `a file provides Bools, numbers and texts, with title, description and group`() throws {
      let red = try provider.tweak(feature: "ui_customization", variable: "display_red_view")
      #expect(red?.value == false)
      #expect(red?.title == "Display Red View")
      #expect(red?.details == "shows a red view")
      #expect(red?.group == "UI")
      #expect(try provider.tweak(feature: "ui_customization", variable: "red_view_alpha_component")?.value == 1.0)
      #expect(try provider.tweak(feature: "ui_customization", variable: "label_text")?.value == "Test value")
      #expect(try provider.tweak(feature: "general", variable: "answer_to_the_universe")?.value == 42)
      #expect(try provider.tweak(feature: "general", variable: "nothing") == nil)
    }

    @Test
    func `a file lists its features and variables`() {
      #expect(Set(provider.table.value.ids.map(\.feature)) == ["ui_customization", "general"])
      #expect(provider.table.value.ids.count { $0.feature == "general" } == 4)
    }

    @Test
    func `a file provider has no decryption closure until one is set`() throws {
      #expect(provider.decryptionClosure == nil)
      provider.decryptionClosure = Example.reversed
      let tweak = Tweak(feature: "f", variable: "v", value: "abc")
      #expect(try provider.decryptionClosure?(tweak) == "cba")
    }
  }

  @Suite("UserDefaultsTweakProvider")
  struct Defaults {
    @Test(arguments: [true, 42, 3.5, "text", false, 0, 1, 0.0, 1.0, "", "1"] as [TweakValue])
    func `a set value is read by another provider of the same defaults`(value: TweakValue) throws {
      let test = try TestDefaults()
      let provider = UserDefaultsTweakProvider(userDefaults: test.defaults)
      #expect(try provider.tweak(feature: "f", variable: "v") == nil)
      try provider.set(value, feature: "f", variable: "v")
      let other = UserDefaultsTweakProvider(userDefaults: test.defaults)
      #expect(try other.tweak(feature: "f", variable: "v")?.value == value)
      #expect(other.decryptionClosure == nil)
    }
  }

  @Suite("TweakManager")
  struct Manager {
    let overrides = EphemeralTweakProvider()
    let manager: TweakManager

    init() throws {
      manager = TweakManager(providers: [
        overrides, EphemeralTweakProvider(Example.remote, name: "Remote"), try Fixture().local(Example.json),
      ])
    }

    @Test
    func `setting a tweak without a writable provider is an error`() throws {
      let manager = TweakManager(providers: [try Fixture().local(Example.json)])
      #expect(throws: TweakError.readOnly(TweakID(feature: "f", variable: "v"))) {
        try manager.set(1, feature: "f", variable: "v")
      }
    }

    @Test
    func `an unknown tweak is an error`() {
      let id = TweakID(feature: "general", variable: "nothing")
      #expect(throws: TweakError.notFound(id)) { try manager.requiredTweak(feature: id.feature, variable: id.variable) }
      #expect(throws: TweakError.notFound(id)) {
        try TweakManager(providers: []).requiredTweak(feature: id.feature, variable: id.variable)
      }
    }

    @Test(arguments: [
      ("ui_customization", "display_red_view", true), ("ui_customization", "display_yellow_view", true),
      ("ui_customization", "display_green_view", false), ("general", "greet_on_app_did_become_active", true),
      ("general", "tap_to_change_color_enabled", true),
    ])
    func `the first provider with a tweak decides`(feature: String, variable: String, value: Bool) throws {
      let tweak = try manager.requiredTweak(feature: feature, variable: variable)
      #expect(tweak.boolValue == value)
      #expect(tweak.source == (variable.hasPrefix("tap") ? "FileTweakProvider(tweaks.json)" : "Remote"))
      #expect(tweak.title != nil)
    }

    @Test
    func `an override comes first until it is deleted`() throws {
      try manager.set(false, feature: "general", variable: "greet_on_app_did_become_active")
      #expect(try manager.requiredTweak(feature: "general", variable: "greet_on_app_did_become_active").value == false)
      try manager.deleteValue(feature: "general", variable: "greet_on_app_did_become_active")
      #expect(try manager.requiredTweak(feature: "general", variable: "greet_on_app_did_become_active").value == true)
    }

    @Test(.patient)
    func `an observer receives changes until it is removed`() async throws {
      let observer = Observer()
      let changes = Recorder<TweakChange>()
      manager.addObserver(observer, on: .global()) { changes.record($0) }
      try manager.set("new", feature: "ui_customization", variable: "label_text")
      let change = try await changes.first("a change") { _ in true }
      #expect(change.new == "new")
      #expect(change.old == "Test value")
      #expect(change.source == "EphemeralTweakProvider")
      manager.removeObserver(observer)
      try manager.set("newer", feature: "ui_customization", variable: "label_text")
      #expect(changes.elements.count == 1)
    }

    @Test(.patient)
    func `a second closure of an observer replaces the first one`() async throws {
      let observer = Observer()
      let (first, second) = (Recorder<TweakChange>(), Recorder<TweakChange>())
      // A serial queue, so that the first closure would be called first.
      let queue = DispatchQueue(label: "observers")
      manager.addObserver(observer, on: queue) { first.record($0) }
      manager.addObserver(observer, on: queue) { second.record($0) }
      try manager.set("new", feature: "ui_customization", variable: "label_text")
      #expect(try await second.first("a change") { _ in true }.new == "new")
      #expect(first.elements.isEmpty)
    }

    @Test
    func `only encrypted tweaks pass through the decryption closure`() throws {
      let decrypted = Recorder<String>()
      manager.decryptionClosure = { tweak in
        decrypted.record(tweak.variable)
        return "decrypted"
      }
      let secret = "encrypted_answer_to_the_universe"
      #expect(try manager.requiredTweak(feature: "general", variable: "answer_to_the_universe").value == 42)
      #expect(try manager.requiredTweak(feature: "general", variable: secret).value == "decrypted")
      #expect(Set(decrypted.elements) == [secret])
    }

    @Test
    func `encrypted tweaks are decrypted`() throws {
      manager.decryptionClosure = Example.reversed
      let tweak = try manager.requiredTweak(feature: "general", variable: "encrypted_answer_to_the_universe")
      #expect(tweak.value == "Definitely not 42")
      manager.decryptionClosure = { _ in "another" }
      #expect(
        try manager.requiredTweak(feature: "general", variable: "encrypted_answer_to_the_universe").value == "another")
      #expect(manager.value(feature: "general", variable: "encrypted_answer_to_the_universe", default: "") == "another")
    }
  }

  @Suite("TweakManager's cache")
  struct Cache {
    let provider = CountingProvider { _ in 42 }

    @Test
    func `without a cache, every read queries the providers`() throws {
      let manager = TweakManager(providers: [provider])
      #expect(!manager.usesCache)
      for count in 1...2 {
        #expect(try manager.requiredTweak(feature: "f", variable: "v").value == 42)
        #expect(manager.isFeatureEnabled("f"))
        #expect(provider.asked.value == count)
        #expect(provider.featuresAsked.value == count)
      }
      manager.resetCache()
      _ = try manager.requiredTweak(feature: "f", variable: "v")
      _ = manager.isFeatureEnabled("f")
      #expect(provider.asked.value == 3)
      #expect(provider.featuresAsked.value == 3)
    }

    @Test
    func `with a cache, providers are queried once, and again after a reset`() throws {
      let manager = TweakManager(providers: [provider])
      manager.usesCache = true
      for _ in 1...2 {
        #expect(try manager.requiredTweak(feature: "f", variable: "v").value == 42)
        #expect(manager.isFeatureEnabled("f"))
        #expect(provider.asked.value == 1)
        #expect(provider.featuresAsked.value == 1)
      }
      manager.resetCache()
      for _ in 1...2 {
        _ = try manager.requiredTweak(feature: "f", variable: "v")
        _ = manager.isFeatureEnabled("f")
        #expect(provider.asked.value == 2)
        #expect(provider.featuresAsked.value == 2)
      }
    }

    @Test
    func `setting a tweak updates the cache`() throws {
      let manager = TweakManager(providers: [EphemeralTweakProvider(), provider])
      manager.usesCache = true
      #expect(try manager.requiredTweak(feature: "f", variable: "v").value == 42)
      try manager.set(43, feature: "f", variable: "v")
      #expect(try manager.requiredTweak(feature: "f", variable: "v").value == 43)
    }

    @Test
    func `a missing tweak is cached, too`() {
      let provider = CountingProvider { _ in nil }
      let manager = TweakManager(providers: [provider])
      manager.usesCache = true
      for _ in 1...3 {
        #expect(throws: TweakError.self) { try manager.requiredTweak(feature: "f", variable: "v") }
        #expect(manager.value(feature: "f", variable: "v", default: 5) == 5)
      }
      #expect(provider.asked.value == 1)
    }

    @Test
    func `a deletion, another provider and another decryption closure are seen despite a cache`() throws {
      let file = #"{"f": {"v": {"Value": 1}, "secret": {"Value": "abc", "Encrypted": true}}}"#
      let manager = TweakManager(providers: [EphemeralTweakProvider(), try Fixture().local(file)])
      manager.usesCache = true
      func value(_ variable: String) throws -> TweakValue {
        try manager.requiredTweak(feature: "f", variable: variable).value
      }
      manager.decryptionClosure = { _ in "first" }
      try manager.set(2, feature: "f", variable: "v")
      #expect(try value("v") == 2)
      #expect(try value("secret") == "first")
      try manager.deleteValue(feature: "f", variable: "v")
      #expect(try value("v") == 1)
      manager.decryptionClosure = { _ in "second" }
      #expect(try value("secret") == "second")
      manager.insert(EphemeralTweakProvider(["f": ["v": 3]]))
      #expect(try value("v") == 3)
    }
  }

  @Suite("Property wrappers")
  struct Wrappers {
    let manager = TweakManager(providers: [EphemeralTweakProvider()])

    @Test
    func `a property with a fallback returns it until a value is set, for all types`() {
      @FallbackTweakProperty(fallbackValue: "a", feature: "f", variable: "s", tweakManager: manager) var string: String
      @FallbackTweakProperty(fallbackValue: true, feature: "f", variable: "b", tweakManager: manager) var bool: Bool
      @FallbackTweakProperty(fallbackValue: 4, feature: "f", variable: "i", tweakManager: manager) var int: Int
      @FallbackTweakProperty(fallbackValue: 4.5, feature: "f", variable: "d", tweakManager: manager) var double: Double
      @FallbackTweakProperty(fallbackValue: 4.5, feature: "f", variable: "fl", tweakManager: manager) var float: Float
      #expect((string, bool, int) == ("a", true, 4))
      #expect((double, float) == (4.5, 4.5))
      string = "b"
      bool = false
      int = 5
      double = 5.5
      float = 0.1
      #expect((string, bool, int) == ("b", false, 5))
      #expect((double, float) == (5.5, 0.1))
    }

    @Test
    func `an optional property is nil until it is set, and after it is deleted, for all types`() {
      @OptionalTweakProperty(fallbackValue: nil, feature: "f", variable: "s", tweakManager: manager) var string: String?
      @OptionalTweakProperty(feature: "f", variable: "b", tweakManager: manager) var bool: Bool?
      @OptionalTweakProperty(fallbackValue: nil, feature: "f", variable: "i", tweakManager: manager) var int: Int?
      @OptionalTweakProperty(fallbackValue: nil, feature: "f", variable: "d", tweakManager: manager) var double: Double?
      @OptionalTweakProperty(fallbackValue: nil, feature: "f", variable: "fl", tweakManager: manager) var float: Float?
      #expect(string == nil && bool == nil && int == nil && double == nil && float == nil)
      string = "b"
      bool = false
      int = 5
      double = 5.5
      float = 0.1
      #expect(string == "b" && bool == false && int == 5 && double == 5.5 && float == 0.1)
      int = nil
      #expect(int == nil)
    }

    @Test
    func `a property without a value returns zero, or its default`() {
      @TweakProperty(feature: "f", variable: "s", tweakManager: manager) var string: String
      @TweakProperty(feature: "f", variable: "i", tweakManager: manager) var int: Int
      @TweakProperty(feature: "f", variable: "b", tweakManager: manager) var bool = true
      #expect((string, int, bool) == ("", 0, true))
      int = 7
      #expect(int == 7)
      #expect(manager.value(feature: "f", variable: "i", default: 0) == 7)
    }

    @Test
    func `the projected value is a property that follows the tweak`() {
      @FallbackTweakProperty(fallbackValue: 1, feature: "f", variable: "v", tweakManager: manager) var value: Int
      @OptionalTweakProperty(feature: "f", variable: "v", tweakManager: manager) var optional: Int?
      let seen = $value.recorded()
      let seenOptional = $optional.recorded()
      value = 2
      optional = nil
      value = 2
      value = 2
      #expect(seen.elements == [1, 2, 1, 2])
      #expect(seenOptional.elements == [nil, 2, nil, 2])
      #expect($value.value == 2)
    }
  }

  @Suite("Values and tweaks")
  struct Values {
    @Test(
      arguments: [
        ("true", true), ("false", false), ("TrUe", true), ("fAlSe", false), ("1.0", 1.0), ("1", 1), ("hello", "hello"),
      ] as [(String, TweakValue)])
    func `text is parsed as the value that it represents`(text: String, value: TweakValue) {
      #expect(TweakValue(untyped: text) == value)
    }

    @Test(arguments: [false, true, 42, 3.5, "Hello"] as [TweakValue])
    func `tweaks are equal if and only if their values are`(value: TweakValue) {
      #expect(Tweak(feature: "f", variable: "v", value: value) == Tweak(feature: "f", variable: "v", value: value))
      for other: TweakValue in [false, true, 42, 3.5, "Hello"] where other != value {
        #expect(Tweak(feature: "f", variable: "v", value: value) != Tweak(feature: "f", variable: "v", value: other))
      }
    }

    @Test
    func `a Float survives user defaults, and a provider in memory has no decryption closure`() throws {
      let test = try TestDefaults()
      let manager = TweakManager(providers: [UserDefaultsTweakProvider(userDefaults: test.defaults)])
      try manager.set(Float(0.1).tweakValue, feature: "f", variable: "v")
      #expect(manager.value(feature: "f", variable: "v", default: Float(0)) == 0.1)
      #expect(EphemeralTweakProvider().decryptionClosure == nil)
    }
  }

  @Suite("The panel in place of JustTweak's view controller")
  struct Panel {
    private let manager: TweakManager
    private let panel: TweakPanel

    init() throws {
      manager = TweakManager(providers: [EphemeralTweakProvider(), try Fixture().local(Example.json)])
      panel = TweakPanel(manager: manager)
    }

    private func row(_ variable: String) -> TweakPanel.Row? {
      panel.sections.value.flatMap(\.rows).first { $0.id.variable == variable }
    }

    @Test
    func `rows show switches, titles, numbers and texts, and an unknown tweak has no row`() {
      #expect(row("display_green_view")?.isOn == true)
      #expect(row("display_red_view")?.isOn == false)
      #expect(row("display_red_view")?.title == "Display Red View")
      #expect(row("red_view_alpha_component")?.text == "1.0")
      #expect(row("label_text")?.text == "Test value")
      #expect(row("label_text")?.isOn == nil)
      #expect(row("nothing") == nil)
      #expect(panel.sections.value.flatMap(\.rows).map(\.id).count == 8)
    }

    @Test
    func `a toggled switch or an edited text changes the value`() throws {
      let id = TweakID(feature: "ui_customization", variable: "display_red_view")
      let seen = manager.signal(feature: id.feature, variable: id.variable, as: Bool.self).recorded()
      try panel.edit(id, isOn: true)
      try panel.edit(id, isOn: false)
      #expect(seen.elements == [false, true, false])
      try panel.edit(TweakID(feature: "ui_customization", variable: "label_text"), text: "")
      #expect(row("label_text")?.text == "")
    }
  }
}

final class Observer: Sendable {}
