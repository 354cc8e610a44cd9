import Configuration
import Foundation
import Signals
import Testing
import TweakConfiguration
import Tweaks

@Suite("Tweaks as configuration", .timeLimit(.minutes(1)))
struct TweakConfigProviderTests {
  let overrides = EphemeralTweakProvider()
  let manager: TweakManager
  let reader: ConfigReader

  init() {
    let defaults = EphemeralTweakProvider([
      "shop": ["limit": 10, "title": "Shop", "isOpen": true, "share": 0.5], "shop.window": ["rows": 3],
    ])
    manager = TweakManager(providers: [overrides, defaults])
    reader = ConfigReader(providers: [
      TweakConfigProvider(manager), InMemoryProvider(values: ["shop.other": 1, "shop.limit": 99]),
    ])
  }

  @Test
  func `the last component is the variable, and the first provider with a value decides`() {
    #expect(reader.int(forKey: "shop.limit") == 10)
    #expect(reader.string(forKey: "shop.title") == "Shop")
    #expect(reader.bool(forKey: "shop.isOpen") == true)
    #expect(reader.double(forKey: "shop.share") == 0.5)
    #expect(reader.int(forKey: "shop.window.rows") == 3)
    #expect(reader.int(forKey: "shop.other") == 1, "a missing tweak leaves the lookup to the next provider")
    #expect(reader.int(forKey: "limit") == nil)
  }

  @Test
  func `a value of another type is an error, which ends the lookup`() throws {
    #expect(throws: TweakError.self) { try reader.requiredInt(forKey: "shop.title") }
    let provider = TweakConfigProvider(manager)
    #expect(throws: TweakError.self) { try provider.value(forKey: "shop.limit", type: .bytes) }
  }

  @Test
  func `lists and secrets keep their kind`() throws {
    try manager.set(["a", "b"], for: TweakKey("shop", "names", default: [String]()))
    try manager.set([1, 2], for: TweakKey("shop", "sizes", default: [Int]()))
    #expect(reader.stringArray(forKey: "shop.names") == ["a", "b"])
    #expect(reader.intArray(forKey: "shop.sizes") == [1, 2])
    var tweak = Tweak(feature: "shop", variable: "token", value: "t")
    tweak.isSecret = true
    let secret = RemoteTweakProvider(bootstrap: [tweak], policy: .onRequest) { _ in .notModified }
    let provider = TweakConfigProvider(TweakManager(providers: [secret]))
    #expect(try provider.value(forKey: "shop.token", type: .string).value?.isSecret == true)
  }

  @Test
  func `a watcher receives the current value and the newest one`() async throws {
    try await reader.watchInt(forKey: "shop.limit") { [manager] updates in
      var iterator = updates.makeAsyncIterator()
      #expect(try await iterator.next() == 10)
      for value in 11...13 { try manager.set(value, for: TweakKey("shop", "limit", default: 0)) }
      while let value = try await iterator.next(), value != 13 {}
    }
  }

  @Test
  func `a snapshot is whole, and another one follows each change`() async throws {
    let provider = TweakConfigProvider(manager)
    let old = provider.snapshot()
    try await provider.watchSnapshot { [manager] snapshots in
      var iterator = snapshots.makeAsyncIterator()
      #expect(try await iterator.next()?.value(forKey: "shop.limit", type: .int).value == 10)
      try manager.apply([
        TweakEdit(TweakID(feature: "shop", variable: "limit"), 20),
        TweakEdit(TweakID(feature: "shop", variable: "title"), "New"),
      ])
      while let snapshot = try await iterator.next() {
        if try snapshot.value(forKey: "shop.limit", type: .int).value == 20 {
          #expect(try snapshot.value(forKey: "shop.title", type: .string).value == "New")
          break
        }
      }
    }
    #expect(try old.value(forKey: "shop.limit", type: .int).value == 10)
  }

  @Test
  func `a fetch refreshes the tweaks first`() async throws {
    let remote = RemoteTweakProvider(policy: .onRequest) { _ in
      .tweaks([Tweak(feature: "shop", variable: "limit", value: 30)])
    }
    let provider = TweakConfigProvider(TweakManager(providers: [remote])) { try await remote.refresh() }
    #expect(try provider.value(forKey: "shop.limit", type: .int).value == nil)
    #expect(try await provider.fetchValue(forKey: "shop.limit", type: .int).value == 30)
  }
}

@Suite("Configuration as tweaks", .timeLimit(.minutes(1)))
struct ConfigTweakProviderTests {
  let configuration = MutableInMemoryProvider(initialValues: [
    "shop.limit": 10, "shop.names": ConfigValue(.stringArray(["a"]), isSecret: false),
    "shop.token": ConfigValue("t", isSecret: true),
  ])

  private func tweaks() -> ConfigTweakProvider {
    ConfigTweakProvider(
      configuration,
      types: [
        TweakID(feature: "shop", variable: "limit"): .int, TweakID(feature: "shop", variable: "names"): .stringArray,
        TweakID(feature: "shop", variable: "token"): .string, TweakID(feature: "shop", variable: "share"): .double,
      ])
  }

  @Test
  func `declared tweaks have the values of the configuration, and others do not exist`() throws {
    let provider = tweaks()
    let manager = TweakManager(providers: [provider])
    #expect(manager[TweakKey("shop", "limit", default: 0)] == 10)
    #expect(manager[TweakKey("shop", "names", default: [String]())] == ["a"])
    #expect(manager.value(feature: "shop", variable: "share", default: 0.25) == 0.25)
    #expect(try provider.tweak(feature: "shop", variable: "token")?.isSecret == true)
    #expect(try provider.tweak(feature: "shop", variable: "undeclared") == nil)
    #expect(try provider.tweak(feature: "shop", variable: "limit")?.source == nil)
    #expect(try manager.requiredTweak(feature: "shop", variable: "limit").source == provider.name)
  }

  @Test
  func `a change of the configuration reaches observers`() async throws {
    let manager = TweakManager(providers: [tweaks()])
    let key = TweakKey("shop", "limit", default: 0)
    for value in 11...13 {
      configuration.setValue(ConfigValue(.int(value), isSecret: false), forKey: "shop.limit")
      for await shown in manager.signal(for: key).values where shown == value { break }
    }
    configuration.setValue(nil, forKey: "shop.limit")
    for await shown in manager.signal(for: key).values where shown == 0 { break }
  }

  @Test
  func `a value of another type is reported, and the default is used`() throws {
    configuration.setValue(ConfigValue("many", isSecret: false), forKey: "shop.limit")
    let manager = TweakManager(providers: [tweaks()])
    #expect(manager[TweakKey("shop", "limit", default: 5)] == 5)
    #expect(throws: TweakError.self) { try manager.requiredTweak(feature: "shop", variable: "limit") }
  }
}
