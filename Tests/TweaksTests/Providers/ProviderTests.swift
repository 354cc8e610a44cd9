import AppGroups
import FileSignals
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Providers of tweaks")
struct ProviderTests {
  // MARK: Preferences

  @Test
  func `preferences of JustTweak are migrated once, and distinguished by feature afterwards`() throws {
    let test = try TestDefaults()
    let prefix = UserDefaultsTweakProvider.legacyPrefix
    test.defaults.set(true, forKey: prefix + "same")
    test.defaults.set(5, forKey: prefix + "number")
    test.defaults.set("untouched", forKey: prefix + "unknown")
    let ids = [("a", "same"), ("b", "same"), ("a", "number"), ("a", "absent")]
      .map { TweakID(feature: $0.0, variable: $0.1) }
    let provider = UserDefaultsTweakProvider(userDefaults: test.defaults, migrating: ids)
    #expect(provider.table.value.ids == Set(ids.dropLast()))
    try provider.set(false, feature: "a", variable: "same")
    #expect(try provider.tweak(feature: "a", variable: "same")?.value == false)
    #expect(try provider.tweak(feature: "b", variable: "same")?.value == true)
    #expect(test.defaults.object(forKey: prefix + "same") == nil)
    #expect(test.defaults.string(forKey: prefix + "unknown") == "untouched")
    let again = UserDefaultsTweakProvider(userDefaults: test.defaults, migrating: ids)
    #expect(try again.tweak(feature: "a", variable: "same")?.value == false)
  }

  @Test
  func `user defaults reject unsupported values, and a stored value that is not a tweak is an error`() throws {
    let test = try TestDefaults()
    let provider = UserDefaultsTweakProvider(userDefaults: test.defaults)
    for number in [Double.nan, .infinity] {
      #expect(throws: TweakError.self) { try provider.set(.double(number), feature: "f", variable: "v") }
    }
    test.defaults.set(["a": 1], forKey: "tweaks.f/v")
    #expect(throws: TweakError.self) { try provider.tweak(feature: "f", variable: "v") }
  }

  @Test
  func `an unusable object is deleted and replaced like a value`() throws {
    let test = try TestDefaults()
    let provider = UserDefaultsTweakProvider(userDefaults: test.defaults)
    let table = provider.table
    let tables = table.recorded()
    let id = TweakID(feature: "f", variable: "v")
    for object in [["a": 1], [1, 2], Data([1]), Date(timeIntervalSince1970: 0)] as [Any] {
      test.defaults.set(object, forKey: "tweaks.f/v")
      #expect(try provider.apply([TweakEdit(id, nil)]) == .tweaks([id]))
      #expect(test.defaults.object(forKey: "tweaks.f/v") == nil)
      #expect(try provider.tweak(feature: "f", variable: "v") == nil)
      test.defaults.set(object, forKey: "tweaks.f/v")
      #expect(try provider.apply([TweakEdit(id, 3)]) == .tweaks([id]))
      #expect(try provider.tweak(feature: "f", variable: "v")?.value == 3)
      #expect(try provider.apply([TweakEdit(id, nil)]) == .tweaks([id]))
    }
    #expect(try provider.apply([TweakEdit(id, nil)]) == .tweaks([]))
    #expect(tables.elements.count == 13)
  }

  /// User defaults that cannot be written, with an action just before each write fails.
  private final class UnwritableDefaults: UserDefaults {
    var beforeFailure: () -> Void = {}

    override func synchronize() -> Bool {
      beforeFailure()
      return false
    }
  }

  @Test
  func `a reader of a value that could then not be written receives the old one again`() throws {
    let test = try TestDefaults()
    let defaults = try #require(UnwritableDefaults(suiteName: test.name))
    defaults.set(1, forKey: "tweaks.f/v")
    let provider = UserDefaultsTweakProvider(userDefaults: defaults)
    let manager = TweakManager(providers: [provider])
    let table = provider.table
    let tables = table.recorded()
    var early = 0
    defaults.beforeFailure = { early = manager.value(feature: "f", variable: "v", default: 0) }
    #expect(throws: TweakError.self) { try provider.set(2, feature: "f", variable: "v") }
    #expect(early == 2)
    #expect(manager.value(feature: "f", variable: "v", default: 0) == 1)
    #expect(tables.elements.count == 2)
  }

  // MARK: Suites and shared values

  @Test(.patient)
  func `a suite keeps types and other values, and sends changes by others`() async throws {
    let fixture = try Fixture()
    let suite = try fixture.suite()
    try await suite.set("theirs", forKey: "theme")
    let manager = TweakManager(providers: [SuiteTweakProvider(suite: suite)])
    let values = manager.signal(feature: "f", variable: "v", as: Double.self).recorded()
    try manager.set(1.0, feature: "f", variable: "v")
    #expect(values.elements == [nil, 1.0])
    let other = SuiteTweakProvider(suite: try fixture.suite())
    #expect(try other.tweak(feature: "f", variable: "v")?.value == 1.0)
    #expect(try other.tweak(feature: "f", variable: "v")?.value != 1)
    try other.set(2.5, feature: "f", variable: "v")
    _ = try await values.wait(for: "the other's") { $0.last == 2.5 }
    #expect(try suite.value(forKey: "theme", as: String.self) == "theirs")
    try await suite.set("garbage", forKey: "f/v")
    #expect(throws: TweakError.self) { try manager.value(feature: "f", variable: "v", as: Double.self) }
    #expect(throws: TweakError.self) { try manager.set(.double(.nan), feature: "f", variable: "v") }
    try manager.set(3.0, feature: "f", variable: "v")
    #expect(values.elements.last == 3.0)
  }

  struct Limits: Codable, Sendable, Equatable { var limit = 1 }

  @Test
  func `a shared value provides tweaks that follow it`() throws {
    let fixture = try Fixture()
    let container = try AppGroupsContainer(directory: fixture.directory.url)
    let file = try AppGroupsFile(name: "limits.json", initialValue: Limits(), container: container)
    let manager = TweakManager(providers: [
      SharedTweakProvider(file) { [Tweak(feature: "shop", variable: "limit", value: .int($0.limit), title: "Limit")] }
    ])
    let values = manager.signal(feature: "shop", variable: "limit", as: Int.self).recorded()
    try file.update { $0.limit = 2 }
    #expect(values.elements == [1, 2])
    #expect(try manager.requiredTweak(feature: "shop", variable: "limit").title == "Limit")
  }

  /// A minimal shared value on a server.
  private final class ServerValue: SharedValue {
    enum Outage: Error, Hashable { case line(Int) }

    private let stored = MutableProperty(1)
    let failures = Emitter<Outage, Never>()
    let status: Property<SharedValueStatus<Outage>> = .constant(.current)

    var property: Property<Int> { stored }
    var value: Int { stored.value }

    func read() -> Int { stored.value }

    func write(_ value: Int) { stored.value = value }

    func update<Result: Sendable>(_ body: @Sendable (inout Int) throws -> Result) rethrows -> Result {
      try stored.modify(body)
    }

    func subscribe(_ subscriber: some SignalSubscriber<Int, Never>) -> SignalSubscription {
      stored.subscribe(subscriber)
    }
  }

  @Test
  func `any kind of shared value provides tweaks and reports its failures`() throws {
    let value = ServerValue()
    let manager = TweakManager(providers: [
      SharedTweakProvider(value, name: "server") { [Tweak(feature: "shop", variable: "limit", value: .int($0))] }
    ])
    let values = manager.signal(feature: "shop", variable: "limit", as: Int.self).recorded()
    let failures = manager.failures.recorded()
    value.write(2)
    #expect(values.elements == [1, 2])
    value.failures.send(.line(3))
    #expect(failures.elements == [.unusableStore(provider: "server", reason: "line(3)")])
    #expect(failures.elements.first?.description == "server: line(3)")
  }

  // MARK: Environment and arguments

  @Test
  func `environment variables are parsed as the requested type`() throws {
    let provider = EnvironmentTweakProvider(
      environment: ["TWEAK_SHOP__LIMIT": "20", "TWEAK_SHOP__ON": "on", "TWEAK_A_B__C_D": "", "OTHER": "x"]
    )
    let manager = TweakManager(providers: [provider])
    #expect(try manager.value(feature: "shop", variable: "limit", as: Int.self) == 20)
    #expect(try manager.value(feature: "shop", variable: "limit", as: Double.self) == 20)
    #expect(try manager.value(feature: "shop", variable: "limit", as: String.self) == "20")
    #expect(manager[TweakKey("shop", "limit", default: 1)] == 20)
    #expect(try manager.value(feature: "shop", variable: "on", as: Bool.self))
    #expect(try manager.value(feature: "a-b", variable: "c.d", as: String.self) == "")
    #expect(throws: TweakError.notFound(TweakID(feature: "x", variable: "y"))) {
      try manager.requiredTweak(feature: "x", variable: "y")
    }
    do {
      _ = try manager.value(feature: "shop", variable: "limit", as: Bool.self)
      Issue.record("20 is no Bool")
    } catch {
      #expect("\(error)".contains("TWEAK_SHOP__LIMIT"))
    }
  }

  @Test
  func `an environment variable that matches two tweaks is used for neither, and the error names both`()
    throws
  {
    let environment = ["TWEAK_A_B__C": "1", "TWEAK_SHOP__LIMIT": "2", "TWEAK_X__Y__Z": "3"]
    for names in [[("a-b", "c"), ("a_b", "c")], [("a_b", "c"), ("A_B", "C")], [("x", "y__z"), ("x__y", "z")]] {
      let manager = TweakManager(providers: [EnvironmentTweakProvider(environment: environment)])
      let first = manager.signal(feature: names[0].0, variable: names[0].1, as: Int.self).recorded()
      #expect(first.elements.count == 1)
      for (feature, variable) in names.reversed() {
        do {
          _ = try manager.value(feature: feature, variable: variable, as: Int.self)
          Issue.record("\(feature)/\(variable) has a value")
        } catch {
          let text = "\(error)"
          for (feature, variable) in names { #expect(text.contains("\(feature)/\(variable)")) }
          #expect(text.contains(names[0].0 == "x" ? "TWEAK_X__Y__Z" : "TWEAK_A_B__C"))
        }
        #expect(manager.value(feature: feature, variable: variable, default: 9) == 9)
      }
      #expect(try manager.value(feature: "shop", variable: "limit", as: Int.self) == 2)
    }
  }

  @Test
  func `arguments have several forms, the last one wins, and names may contain dots`() throws {
    let known = [
      Tweak(feature: "general", variable: "answer", value: 42), Tweak(feature: "a.b", variable: "c", value: "x"),
      Tweak(feature: "general", variable: "on", value: false),
    ]
    let provider = try ArgumentsTweakProvider(
      arguments: [
        "tool", "--tweak", "general.answer=1", "--tweak=general/answer=43", "file", "--tweak", "general.on",
        "--tweak", "a.b.c==y", "--other", "--", "--tweak", "nonsense",
      ],
      known: known
    )
    let manager = TweakManager(providers: [
      provider, EnvironmentTweakProvider(environment: ["TWEAK_GENERAL__ANSWER": "5"]),
    ])
    #expect(try manager.value(feature: "general", variable: "answer", as: Int.self) == 43)
    #expect(try manager.value(feature: "general", variable: "on", as: Bool.self))
    #expect(try manager.value(feature: "a.b", variable: "c", as: String.self) == "=y")
    // A combining mark does not hide the separator before it.
    let marks = try ArgumentsTweakProvider(arguments: ["--tweak=\u{301}a/\u{301}b=\u{301}c"])
    #expect(try marks.tweak(feature: "\u{301}a", variable: "\u{301}b")?.value == .string("\u{301}c"))
    let off = try ArgumentsTweakProvider(arguments: ["--no-tweak", "general/on"])
    #expect(TweakManager(providers: [off]).value(feature: "general", variable: "on", default: true) == false)
  }

  @Test
  func `invalid arguments are rejected at once, with a suggestion where possible`() {
    let known = [Tweak(feature: "general", variable: "answer", value: 42)]
    func error(_ arguments: String..., known: [Tweak] = []) -> TweakError? {
      do {
        _ = try ArgumentsTweakProvider(arguments: arguments, known: known)
        return nil
      } catch {
        return error
      }
    }
    #expect(
      error("--tweak", "general.anwser=1", known: known)
        == .unknownArgument("general.anwser", suggestion: "general.answer")
    )
    #expect(error("--tweak", "zzz=1", known: known) == .unknownArgument("zzz", suggestion: nil))
    #expect(
      error("--tweak", "general.answer=abc", known: known)
        == .typeMismatch(
          known[0].id, expected: "Int", found: "the text \"abc\"", provider: "ArgumentsTweakProvider"
        )
    )
    for arguments in [["--tweak"], ["--tweak", "name"], ["--no-tweak", "f/v=1"]] {
      #expect(throws: TweakError.self) { try ArgumentsTweakProvider(arguments: arguments) }
    }
  }

  // MARK: Remote

  @Test
  func `fetched tweaks replace the initial ones, and a failure changes nothing`() async throws {
    struct Offline: Error {}
    let isOffline = MutableProperty(false)
    let initial = Tweak(feature: "f", variable: "v", value: 1)
    let provider = RemoteTweakProvider(bootstrap: [initial], policy: .onRequest) { _ in
      if isOffline.value { throw Offline() }
      return .tweaks([Tweak(feature: "f", variable: "v", value: 2)])
    }
    let manager = TweakManager(providers: [provider])
    let values = manager.signal(feature: "f", variable: "v", as: Int.self).recorded()
    #expect(provider.status.value.state == .notReady)
    try await provider.refresh()
    isOffline.value = true
    let failure = TweakError.requestFailed(provider: provider.name, .unreachable(reason: "Offline()"))
    await #expect(throws: failure) { try await provider.refresh() }
    #expect(values.elements == [1, 2])
    #expect(provider.status.value.state == .error(.unreachable(reason: "Offline()")))
    #expect(manager.failures.recorded().elements == [failure])
  }
}
