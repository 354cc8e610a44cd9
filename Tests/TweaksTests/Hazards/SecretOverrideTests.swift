import AppGroups
import Foundation
import Signals
import TestSupport
import Testing
import Tweaks

@Suite("Overrides of secret flags")
struct SecretOverrideTests {
  private let fixture: Fixture
  private let file: FileTweakProvider
  private let id = TweakID(feature: "api", variable: "key")

  init() throws {
    fixture = try Fixture()
    file = try fixture.local(#"{"api": {"key": {"Value": "yek", "Encrypted": true}}}"#)
  }

  @Test
  func `a plain value of a provider in between does not make an override of an encrypted flag plain`() throws {
    let suite = try fixture.suite()
    let environment = EnvironmentTweakProvider(environment: ["TWEAK_API__KEY": "variable"])
    let manager = TweakManager(providers: [SuiteTweakProvider(suite: suite), environment, file])
    manager.decryptionClosure = Example.reversed
    #expect(throws: TweakError.encryptionClosureNotProvided(id, provider: "SuiteTweakProvider")) {
      try manager.set("hunter2", feature: "api", variable: "key")
    }
    manager.encryptionClosure = Example.reversed
    try manager.set("hunter2", feature: "api", variable: "key")
    let text = try String(contentsOf: suite.url, encoding: .utf8)
    #expect(text.contains("2retnuh"))
    #expect(!text.contains("hunter2"))
    #expect(try manager.requiredTweak(feature: "api", variable: "key").value == "hunter2")
    #expect(manager.value(feature: "api", variable: "key", default: "") == "hunter2")
    // The stored text is never used as the value.
    manager.decryptionClosure = nil
    #expect(throws: TweakError.decryptionClosureNotProvided(id, provider: "SuiteTweakProvider")) {
      try manager.requiredTweak(feature: "api", variable: "key")
    }
    #expect(manager.value(feature: "api", variable: "key", default: "default") == "default")
  }

  @Test
  func `an inner manager that cannot decrypt a flag still marks it as secret`() throws {
    let manager = TweakManager(providers: [
      SuiteTweakProvider(suite: try fixture.suite()), TweakManager(providers: [file]),
    ])
    #expect(throws: TweakError.encryptionClosureNotProvided(id, provider: "SuiteTweakProvider")) {
      try manager.set("hunter2", feature: "api", variable: "key")
    }
  }

  @Test
  func `a plain override of an encrypted flag is read unchanged, and shown nowhere`() throws {
    let arguments = try ArgumentsTweakProvider(arguments: ["--tweak", "api/key=hunter2"])
    let rules = TargetingTweakProvider(
      rules: [TweakRule("api", "key", value: "hunter2")], context: .constant(TweakContext()))
    let remote = RemoteTweakProvider(
      bootstrap: [Tweak(feature: "api", variable: "key", value: "hunter2")], policy: .onRequest
    ) { _ in .tweaks([]) }
    let environment = EnvironmentTweakProvider(environment: ["TWEAK_API__KEY": "hunter2"])
    for provider in [arguments, rules, remote, environment] as [any TweakProvider] {
      let manager = TweakManager(providers: [EphemeralTweakProvider(), provider, file])
      let log = MutableLog()
      manager.logClosure = log.closure
      let changes = manager.changes.recorded()
      let failures = manager.failures.recorded()
      #expect(manager.value(feature: "api", variable: "key", default: "") == "hunter2")
      #expect(try manager.requiredTweak(feature: "api", variable: "key").isSecret)
      #expect(manager.value(feature: "api", variable: "key", default: 1) == 1)
      try manager.set("hunter3", feature: "api", variable: "key")
      let panel = TweakPanel(manager: manager)
      #expect(panel.sections.value.flatMap(\.rows).map(\.isSecret) == [true])
      let texts =
        log.lines + changes.elements.map(\.description) + failures.elements.map(\.description) + [
          manager.trace(feature: "api", variable: "key").description, "\(panel.sections.value)",
          "\(manager.snapshot())",
        ]
      #expect(changes.elements.count == 1)
      #expect(failures.elements.count == 1)
      for text in texts { #expect(!text.contains("hunter"), "\(provider.name): \(text)") }
    }
  }
}
