import AppGroups
import Foundation
import Signals
import TestSupport
import Testing
import Tweaks

@Suite("Traces")
struct TraceTests {
  private let id = TweakID(feature: "shop", variable: "limit")

  /// The lines of a trace of the tweak, without the first one.
  private func answers(_ providers: any TweakProvider...) -> [String] {
    let trace = TweakManager(providers: providers).trace(feature: id.feature, variable: id.variable)
    return trace.description.split(separator: "\n").dropFirst().map(String.init)
  }

  private func failing(_ error: TweakError) -> any TweakProvider {
    CountingProvider("overrides") { _ throws(TweakError) in throw error }
  }

  @Test
  func `a line about a failed provider names the provider once`() async throws {
    let suite = try Fixture().suite("settings.json")
    try await suite.set("garbage", forKey: "shop/limit")
    let stored = try #require(answers(SuiteTweakProvider(suite: suite, name: "overrides")).first)
    #expect(stored.hasPrefix("→ overrides: "))
    let errors: [TweakError] = [
      .notSupported(id, provider: "overrides", reason: "reason"),
      .typeMismatch(id, expected: "Int", found: "a String", provider: "overrides"),
      .decryptionClosureNotProvided(id, provider: "overrides"),
      .decryptionFailed(id, provider: "overrides", reason: "reason"),
      .unavailable(id, provider: "overrides", reason: "reason"),
      .targetingKeyMissing(id, provider: "overrides"), .cyclic(id, provider: "overrides"),
    ]
    for line in [stored] + errors.compactMap({ answers(failing($0)).first }) {
      #expect(line.components(separatedBy: "overrides").count == 2, "\(line)")
      #expect(!line.contains("shop/limit") || line == stored, "\(line)")
    }
    #expect(answers(failing(errors[4])) == ["→ overrides: it failed: reason"])
    #expect(answers(failing(errors[2])) == ["→ overrides: the value is encrypted, and no decryptionClosure is set"])
  }

  @Test
  func `a trace names the rule that gave a value, and has the version of the current snapshot`() throws {
    let context = MutableProperty(TweakContext(targetingKey: "user-42", attributes: ["country": "NL"]))
    let targeting = TargetingTweakProvider(
      rules: [
        TweakRule("shop", "other", value: 1),
        TweakRule("shop", "limit", value: 50, if: [TweakCondition("country", .isOneOf, "BE", "NL")]),
        TweakRule(
          "shop", "limit", value: 20, if: [TweakCondition("country", .startsWith, "U", isNegated: true)],
          basisPoints: 9_999
        ),
        TweakRule("shop", "limit", value: 10),
      ],
      context: context
    )
    let manager = TweakManager(providers: [targeting])
    let values = manager.signal(feature: "shop", variable: "limit", as: Int.self).recorded()
    func text() -> String { manager.trace(feature: "shop", variable: "limit").description }
    #expect(
      text() == """
        shop/limit, version 0
        → TargetingTweakProvider: 50, by rule 2 (country isOneOf BE, NL)
        """)
    context.modify { $0.attributes["country"] = "FR" }
    #expect(
      text() == """
        shop/limit, version 1
        → TargetingTweakProvider: 20, by rule 3 (country not startsWith U; 99.99 % of users)
        """)
    context.modify { $0.attributes["country"] = nil }
    #expect(
      text() == """
        shop/limit, version 2
        → TargetingTweakProvider: 10, by rule 4
        """)
    #expect(manager.snapshot().version == 2)
    #expect(values.elements == [50, 20, 10])
  }
}
