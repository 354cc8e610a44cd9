import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

/// Uses of flags that must do no harm.
@Suite("Abuse of flags")
struct AbuseTests {
  private let key = TweakID(feature: "f", variable: "v")

  @Test
  func `a value depends on the user's context, and every change names its source`() throws {
    let context = MutableProperty(TweakContext(attributes: ["country": "NL"]))
    let rule = TweakRule("f", "v", value: 50, if: [TweakCondition("country", .isOneOf, "NL")])
    let targeting = TargetingTweakProvider(rules: [rule], context: context)
    let manager = TweakManager(providers: [EphemeralTweakProvider(), targeting])
    let audit = manager.changes.recorded()
    let limit = TweakKey("f", "v", default: 10)
    #expect(manager[limit] == 50)
    context.modify { $0.attributes["country"] = "BE" }
    #expect(manager[limit] == 10)
    try manager.set(20, for: limit)
    #expect(audit.elements.map(\.new) == [nil, 20])
    #expect(audit.elements.map(\.source) == [nil, "EphemeralTweakProvider"])
    #expect(manager.trace(feature: "f", variable: "v").answers.map(\.result).count == 2)
  }

  @Test(arguments: [
    "", " ", "null", "[]", "{", "{]", "\u{0}", "{\"f\": {\"v\": {\"Value\": 1e400}}}", "{\"\": {}}",
    "{\"f\": {\"v\": {\"Value\": 1}, \"v\": {\"Value\": 2}}}", "{\"f\": {\"v\": {\"Value\": NaN}}}",
    "{\"f\": {\"v\": {\"Value\": 1, \"\\u0056alue\": 2}}}", "{\"f\": {\"v\": {\"Value\": 1, \"x\": 1, \"x\": 2}}}",
    "{\"f\": {\"v\": {\"Value\": 1}}", "{\"f\": {\"v\": {\"Value\": \"\\u12\"}}}", "{\"f\": {\"v\": {\"Value\": \"\\",
    String(repeating: "[", count: 100_000), String(repeating: "{\"a\":", count: 100_000),
  ])
  func `garbage in a watched file is reported, and the last good values stand`(garbage: String) async throws {
    let fixture = try Fixture()
    let url = try fixture.write(#"{"f": {"v": {"Value": 1}}}"#)
    let manager = TweakManager(providers: [try FileTweakProvider(url: url)])
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    let failures = manager.failures.recorded()
    try fixture.write(garbage)
    _ = try await failures.first("an error") { _ in true }
    #expect(manager.value(feature: "f", variable: "v", default: 0) == 1)
    try fixture.write(#"{"f": {"v": {"Value": 2}}}"#)
    _ = try await values.wait(for: "the next good one") { $0 == [1, 2] }
  }

  @Test
  func `invalid UTF-8 is an error with line and column`() throws {
    let fixture = try Fixture()
    let url = fixture.directory.file("tweaks.json")
    for (bytes, column) in [([0xFF, 0xFE], 1), ([0x7B, 0x22, 0xC3, 0x28], 3), ([0x7B, 0xED, 0xA0, 0x80], 2)] {
      try Data(bytes.map(UInt8.init)).write(to: url)
      let error = TweakError.invalidFile(url, line: 1, column: column, reason: "the text is not valid UTF-8")
      #expect(throws: error) { try FileTweakProvider(url: url, isLive: false) }
    }
  }

  /// Only the changed parts of a file are decoded again, which must make no difference.
  @Test(.patient, arguments: [1, 2, 3] as [UInt64])
  func `a randomly edited file reads the same when followed and when opened anew`(
    seed: UInt64
  ) async throws {
    let fixture = try Fixture()
    var chance = Chance(seed: seed)
    var features = Dictionary(uniqueKeysWithValues: (0..<4).map { ("feature\($0)", [(String, String)]()) })
    func text() -> String {
      let parts = features.sorted { $0.key < $1.key }.map { feature, variables in
        "\"\(feature)\": {\(variables.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ",\n"))}"
      }
      return "{" + parts.joined(separator: ",") + "}"
    }
    let url = try fixture.write(text())
    let local = try FileTweakProvider(url: url)
    let updates = local.table.changes.recorded()
    for round in 0..<40 {
      for _ in 0...chance.number(below: 3) {
        let feature = "feature\(chance.number(below: 4))"
        var variables = features[feature] ?? []
        let words = #""Title": "T\#(chance.number(below: 3))", "Value": \#(round)"#
        let new = chance.once(in: 5) ? "{\(words), \"Unknown\": 1}" : "{\(words)}"
        switch chance.number(below: variables.isEmpty ? 1 : 4) {
        case 0: variables.insert(("v\(round)-\(chance.next())", new), at: chance.number(below: variables.count + 1))
        case 1: variables.remove(at: chance.number(below: variables.count))
        case 2: variables[chance.number(below: variables.count)].1 = new
        default: variables.shuffle(using: &chance)
        }
        features[feature] = variables
      }
      try fixture.write(text())
      let truth = try FileTweakProvider(url: url, isLive: false)
      let deadline = ContinuousClock.now + .seconds(240)
      while local.tweaks != truth.tweaks, ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(1))
      }
      #expect(local.tweaks == truth.tweaks)
    }
    #expect(!updates.elements.isEmpty)
  }

  @Test
  func `setting NaN again changes nothing, and persistent providers reject it`() throws {
    let manager = TweakManager(providers: [EphemeralTweakProvider()])
    let changes = manager.changes.recorded()
    for _ in 1...3 {
      try manager.set(.double(.nan), feature: "f", variable: "v")
      manager.resetCache()
    }
    #expect(changes.elements.count == 1)
    #expect(Set<TweakValue>([.double(.nan), .double(-.nan), .double(.signalingNaN)]).count == 1)
    #expect(try manager.value(feature: "f", variable: "v", as: Double.self).isNaN)
    let stored = UserDefaultsTweakProvider(userDefaults: try TestDefaults().defaults)
    let suite = SuiteTweakProvider(suite: try Fixture().suite())
    for number in [Double.nan, .infinity] {
      for provider in [stored, suite] as [any MutableTweakProvider] {
        #expect(throws: TweakError.self) { try provider.set(.double(number), feature: "f", variable: "v") }
      }
    }
  }

  @Test
  func `an Int without an exact Double is stored and read unchanged by every provider`() throws {
    let value: TweakValue = 9_007_199_254_740_993
    let defaults = try TestDefaults()
    let providers: [any MutableTweakProvider] = [
      EphemeralTweakProvider(), UserDefaultsTweakProvider(userDefaults: defaults.defaults),
      SuiteTweakProvider(suite: try Fixture().suite()),
    ]
    for provider in providers {
      let manager = TweakManager(providers: [provider])
      try manager.set(value, feature: "f", variable: "v")
      #expect(manager.value(feature: "f", variable: "v", default: 0) == 9_007_199_254_740_993)
      let number = manager.value(feature: "f", variable: "v", default: 0.5)
      #expect(number as Double == 0.5)
    }
  }

  @Test
  func `canonically equivalent names are one name`() throws {
    let names = [("K;`", "\u{212A}\u{37E}\u{1FEF}"), ("é", "e\u{301}"), ("Ω", "\u{2126}")]
    let manager = TweakManager(providers: [EphemeralTweakProvider()])
    for (number, (one, other)) in names.enumerated() {
      let seen = manager.signal(feature: one, variable: "v", as: Int.self).recorded()
      try manager.set(.int(number), feature: other, variable: "v")
      #expect(manager.value(feature: one, variable: "v", default: -1) == number)
      #expect(seen.elements == [nil, number])
      let text = "{\"f\": {\"\(one)\": {\"Value\": 1}, \"\(other)\": {\"Value\": 2}}}"
      #expect(throws: TweakError.self) { try Fixture().local(text) }
      let local = try Fixture().local("{\"f\": {\"\(one)\": {\"Value\": 1}}}")
      #expect(try local.tweak(feature: "f", variable: other)?.value == 1)
    }
  }

  @Test
  func `names of any length are distinguished`() throws {
    let names = (0...70).flatMap { length in
      ["", "a", "b"].map { String(repeating: "x", count: length) + $0 + String(repeating: "y", count: length / 3) }
    }
    let unique = Set(names)
    let manager = TweakManager(providers: [EphemeralTweakProvider()])
    for name in unique { try manager.set(.string(name), feature: name, variable: name + "?") }
    for name in unique { #expect(manager.value(feature: name, variable: name + "?", default: "none") == name) }
    #expect(manager.snapshot().tweaks.count == unique.count)
  }

  @Test
  func `observers may set the observed flag and others, across several managers`() throws {
    let shared = EphemeralTweakProvider()
    let inner = TweakManager(providers: [shared], name: "Inner")
    let outer = TweakManager(providers: [inner, shared], name: "Outer")
    let flag = TweakKey("f", "v", default: 0)
    let seen = Recorder<Int>()
    let subscription = outer.signal(for: flag).sink { value in
      seen.record(value)
      if value < 20 {
        do { try (value.isMultiple(of: 2) ? inner : outer).set(value + 1, for: flag) } catch {}
      }
    }
    #expect(seen.elements == Array(0...20))
    #expect(inner[flag] == 20)
    #expect(outer[flag] == 20)
    subscription.cancel()
  }

  @Test(.patient)
  func `managers that share providers never deadlock, whichever threads set and read`() async throws {
    let shared = EphemeralTweakProvider()
    let inner = TweakManager(providers: [shared], name: "Inner")
    let managers = [inner, TweakManager(providers: [inner, shared]), TweakManager(providers: [inner])]
    let flags = (0..<4).map { TweakKey("f", "v\($0)", default: 0) }
    let subscriptions = managers.flatMap { manager in
      flags.map { flag in manager.signal(for: flag).sink { _ in _ = managers.map { $0[flag] } } }
    }
    try await onThread {
      withThreads(4) { thread in
        for number in 1...200 {
          let manager = managers[(thread + number) % managers.count]
          do { try manager.set(number, for: flags[number % flags.count]) } catch {}
          if number.isMultiple(of: 50) { manager.resetCache() }
        }
      }
    }
    for flag in flags { #expect(Set(managers.map { $0[flag] }).count == 1) }
    withExtendedLifetime(subscriptions) {}
  }

  /// An object that performs an action when it is deinitialized.
  final class Parting: Sendable {
    let act: @Sendable () -> Void

    init(_ act: @escaping @Sendable () -> Void) {
      self.act = act
    }

    deinit {
      act()
    }
  }

  struct HeldProvider: AskedTweakProvider {
    let parting: Parting
    let manager: TweakManager
    var name: String { "Held \(manager.value(feature: "f", variable: "v", default: 0))" }
    func tweak(feature: String, variable: String) -> Tweak? { nil }
  }

  @Test(.patient)
  func `an object that a manager releases may use the manager in its deinit`() throws {
    let manager = TweakManager(providers: [EphemeralTweakProvider(["f": ["v": 7]])])
    let partings = Recorder<Int>()
    func parting() -> Parting {
      Parting { [unowned manager] in partings.record(manager.value(feature: "f", variable: "v", default: 0)) }
    }
    for parting in [parting()] {
      manager.logClosure = { _, _ in withExtendedLifetime(parting) {} }
      manager.decryptionClosure = { tweak in withExtendedLifetime(parting) { tweak.value } }
      manager.encryptionClosure = { tweak in withExtendedLifetime(parting) { tweak.value } }
    }
    manager.logClosure = nil
    manager.decryptionClosure = nil
    #expect(partings.elements.isEmpty)
    manager.encryptionClosure = nil
    #expect(partings.elements == [7])
    manager.insert(HeldProvider(parting: parting(), manager: manager))
    manager.removeProviders(named: "Held 7")
    #expect(manager.providers.count == 1)
    #expect(partings.elements == [7, 7])
  }

  @Test
  func `no dump or description shows a secret`() throws {
    let fixture = try Fixture()
    let local = try fixture.local(#"{"f": {"v": {"Value": "2retnuh", "Encrypted": true}}}"#)
    let ephemeral = EphemeralTweakProvider()
    let manager = TweakManager(providers: [ephemeral, local])
    manager.decryptionClosure = Example.reversed
    let panel = TweakPanel(manager: manager)
    @TweakProperty(feature: "f", variable: "v", tweakManager: manager) var secret: Secret<String> = Secret("")
    #expect(secret.value == "hunter2")
    try manager.set("hunter3", feature: "f", variable: "v")
    #expect(secret.value == "hunter3")
    var text = ""
    dump(manager, to: &text)
    dump(ephemeral, to: &text)
    dump(_secret, to: &text)
    dump($secret, to: &text)
    dump(panel.sections.value, to: &text)
    dump(manager.trace(feature: "f", variable: "v"), to: &text)
    dump(manager.snapshot(), to: &text)
    print(manager, ephemeral, _secret, $secret, panel.sections.value, manager.snapshot(), to: &text)
    do {
      _ = try manager.value(feature: "f", variable: "v", as: Int.self)
    } catch {
      dump(error, to: &text)
      print(error, to: &text)
    }
    #expect(!text.contains("hunter"))
    #expect(!text.isEmpty)
    let edits = [TweakEdit(key, "hunter5"), TweakEdit(TweakID(feature: "g", variable: "w"), nil)]
    var dumped = ""
    dump(edits, to: &dumped)
    for text in [dumped, "\(edits)", String(reflecting: edits[0])] {
      #expect(!text.contains("hunter"))
      #expect(text.contains("<redacted>"))
    }
    #expect(edits.map { "\($0)" } == ["f/v = <redacted>", "g/w deleted"])
    ephemeral.apply([TweakEdit(key, 5)])
    #expect(throws: TweakError.invalidText(Tweak.redacted, kind: .int)) {
      try panel.edit(key, text: "hunter4")
    }
  }
}
