import AppGroups
import FileSignals
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Reported misuse of flags")
struct ReportedMisuseTests {
  private let id = TweakID(feature: "f", variable: "v")

  // MARK: Falling through

  @Test
  func `an error is the result and is reported, unless another provider has the value`() throws {
    let file = try Fixture().local(#"{"f": {"v": {"Value": "abc", "Encrypted": true}}}"#)
    let manager = TweakManager(providers: [EphemeralTweakProvider(), file], fallsThrough: true)
    let error = TweakError.decryptionClosureNotProvided(id, provider: file.name)
    let failures = manager.failures.recorded()
    #expect(manager.value(feature: "f", variable: "v", default: "default") == "default")
    #expect(failures.elements == [error])
    #expect(throws: error) { try manager.requiredTweak(feature: "f", variable: "v") }
    #expect(throws: error) { try manager.trace(feature: "f", variable: "v").result.get() }
    manager.insert(EphemeralTweakProvider(["f": ["v": "other"]], name: "Last"), at: 9)
    #expect(manager.value(feature: "f", variable: "v", default: "default") == "other")
  }

  @Test
  func `a snapshot returns the manager's value, even from a lower provider`() throws {
    let manager = TweakManager(
      providers: [EphemeralTweakProvider(["f": ["v": "text"]]), EphemeralTweakProvider(["f": ["v": 5]])],
      fallsThrough: true)
    let key = TweakKey("f", "v", default: 9)
    let snapshot = manager.snapshot()
    #expect(snapshot[key] == manager[key])
    #expect(snapshot[key] == 5)
    #expect(snapshot[TweakKey("f", "v", default: "")] == "text")
    #expect(snapshot[TweakKey("f", "v", default: true)])
  }

  // MARK: Failures before the first subscriber

  @Test
  func `failures before the first subscriber are kept for it, each once`() throws {
    let provider = EphemeralTweakProvider(["f": ["v": "text"]])
    let manager = TweakManager(providers: [provider], reportsMissing: true)
    #expect(manager.value(feature: "f", variable: "v", default: 1) == 1)
    #expect(manager.value(feature: "f", variable: "w", default: 1) == 1)
    manager.resetCache()
    #expect(manager.value(feature: "f", variable: "v", default: 1) == 1)
    let failures = manager.failures.recorded()
    let missing = TweakError.notFound(TweakID(feature: "f", variable: "w"))
    #expect(failures.elements.count == 2)
    #expect(failures.elements.last == missing)
    #expect(manager.failures.recorded().elements.isEmpty)
    for number in 0..<150 { _ = manager.value(feature: "g", variable: "v\(number)", default: 1) }
    #expect(failures.elements.count == 152)
    // At most a hundred failures are kept for the first subscriber.
    let other = TweakManager(providers: [], reportsMissing: true)
    for number in 0..<150 { _ = other.value(feature: "g", variable: "v\(number)", default: 1) }
    let late = other.failures.recorded().elements
    #expect(late.count == 100)
    #expect(late.last == .notFound(TweakID(feature: "g", variable: "v149")))
  }

  @Test(.patient)
  func `damage that precedes the manager is reported once, and shown by the provider's status`() async throws {
    let fixture = try Fixture()
    let url = try fixture.write(#"{"f": {"v": {"Value": 1}}}"#)
    let provider = try FileTweakProvider(url: url)
    #expect(provider.status.value == .current)
    try fixture.write("{\n  \"f\": {,")
    _ = try await provider.status.firstValue("the damage") { $0.failure != nil }
    let manager = TweakManager(providers: [provider])
    let failures = manager.failures.recorded()
    #expect(failures.elements.count == 1)
    guard case .invalidFile(url, 2, 9, _) = failures.elements.first else {
      Issue.record("\(failures.elements)")
      return
    }
    // Inserting and removing other providers does not report it again.
    manager.insert(EphemeralTweakProvider(name: "Added"))
    manager.removeProviders(named: "Added")
    #expect(failures.elements.count == 1)
    #expect(TweakManager(providers: [provider]).failures.recorded().elements == failures.elements)
    try fixture.write(#"{"f": {"v": {"Value": 2}}}"#)
    _ = try await provider.status.firstValue("the repair") { $0 == .current }
    #expect(TweakManager(providers: [provider]).failures.recorded().elements.isEmpty)
  }

  @Test(.patient)
  func `a suite or shared file that is unusable from the start is reported to every manager`() throws {
    let fixture = try Fixture()
    let container = try AppGroupsContainer(directory: fixture.directory.url)
    let url = try AppGroupsFile(name: "limits.json", initialValue: 1, container: container).url
    try DurableFile.write(Data("garbage".utf8), to: url)
    let file = try AppGroupsFile(name: "limits.json", initialValue: 1, container: container)
    let shared = SharedTweakProvider(file) { [Tweak(feature: "f", variable: "v", value: .int($0))] }
    let suiteURL = try fixture.suite().url
    try DurableFile.write(Data("garbage".utf8), to: suiteURL)
    let suite = SuiteTweakProvider(suite: try fixture.suite())
    for provider in [shared, suite] as [any TweakProvider] {
      for _ in 1...2 {
        let failures = TweakManager(providers: [provider]).failures.recorded().elements
        #expect(failures.count == 1)
        guard case .unusableStore(provider.name, _) = failures.first else {
          Issue.record("\(failures)")
          continue
        }
      }
    }
  }

  // MARK: Conditions

  private func failures(
    of condition: TweakCondition, in context: TweakContext
  ) -> (holds: Bool, errors: [TweakError]) {
    let provider = TargetingTweakProvider(
      rules: [TweakRule("f", "v", value: true, if: [condition])], context: .constant(context))
    let manager = TweakManager(providers: [provider])
    let holds = manager.value(feature: "f", variable: "v", default: false)
    _ = try? manager.requiredTweak(feature: "f", variable: "v")
    return (holds, manager.failures.recorded().elements)
  }

  @Test(arguments: [false, true])
  func `an impossible comparison never holds, even negated, and is reported`(isNegated: Bool) {
    let context = TweakContext(attributes: ["version": "2.10.1", "beta": "2.10.1-beta", "age": 30, "country": "NL"])
    let conditions = [
      TweakCondition("version", .isVersionFrom, "v3.0", isNegated: isNegated),
      TweakCondition("version", .isVersionFrom, "latest", isNegated: isNegated),
      TweakCondition("version", .isVersionFrom, "2..1", isNegated: isNegated),
      TweakCondition("version", .isVersionFrom, 2.1, isNegated: isNegated),
      TweakCondition("beta", .isVersionFrom, "2.0", isNegated: isNegated),
      TweakCondition("age", .isGreater, "18", isNegated: isNegated),
      TweakCondition("age", .isLess, .double(.nan), isNegated: isNegated),
      TweakCondition("age", .isOneOf, "30", isNegated: isNegated),
      TweakCondition("age", .startsWith, 3, isNegated: isNegated),
      TweakCondition("country", .isOneOf, isNegated: isNegated),
    ]
    for condition in conditions {
      let (holds, errors) = failures(of: condition, in: context)
      #expect(!holds, "\(condition)")
      guard errors.count == 1, case .incomparable(id, let attribute, _, _) = errors[0],
        context.attributes[attribute] != nil
      else {
        Issue.record("\(condition): \(errors)")
        continue
      }
      #expect(!errors[0].description.contains("2.10.1-beta"))
    }
  }

  @Test
  func `large whole numbers are compared exactly, and one matching value in a list is enough`() {
    let context = TweakContext(attributes: ["number": 9_007_199_254_740_993, "age": 30])
    for (condition, isHeld) in [
      (TweakCondition("number", .isGreater, 9_007_199_254_740_992), true),
      (TweakCondition("number", .isLess, 9_007_199_254_740_993), false),
      (TweakCondition("age", .isOneOf, "thirty", 30.0), true),
      (TweakCondition("age", .isOneOf, 31, isNegated: true), true),
    ] {
      let (holds, errors) = failures(of: condition, in: context)
      #expect(holds == isHeld, "\(condition)")
      #expect(errors.isEmpty)
    }
  }

  @Test
  func `an empty targeting key counts as a missing one`() {
    let provider = TargetingTweakProvider(
      rules: [TweakRule("f", "v", value: 1, basisPoints: 5_000)], context: .constant(TweakContext(targetingKey: "")))
    #expect(throws: TweakError.targetingKeyMissing(id, provider: provider.name)) {
      try provider.tweak(feature: "f", variable: "v")
    }
  }

  // MARK: Arguments and the environment

  private let known = [
    Tweak(feature: "shop", variable: "title", value: "Shop"), Tweak(feature: "shop", variable: "limit", value: 1),
    Tweak(feature: "shop", variable: "on", value: false), Tweak(feature: "a.b", variable: "c", value: 1),
    Tweak(feature: "a", variable: "b.c", value: 1),
  ]

  @Test(arguments: [
    ["--tweak", "shop/title", "Sale"], ["--tweak", "shop/limit"], ["--no-tweak", "shop/title"],
    ["--no-tweak=shop/limit"], ["--tweak", "a.b.c=1"], ["--no-tweak", "shop/on=hunter2"],
  ])
  func `an argument without a value, or with an ambiguous name, is rejected`(arguments: [String]) {
    do {
      _ = try ArgumentsTweakProvider(arguments: arguments, known: known)
      Issue.record("\(arguments)")
    } catch .invalidArgument(let argument, let reason) {
      if argument == "a.b.c" { #expect(reason.contains("a.b/c") && reason.contains("a/b.c")) }
      #expect(!"\(argument) \(reason)".contains("hunter2"))
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test
  func `an unambiguous name is accepted, and an empty feature or variable is rejected`() throws {
    let provider = try ArgumentsTweakProvider(
      arguments: ["--tweak", "a.b/c=2", "--tweak", "a/b.c=3", "--no-tweak", "shop.on"], known: known)
    #expect(try provider.tweak(feature: "a.b", variable: "c")?.value == "2")
    #expect(try provider.tweak(feature: "a", variable: "b.c")?.value == "3")
    #expect(provider.table.value.ids.count == 3)
    for name in ["/limit", "shop/", ".limit"] {
      #expect(throws: TweakError.self) { try ArgumentsTweakProvider(arguments: ["--tweak", "\(name)=1"]) }
    }
  }

  @Test
  func `environment variables are checked against the known flags`() throws {
    func provider(_ environment: [String: String]) throws(TweakError) -> EnvironmentTweakProvider {
      try EnvironmentTweakProvider(known: known, environment: environment)
    }
    #expect(throws: TweakError.unknownArgument("TWEAK_SHOP_LIMIT", suggestion: "TWEAK_SHOP__LIMIT")) {
      try provider(["TWEAK_SHOP_LIMIT": "20"])
    }
    #expect(throws: TweakError.unknownArgument("TWEAK_ZZZ", suggestion: nil)) { try provider(["TWEAK_ZZZ": "1"]) }
    let mismatch = TweakError.typeMismatch(
      known[1].id, expected: "Int", found: "the text \"many\"", provider: "EnvironmentTweakProvider")
    #expect(throws: mismatch) { try provider(["TWEAK_SHOP__LIMIT": "many"]) }
    let checked = try provider(["TWEAK_SHOP__LIMIT": "20", "PATH": "/bin"])
    #expect(checked.table.value.ids == [known[1].id])
    let manager = TweakManager(providers: [checked])
    // A snapshot contains it although it was never read.
    #expect(manager.snapshot()[TweakKey("shop", "limit", default: 1)] == 20)
    let twins = [Tweak(feature: "a-b", variable: "c", value: 1), Tweak(feature: "a_b", variable: "c", value: 1)]
    let ambiguous = TweakError.ambiguousName(
      twins[0].id, other: twins[1].id, name: "TWEAK_A_B__C", provider: "EnvironmentTweakProvider")
    #expect(throws: ambiguous) {
      try EnvironmentTweakProvider(known: twins, environment: ["TWEAK_A_B__C": "1"])
    }
    _ = try EnvironmentTweakProvider(known: twins, environment: [:])
  }

  // MARK: Providers

  @Test
  func `removing providers returns their number`() {
    let manager = TweakManager(providers: [
      EphemeralTweakProvider(), EphemeralTweakProvider(), EphemeralTweakProvider(name: "Other"),
    ])
    #expect(manager.removeProviders(named: "Overrides") == 0)
    #expect(manager.removeProviders(named: "EphemeralTweakProvider") == 2)
    #expect(manager.providers.map(\.name) == ["Other"])
  }
}
