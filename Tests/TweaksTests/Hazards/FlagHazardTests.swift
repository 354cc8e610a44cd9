import AppGroups
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Hazards of flags")
struct FlagHazardTests {
  private let key = TweakID(feature: "f", variable: "v")

  @Test
  func `an override disables and re-enables a feature that the file declares`() throws {
    let local = try Fixture().local(#"{"f": {"v": {"Value": 1}}, "empty": {}, "off": {"enabled": {"Value": false}}}"#)
    let manager = TweakManager(providers: [EphemeralTweakProvider(), local])
    #expect(manager.isFeatureEnabled("f"))
    #expect(manager.isFeatureEnabled("empty"))
    #expect(!manager.isFeatureEnabled("off"))
    #expect(!manager.isFeatureEnabled("unknown"))
    let seen = manager.property(forFeature: "f").recorded()
    let changes = manager.changes.recorded()
    for usesCache in [false, true] {
      manager.usesCache = usesCache
      try manager.setFeature("f", isEnabled: false)
      #expect(!manager.isFeatureEnabled("f"))
      try manager.setFeature("f", isEnabled: nil)
      #expect(manager.isFeatureEnabled("f"))
    }
    #expect(seen.elements == [true, false, true, false, true])
    #expect(changes.elements.count == 4)
  }

  @Test
  func `a missing value or one of another type yields the default, not a crash`() throws {
    let provider = EphemeralTweakProvider(["f": ["int": 3, "text": "42", "float": 1.0]])
    let manager = TweakManager(providers: [provider])
    let failures = manager.failures.recorded()
    @TweakProperty(feature: "f", variable: "missing", tweakManager: manager) var missing: Bool
    @TweakProperty(feature: "f", variable: "int", tweakManager: manager) var double: Double
    @TweakProperty(wrappedValue: 7, feature: "f", variable: "text", tweakManager: manager) var drifted: Int
    @TweakProperty(wrappedValue: 7, feature: "f", variable: "float", tweakManager: manager) var int: Int
    for _ in 1...3 {
      #expect(missing == false)
      #expect(double == 3.0)
      #expect(drifted == 7)
      #expect(int == 7)
    }
    // Each failure is reported once.
    #expect(failures.elements.count == 2)
    provider.apply([TweakEdit(TweakID(feature: "f", variable: "text"), 42)])
    #expect(drifted == 42)
  }

  @Test
  func `equal variable names in different features are different tweaks in every store`() throws {
    let fixture = try Fixture()
    let defaults = try TestDefaults()
    let providers: [any MutableTweakProvider] = [
      EphemeralTweakProvider(), UserDefaultsTweakProvider(userDefaults: defaults.defaults),
      SuiteTweakProvider(suite: try fixture.suite()),
    ]
    let ids = [
      ("f", "i"), ("other", "i"), ("a.b", "c"), ("a", "b.c"), ("a/b", "c"), ("a", "b/c"), ("a%2Fb", "c"), ("a-b", "c"),
      ("a", "b-c"), ("", "x"), ("x", ""), ("\u{301}a", "\u{301}b"), ("a%\u{301}", "%\u{301}"), ("a/\u{301}", "\u{301}"),
    ]
    for provider in providers {
      for (index, id) in ids.enumerated() { try provider.set(.int(index), feature: id.0, variable: id.1) }
      for (index, id) in ids.enumerated() {
        #expect(try provider.tweak(feature: id.0, variable: id.1)?.value == .int(index))
      }
      #expect(provider.table.value.ids == Set(ids.map { TweakID(feature: $0.0, variable: $0.1) }))
      for id in ids { try provider.deleteValue(feature: id.0, variable: id.1) }
      #expect(provider.table.value.ids.isEmpty)
    }
  }

  @Test
  func `the cause of a failed read reaches the caller as a specific error`() throws {
    let local = try Fixture().local(#"{"f": {"v": {"Value": "abc", "Encrypted": true}}}"#)
    let name = local.name
    let manager = TweakManager(providers: [local])
    for usesCache in [false, true] {
      manager.usesCache = usesCache
      #expect(throws: TweakError.decryptionClosureNotProvided(key, provider: name)) {
        try manager.requiredTweak(feature: "f", variable: "v")
      }
    }
    #expect(throws: TweakError.decryptionClosureNotProvided(key, provider: name)) {
      try manager.value(feature: "f", variable: "v", as: String.self)
    }
    manager.decryptionClosure = { _ in throw CancellationError() }
    #expect(throws: TweakError.decryptionFailed(key, provider: name, reason: "CancellationError()")) {
      try manager.requiredTweak(feature: "f", variable: "v")
    }
    let broken = CountingProvider("Broken") { id throws(TweakError) in
      throw .unavailable(id, provider: "Broken", reason: "no connection")
    }
    #expect(throws: TweakError.unavailable(key, provider: "Broken", reason: "no connection")) {
      try TweakManager(providers: [broken, EphemeralTweakProvider(["f": ["v": 1]])])
        .requiredTweak(feature: "f", variable: "v")
    }
    #expect(throws: TweakError.typeMismatch(key, expected: "Bool", found: "the Int \"1\"", provider: "One")) {
      try TweakManager(providers: [EphemeralTweakProvider(["f": ["v": 1]], name: "One")])
        .value(feature: "f", variable: "v", as: Bool.self)
    }
  }

  @Test(arguments: ["nan", "inf", "-inf", "1e300", "9223372036854775808", "0x1F", ""])
  func `text that is not a valid number yields an error, not a crash`(text: String) throws {
    let environment = EnvironmentTweakProvider(environment: ["TWEAK_F__V": text])
    let ephemeral = EphemeralTweakProvider(["f": ["v": .string(text)]])
    for provider in [environment as any TweakProvider, ephemeral] {
      let manager = TweakManager(providers: [provider])
      #expect(throws: TweakError.self) { try manager.value(feature: "f", variable: "v", as: Int.self) }
      #expect(manager.value(feature: "f", variable: "v", default: 5) == 5)
    }
  }

  @Test(.patient, arguments: [false, true])
  func `callbacks may use the manager, even for the same tweak`(usesCache: Bool) async throws {
    let reference = MutableProperty<TweakManager?>(nil)
    let calls = MutableProperty(0)
    let use: @Sendable () -> Void = {
      guard let manager = reference.value else { return }
      calls.modify { $0 += 1 }
      _ = manager.value(feature: "f", variable: "v", default: 0)
      do {
        _ = try manager.requiredTweak(feature: "f", variable: "v")
        try manager.set(.int(calls.value % 3), feature: "g", variable: "w")
      } catch {}
      _ = manager.isFeatureEnabled("f")
      manager.resetCache()
    }
    let asking = CountingProvider { id in
      if id.feature == "f", calls.value < 100 { use() }
      return nil
    }
    let manager = TweakManager(providers: [asking, EphemeralTweakProvider(["f": ["v": 1]])])
    reference.value = manager
    manager.usesCache = usesCache
    manager.logClosure = { _, _ in if calls.value < 200 { use() } }
    manager.add(
      TweakHook(before: { _ in if calls.value < 300 { use() } }, finally: { _ in if calls.value < 300 { use() } }))
    let observed = manager.signal(feature: "f", variable: "v", as: Int.self).sink { _ in if calls.value < 400 { use() }
    }
    let changes = manager.changes.sink { _ in if calls.value < 400 { use() } }
    try await onThread {
      withThreads(2) { thread in
        for number in 1...50 {
          do { try manager.set(.int(number), feature: "f", variable: "v") } catch {}
          _ = manager.value(feature: "f", variable: "v", default: 0)
        }
      }
    }
    try manager.set(7, feature: "f", variable: "v")
    #expect(manager.value(feature: "f", variable: "v", default: 0) == 7)
    #expect(calls.value >= 100)
    reference.value = nil
    manager.logClosure = nil
    withExtendedLifetime((observed, changes)) {}
  }

  @Test
  func `a provider that reads the tweak it provides gets an error, not endless recursion`() throws {
    let reference = MutableProperty<TweakManager?>(nil)
    let errors = Recorder<TweakError>()
    let provider = CountingProvider("Snake") { id throws(TweakError) in
      do throws(TweakError) {
        return try reference.value?.requiredTweak(feature: id.feature, variable: id.variable).value
      } catch {
        errors.record(error)
        return 1
      }
    }
    let manager = TweakManager(providers: [provider])
    reference.value = manager
    #expect(manager.value(feature: "f", variable: "v", default: 0) == 1)
    #expect(errors.elements == [.cyclic(key, provider: "TweakManager")])
    reference.value = nil
  }

  @Test
  func `inserting a manager into one that it contains stops the process`() async {
    await #expect(processExitsWith: .failure) {
      let inner = TweakManager(providers: [])
      let outer = TweakManager(providers: [TweakManager(providers: [inner])])
      inner.insert(outer)
    }
  }

  @Test(.patient)
  func `every manager reads a write at once, despite caches and concurrent reads`() async throws {
    let ephemeral = EphemeralTweakProvider()
    let first = TweakManager(providers: [ephemeral])
    let second = TweakManager(providers: [ephemeral])
    for manager in [first, second] { manager.usesCache = true }
    let reader = Thread {
      while !Thread.current.isCancelled { _ = second.value(feature: "f", variable: "v", default: -1) }
    }
    reader.start()
    defer { reader.cancel() }
    for number in 0..<2_000 {
      try first.set(.int(number), feature: "f", variable: "v")
      #expect(first.value(feature: "f", variable: "v", default: -1) == number)
      #expect(second.value(feature: "f", variable: "v", default: -1) == number)
    }
    try first.setFeature("f", isEnabled: true)
    #expect(second.isFeatureEnabled("f"))
    ephemeral.apply([TweakEdit(TweakID(feature: "f", variable: Tweak.enabledVariable), false)])
    #expect(!first.isFeatureEnabled("f"))
    #expect(!second.isFeatureEnabled("f"))
    try first.deleteValue(feature: "f", variable: "v")
    #expect(throws: TweakError.self) { try second.requiredTweak(feature: "f", variable: "v") }
  }

  @Test
  func `errors in files and unsupported values are reported with line and column`() throws {
    let fixture = try Fixture()
    let cases: [(String, Int, Int, String)] = [
      (#"{"f": {"v": {"Value": null}}}"#, 1, 23, "null"),
      (#"{"f": {"v": {"Value": [1,]}}}"#, 1, 26, "comma"),
      (#"{"f": {"v": {"Value": {"a": 1, "a": 2}}}}"#, 1, 32, "duplicate"),
      ("{\n  \"f\": 1\n}", 2, 8, "an Int"),
      ("[]", 1, 1, "array"), ("{\"f\": {\"v\": {\"Value\": 1},}}", 1, 26, "comma"), ("{", 1, 2, "name"),
      ("", 1, 1, "ends"),
      (#"{"f": {"v": {"Title": "x"}}}"#, 1, 8, "no \"Value\""), (#"{"f": {"v": {"Value": 1e400}}}"#, 1, 23, "1e400"),
      (#"{"f": {"v": {"Value": 9223372036854775808}}}"#, 1, 23, "does not fit"),
      (#"{"f": {"v": {"Value": NaN}}}"#, 1, 23, "expected a value"),
      (#"{"f": {}, "f": {}}"#, 1, 11, "duplicate"), (#"{"": {}}"#, 1, 2, "no name"),
      (#"{"f": {"v": {"Value": 1, "Encrypted": 1}}}"#, 1, 39, "Bool"), ("{} {}", 1, 4, "unexpected text"),
      (#"{"f": {"v": {"Value": 9007199254740993, "PreserveFloat": true}}}"#, 1, 23, "Double"),
      (#"{"f": {"v": {"Value": "\ud800"}}}"#, 1, 24, "surrogate"),
      (#"{"f": {"v": {"Value": 01}}}"#, 1, 23, "leading zero"),
    ]
    for (text, line, column, reason) in cases {
      let url = try fixture.write(text)
      do {
        _ = try FileTweakProvider(url: url, isLive: false)
        Issue.record("\(text) was accepted")
      } catch .invalidFile(let file, let foundLine, let foundColumn, let foundReason) {
        #expect(file == url)
        #expect((foundLine, foundColumn) == (line, column), "\(text): \(foundReason)")
        #expect(foundReason.contains(reason), "\(text): \(foundReason)")
      } catch .unusableFile(.empty(_)) where text.isEmpty {
      } catch {
        Issue.record("\(text): \(error)")
      }
    }
    #expect(throws: TweakError.unusableFile(.missing(fixture.directory.file("none.json")))) {
      try FileTweakProvider(url: fixture.directory.file("none.json"))
    }
    let large = try fixture.local(#"{"f": {"v": {"Value": 9007199254740993}}}"#)
    #expect(try large.tweak(feature: "f", variable: "v")?.value == 9_007_199_254_740_993)
  }

  @Test
  func `a provider keeps its own decryption closure, and providers can be inserted and removed`() throws {
    let local = try Fixture().local(#"{"f": {"v": {"Value": "abc", "Encrypted": true}}}"#)
    local.decryptionClosure = Example.reversed
    let manager = TweakManager(providers: [local])
    manager.decryptionClosure = { _ in "the manager's" }
    #expect(try manager.requiredTweak(feature: "f", variable: "v").value == "cba")
    let seen = manager.signal(feature: "g", variable: "w", as: Int.self).recorded()
    manager.insert(EphemeralTweakProvider(["g": ["w": 1]], name: "Added"))
    manager.insert(EphemeralTweakProvider(["g": ["w": 2]], name: "Last"), at: 99)
    #expect(manager.providers.map(\.name) == ["Added", local.name, "Last"])
    manager.removeProviders(named: "Added")
    manager.removeProviders(named: "Last")
    #expect(seen.elements == [nil, 1, 2, nil])
  }

  @Test
  func `an observer is not retained, and receives only the changes of its own manager`() async throws {
    let remote = CountingProvider { _ in nil }
    let manager = TweakManager(providers: [EphemeralTweakProvider(), remote])
    let other = TweakManager(providers: [EphemeralTweakProvider()])
    let changes = Recorder<TweakChange>()
    var observer: Observer? = Observer()
    weak let remembered = observer
    if let observer { manager.addObserver(observer, on: .global()) { changes.record($0) } }
    try other.set(1, feature: "f", variable: "v")
    try manager.set(2, feature: "f", variable: "v")
    #expect(try await changes.first("its own change") { _ in true }.new == 2)
    observer = nil
    #expect(remembered == nil)
    try manager.set(3, feature: "f", variable: "v")
    try manager.set(4, feature: "f", variable: "v")
    #expect(changes.elements.count == 1)
  }

  @Test(.patient)
  func `an update without details makes the manager read all values again`() async throws {
    let value = MutableProperty(1)
    let provider = CountingProvider { _ in .int(value.value) }
    let manager = TweakManager(providers: [provider])
    let seen = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    value.value = 2
    provider.emitter.send(.everything)
    #expect(seen.elements == [1, 2])
    let remote = RemoteTweakProvider(policy: .onRequest) { _ in
      .tweaks([Tweak(feature: "f", variable: "v", value: .int(value.value))])
    }
    manager.insert(remote)
    value.value = 3
    try await remote.refresh()
    #expect(manager.value(feature: "f", variable: "v", default: 0) == 3)
    #expect(seen.elements == [1, 2, 3])
  }

  @Test
  func `an override of an encrypted tweak is stored encrypted, never in plain text`() throws {
    let fixture = try Fixture()
    let local = try fixture.local(#"{"f": {"v": {"Value": "abc", "Encrypted": true}}}"#)
    let suite = try fixture.suite()
    let manager = TweakManager(providers: [SuiteTweakProvider(suite: suite), local])
    manager.decryptionClosure = Example.reversed
    #expect(throws: TweakError.encryptionClosureNotProvided(key, provider: "SuiteTweakProvider")) {
      try manager.set("secret", feature: "f", variable: "v")
    }
    manager.encryptionClosure = Example.reversed
    try manager.set("secret", feature: "f", variable: "v")
    #expect(try manager.requiredTweak(feature: "f", variable: "v").value == "secret")
    #expect(try manager.requiredTweak(feature: "f", variable: "v").isSecret)
    let text = try String(contentsOf: suite.url, encoding: .utf8)
    #expect(text.contains("terces"))
    #expect(!text.contains("secret"))
    try manager.deleteValue(feature: "f", variable: "v")
    #expect(try manager.requiredTweak(feature: "f", variable: "v").value == "cba")
  }

  @Test
  func `a manager without providers returns defaults, and does not crash`() throws {
    let manager = TweakManager(providers: [])
    #expect(manager.value(feature: "", variable: "", default: 1) == 1)
    #expect(!manager.isFeatureEnabled(""))
    #expect(manager.snapshot().tweaks.isEmpty)
    #expect(manager.trace(feature: "f", variable: "v").winner == nil)
  }
}
