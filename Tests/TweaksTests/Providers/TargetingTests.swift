import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Targeting of users")
struct TargetingTests {
  @Test(arguments: [
    ("gr1", "123", 73), ("groupX", "999", 25), ("new-checkout", "user-42", 75),
  ])
  func `buckets match those of other services`(name: String, user: String, bucket: Int) {
    #expect(TweakRule.bucket(name, targetingKey: user) % 100 + 1 == bucket)
  }

  @Test
  func `buckets are the same on every platform, for any characters`() {
    #expect(TweakRule.bucket("new-checkout", targetingKey: "user-42") == 774)
    #expect(TweakRule.bucket("føø", targetingKey: "日本") == 8638)
  }

  private func count(_ feature: String, _ basisPoints: Int, users: Int) -> Set<Int> {
    Set((0..<users).filter { TweakRule.bucket(feature, targetingKey: "user-\($0)") < basisPoints })
  }

  @Test
  func `shares have their size, grow without dropping users, and are independent of each other`() {
    let users = 20_000
    for share in [100, 500, 2_500, 5_000] {
      let found = count("a/v", share, users: users)
      #expect(abs(Double(found.count) / Double(users) - Double(share) / 10_000) < 0.01)
      #expect(found.isSubset(of: count("a/v", share + 1_000, users: users)))
    }
    let both = count("a/v", 5_000, users: users).intersection(count("b/v", 5_000, users: users))
    #expect(abs(Double(both.count) / Double(users) - 0.25) < 0.015)
  }

  private let context = MutableProperty(TweakContext(attributes: ["country": "NL", "age": 30, "version": "2.10.1"]))

  private func holds(_ condition: TweakCondition) throws -> Bool {
    let provider = TargetingTweakProvider(rules: [TweakRule("f", "v", value: 1, if: [condition])], context: context)
    return try provider.tweak(feature: "f", variable: "v") != nil
  }

  @Test
  func `conditions compare attributes, and never hold if the attribute is missing`() throws {
    #expect(try holds(TweakCondition("country", .isOneOf, "BE", "NL")))
    #expect(try !holds(TweakCondition("country", .isOneOf, "BE")))
    #expect(try holds(TweakCondition("country", .isOneOf, "BE", isNegated: true)))
    #expect(try holds(TweakCondition("country", .startsWith, "N")))
    #expect(try holds(TweakCondition("country", .endsWith, "L")))
    #expect(try holds(TweakCondition("country", .contains, "NL")))
    #expect(try holds(TweakCondition("age", .isGreater, 29.5)))
    #expect(try !holds(TweakCondition("age", .isLess, 30)))
    #expect(try holds(TweakCondition("version", .isVersionFrom, "2.9")))
    #expect(try !holds(TweakCondition("version", .isVersionFrom, "2.10.2")))
    #expect(try holds(TweakCondition("version", .isVersionFrom, "2.10.1.0")))
    for isNegated in [false, true] {
      #expect(try !holds(TweakCondition("missing", .isOneOf, "NL", isNegated: isNegated)))
      #expect(try !holds(TweakCondition("country", .init(rawValue: "sounds"), "NL", isNegated: isNegated)))
    }
  }

  @Test
  func `an unknown operator is reported`() {
    let provider = TargetingTweakProvider(
      rules: [TweakRule("f", "v", value: 1, if: [TweakCondition("country", .init(rawValue: "sounds"), "NL")])],
      context: context
    )
    let manager = TweakManager(providers: [provider])
    let failures = manager.failures.recorded()
    #expect(manager.value(feature: "f", variable: "v", default: 5) == 5)
    let id = TweakID(feature: "f", variable: "v")
    let reason = "this version does not support the operator \"sounds\""
    let failure = TweakError.incomparable(id, attribute: "country", reason: reason, provider: "TargetingTweakProvider")
    #expect(failures.elements == [failure])
  }

  @Test
  func `the first matching rule decides, and the value follows rules and context`() {
    let provider = TargetingTweakProvider(
      rules: [
        TweakRule("f", "v", value: 1, if: [TweakCondition("country", .isOneOf, "BE")]),
        TweakRule("f", "v", value: 2, if: [TweakCondition("country", .isOneOf, "NL")]),
        TweakRule("f", "v", value: 3, basisPoints: 10_000),
      ],
      context: context
    )
    let manager = TweakManager(providers: [provider])
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    context.modify { $0.attributes["country"] = "BE" }
    context.modify { $0.attributes["country"] = nil }
    provider.rules.value = []
    #expect(values.elements == [2, 1, 3, nil])
  }

  @Test
  func `shares of 0 and 100 percent need no targeting key, and others do`() throws {
    let provider = TargetingTweakProvider(
      rules: [
        TweakRule("f", "nobody", value: 1, basisPoints: 0), TweakRule("f", "everyone", value: 1),
        TweakRule("f", "half", value: 1, basisPoints: 5_000),
      ],
      context: context
    )
    let manager = TweakManager(providers: [provider])
    #expect(manager.value(feature: "f", variable: "nobody", default: 0) == 0)
    #expect(manager.value(feature: "f", variable: "everyone", default: 0) == 1)
    let id = TweakID(feature: "f", variable: "half")
    #expect(throws: TweakError.targetingKeyMissing(id, provider: "TargetingTweakProvider")) {
      try manager.value(feature: "f", variable: "half", as: Int.self)
    }
    #expect(manager.value(feature: "f", variable: "half", default: 0) == 0)
    context.modify { $0.targetingKey = "user" }
    #expect(
      manager.value(feature: "f", variable: "half", default: 0)
        == (TweakRule.bucket("f/half", targetingKey: "user") < 5_000 ? 1 : 0))
  }
}
