import Foundation
import Signals
import TestSupport
import Testing
import Tweaks

/// The behaviours of the OpenFeature specification's Appendix B that apply to this package.
@Suite("OpenFeature's Appendix B")
struct OpenFeatureTests {
  private func manager(_ context: TweakContext = TweakContext()) throws -> TweakManager {
    let targeting = TargetingTweakProvider(
      rules: [
        TweakRule(
          "context", "aware", value: "INTERNAL",
          if: [
            TweakCondition("fn", .isOneOf, "Sulisław"), TweakCondition("age", .isOneOf, 29),
            TweakCondition("customer", .isOneOf, false),
          ])
      ], context: .constant(context))
    let file = try Fixture().local(
      """
      {
        "types": {
          "boolean": { "Value": true }, "string": { "Value": "hi" }, "integer": { "Value": 10 },
          "float": { "Value": 0.5 }, "false": { "Value": false }, "zero": { "Value": 0 }, "empty": { "Value": "" }
        },
        "context": { "aware": { "Value": "EXTERNAL" } }
      }
      """)
    return TweakManager(providers: [targeting, file])
  }

  @Test
  func `1 each type returns its value, its key and STATIC`() throws {
    let manager = try manager()
    func check<Value: TweakValueConvertible & Equatable>(_ name: String, _ value: Value, default other: Value) {
      let details = manager.details(for: TweakKey("types", name, default: other))
      #expect(details.value == value)
      #expect(details.reason == .static)
      #expect(details.tweak?.id.description == "types/\(name)")
      #expect(details.error == nil)
    }
    check("boolean", true, default: false)
    check("string", "hi", default: "bye")
    check("integer", 10, default: 1)
    check("float", 0.5, default: 0.1)
  }

  @Test
  func `2 false, zero and the empty string beat the default`() throws {
    let manager = try manager()
    #expect(manager.details(for: TweakKey("types", "false", default: true)).value == false)
    #expect(manager.details(for: TweakKey("types", "zero", default: 1)).value == 0)
    #expect(manager.details(for: TweakKey("types", "empty", default: "x")).value.isEmpty)
  }

  private let aware = TweakKey("context", "aware", default: "DEFAULT")
  private static let matching: [String: TweakValue] = ["fn": "Sulisław", "age": 29, "customer": false]

  @Test
  func `3 a matching rule gives TARGETING_MATCH`() throws {
    let details = try manager(TweakContext(attributes: Self.matching)).details(for: aware)
    #expect(details.value == "INTERNAL")
    #expect(details.reason == .targetingMatch)
    #expect(details.tweak?.rule?.isEmpty == false)
  }

  @Test(arguments: ["fn", "age", "customer"])
  func `4 and 5 all attributes must match, and otherwise the flag's default gives DEFAULT`(_ name: String) throws {
    for other in [nil, "" as TweakValue, "x"] {
      var attributes = Self.matching
      attributes[name] = other
      let details = try manager(TweakContext(attributes: attributes)).details(for: aware)
      #expect(details.value == "EXTERNAL")
      #expect(details.reason == .default)
    }
  }

  /// Returns the error code of an adapter to OpenFeature's interface, for a server that has answered.
  private func code(_ variable: String, _ value: Int64) throws -> OpenFeatureStub.ErrorCode? {
    let remote = RemoteTweakProvider(bootstrap: [Tweak(feature: "f", variable: "v", value: 1)]) { _ in .notModified }
    let adapter = OpenFeatureAdapter(manager: try manager(), remote: remote)
    return adapter.getIntegerEvaluation(key: "types.\(variable)", defaultValue: value, context: nil).errorCode
  }

  @Test
  func `6 a missing flag gives the caller's default and FLAG_NOT_FOUND`() throws {
    let details = try manager().details(for: TweakKey("types", "missing", default: 7))
    #expect(details.value == 7)
    #expect(details.reason == .error)
    #expect(details.error == .notFound(TweakID(feature: "types", variable: "missing")))
    #expect(try code("missing", 7) == .flagNotFound)
  }

  @Test
  func `7 a wrong type gives the caller's default and TYPE_MISMATCH`() throws {
    let details = try manager().details(for: TweakKey("types", "string", default: 13))
    #expect(details.value == 13)
    #expect(details.reason == .error)
    #expect(try code("string", 13) == .typeMismatch)
  }

  private func remote(_ answer: TweakAnswer?) -> RemoteTweakProvider {
    RemoteTweakProvider(policy: .onRequest) { _ in
      guard let answer else { throw TweakRequestFailure.status(401) }
      return answer
    }
  }

  @Test
  func `8 and 9 without values the code is PROVIDER_NOT_READY, and after a refusal PROVIDER_FATAL`() async throws {
    let provider = remote(nil)
    let adapter = OpenFeatureAdapter(manager: TweakManager(providers: [provider]), remote: provider)
    func evaluation() -> OpenFeatureStub.ProviderEvaluation<Int64> {
      adapter.getIntegerEvaluation(key: "f.v", defaultValue: 3, context: nil)
    }
    #expect(evaluation().errorCode == .providerNotReady)
    await #expect(throws: TweakError.self) { try await provider.refresh() }
    #expect(evaluation().errorCode == .providerFatal)
    #expect(evaluation().value == 3)
  }

  @Test
  func `10 metadata keeps four scalar types, or is empty`() async throws {
    var tweak = Tweak(feature: "f", variable: "v", value: 1)
    tweak.metadata = ["string": "1.0.2", "integer": 2, "float": 0.1, "boolean": true]
    tweak.variant = "one"
    let provider = remote(.tweaks([tweak, Tweak(feature: "f", variable: "w", value: 2)]))
    try await provider.refresh()
    let manager = TweakManager(providers: [provider])
    let details = manager.details(for: TweakKey("f", "v", default: 0))
    #expect(details.tweak?.metadata == tweak.metadata)
    #expect(details.tweak?.variant == "one")
    #expect(details.tweak?.source == provider.name)
    #expect(manager.details(for: TweakKey("f", "w", default: 0)).tweak?.metadata.isEmpty == true)
  }

  @Test
  func `11 a disabled flag gives the caller's default and DISABLED, and is no failure`() async throws {
    var tweak = Tweak(feature: "f", variable: "v", value: 1)
    tweak.reason = .disabled
    let provider = remote(.tweaks([tweak]))
    try await provider.refresh()
    let manager = TweakManager(providers: [provider, EphemeralTweakProvider(["f": ["v": 2]])])
    let details = manager.details(for: TweakKey("f", "v", default: 9))
    #expect(details.value == 9)
    #expect(details.reason == .disabled)
    #expect(details.error == nil)
    #expect(manager[TweakKey("f", "v", default: 9)] == 9)
    #expect(manager.failures.recorded().elements.isEmpty)
  }

  @Test
  func `12 every status can be read, and cached values say so`() async throws {
    let fixture = try CacheFixture()
    #expect(fixture.provider().status.value.state == .notReady)
    try await fixture.provider(1).refresh()
    let cached = fixture.provider()
    #expect(cached.status.value.state == .ready)
    let key = TweakKey("f", "v", default: 0)
    #expect(TweakManager(providers: [cached]).details(for: key).reason == .cached)
    let stale = fixture.provider(attributes: ["plan": "gold"])
    #expect(stale.status.value.state == .stale)
    #expect(TweakManager(providers: [stale]).details(for: key).reason == .stale)
    await #expect(throws: TweakError.self) { try await cached.refresh() }
    #expect(cached.status.value.state == .error(.status(503)))
  }

  @Test
  func `13 a success calls before, after and finally, and a failure before, error and finally`() throws {
    let manager = try manager()
    let log = MutableProperty<[String]>([])
    for name in ["a", "b"] {
      manager.add(
        TweakHook(
          before: { _ in log.modify { $0.append("before \(name)") } },
          after: { _ in log.modify { $0.append("after \(name)") } },
          error: { _, _ in log.modify { $0.append("error \(name)") } },
          finally: { _ in log.modify { $0.append("finally \(name)") } }))
    }
    _ = manager.details(for: TweakKey("types", "string", default: ""))
    #expect(log.value == ["before a", "before b", "after b", "after a", "finally b", "finally a"])
    log.value = []
    _ = manager.details(for: TweakKey("types", "missing", default: ""))
    #expect(log.value == ["before a", "before b", "error b", "error a", "finally b", "finally a"])
  }

  @Test
  func `14 an evaluation leaves the context unchanged`() throws {
    let context = MutableProperty(TweakContext(targetingKey: "anna", attributes: Self.matching))
    let rules = [TweakRule("f", "v", value: 1, basisPoints: 5_000), TweakRule("f", "v", value: 2)]
    let manager = TweakManager(providers: [TargetingTweakProvider(rules: rules, context: context)])
    let before = context.value
    let changes = context.changes.recorded()
    let details = manager.details(for: TweakKey("f", "v", default: 0))
    #expect(details.reason == (details.value == 1 ? .split : .targetingMatch))
    #expect(context.value == before)
    #expect(changes.elements.isEmpty)
  }

  @Test
  func `a missing targeting key is an error of its own`() {
    let rules = [TweakRule("f", "v", value: 1, basisPoints: 5_000)]
    let manager = TweakManager(providers: [TargetingTweakProvider(rules: rules, context: .constant(TweakContext()))])
    guard case .targetingKeyMissing = manager.details(for: TweakKey("f", "v", default: 0)).error else {
      Issue.record("the error does not name the missing key")
      return
    }
  }

  private struct Context: OpenFeatureStub.EvaluationContext {
    func getTargetingKey() -> String { "anna" }
    func asMap() -> [String: OpenFeatureStub.Value] { ["plan": .string("gold"), "age": .integer(29)] }
  }

  @Test
  func `an adapter to OpenFeature's interface evaluates flags and follows the context`() async throws {
    let requests = MutableProperty<[TweakRequest]>([])
    let remote = RemoteTweakProvider(policy: .onRequest) { request in
      requests.modify { $0.append(request) }
      return .body(Data(#"{"a.b": {"on": {"Value": true}, "n": {"Value": 3}}}"#.utf8))
    }
    let adapter = OpenFeatureAdapter(manager: TweakManager(providers: [remote]), remote: remote)
    let provider: any OpenFeatureStub.FeatureProvider = adapter
    #expect(provider.status == .notReady)
    let early = try provider.getBooleanEvaluation(key: "a.b.on", defaultValue: false, context: nil)
    #expect(early.errorCode == .providerNotReady)
    await provider.onContextSet(oldContext: nil, newContext: Context())
    #expect(provider.status == .ready)
    let attributes: [String: TweakValue] = ["plan": "gold", "age": 29]
    #expect(requests.value.map(\.context) == [TweakContext(targetingKey: "anna", attributes: attributes)])
    let on = try provider.getBooleanEvaluation(key: "a.b.on", defaultValue: false, context: nil)
    #expect(on.value && on.reason == "STATIC" && on.errorCode == nil)
    #expect(try provider.getIntegerEvaluation(key: "a.b.n", defaultValue: 0, context: nil).value == 3)
    #expect(try provider.getDoubleEvaluation(key: "a.b.n", defaultValue: 0, context: nil).value == 3)
    #expect(
      try provider.getStringEvaluation(key: "a.b.n", defaultValue: "x", context: nil).errorCode == .typeMismatch)
  }
}
