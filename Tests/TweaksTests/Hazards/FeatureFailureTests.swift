import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Features with an unusable state")
struct FeatureFailureTests {
  private let id = TweakID(feature: "shop", variable: Tweak.enabledVariable)

  private func file(_ enabled: String) throws -> FileTweakProvider {
    try Fixture().local(#"{"shop": {"enabled": \#(enabled), "limit": {"Value": 1}}}"#)
  }

  @Test(arguments: [#"{"Value": "false"}"#, #"{"Value": 0}"#])
  func `a state that is not a Bool disables the feature and is reported with the flag's error`(text: String) throws {
    for usesCache in [false, true] {
      let manager = TweakManager(providers: [try file(text), EphemeralTweakProvider(["shop": ["enabled": true]])])
      manager.usesCache = usesCache
      let failures = manager.failures.recorded()
      for _ in 1...3 { #expect(!manager.isFeatureEnabled("shop")) }
      #expect(!manager.property(forFeature: "shop").value)
      #expect(failures.elements.count == 1)
      let error = try #require(failures.elements.first)
      #expect(throws: error) { try manager.value(feature: "shop", variable: "enabled", as: Bool.self) }
      #expect(throws: error) { try manager.featureState("shop") }
      // After a change it is reported again.
      manager.resetCache()
      _ = manager.isFeatureEnabled("shop")
      #expect(failures.elements == [error, error])
    }
  }

  @Test
  func `an encrypted state is decrypted, or disables the feature and is reported`() throws {
    let manager = TweakManager(providers: [try file(#"{"Value": "eurt", "Encrypted": true}"#)])
    let failures = manager.failures.recorded()
    let seen = manager.property(forFeature: "shop").recorded()
    #expect(!manager.isFeatureEnabled("shop"))
    #expect(failures.elements.count == 1)
    guard case .decryptionClosureNotProvided(id, _) = failures.elements.first else {
      Issue.record("\(failures.elements)")
      return
    }
    manager.decryptionClosure = { .bool(Example.reversed($0) == "true") }
    #expect(manager.isFeatureEnabled("shop"))
    #expect(seen.elements == [false, true])
    #expect(failures.elements.count == 1)
  }

  @Test
  func `in strict mode, an error of a provider does not pass the decision to the next one`() throws {
    let broken = TargetingTweakProvider(
      rules: [TweakRule("shop", "enabled", value: true, basisPoints: 5_000)], context: .constant(TweakContext()))
    let below = EphemeralTweakProvider(["shop": ["enabled": true]])
    let error = TweakError.targetingKeyMissing(id, provider: broken.name)
    func inner() -> TweakManager { TweakManager(providers: [broken, below], name: "inner") }
    for manager in [inner(), TweakManager(providers: [inner(), below], name: "outer")] {
      let failures = manager.failures.recorded()
      #expect(!manager.isFeatureEnabled("shop"))
      #expect(failures.elements == [error])
    }
    let lenient = TweakManager(providers: [broken, below], fallsThrough: true)
    #expect(lenient.isFeatureEnabled("shop"))
    lenient.removeProviders(named: below.name)
    #expect(throws: error) { try lenient.featureState("shop") }
  }

  @Test
  func `an unknown feature is reported once, if requested`() throws {
    let manager = TweakManager(providers: [EphemeralTweakProvider(["shop": ["enabled": true]])], reportsMissing: true)
    let failures = manager.failures.recorded()
    for _ in 1...3 { #expect(!manager.isFeatureEnabled("shpo")) }
    #expect(manager.isFeatureEnabled("shop"))
    #expect(failures.elements == [.notFound(TweakID(feature: "shpo", variable: "enabled"))])
    #expect(try manager.featureState("shpo") == nil)
  }
}
