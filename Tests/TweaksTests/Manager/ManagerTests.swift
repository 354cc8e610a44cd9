import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("The manager")
struct ManagerTests {
  private let id = TweakID(feature: "f", variable: "a")

  private func manager(fallsThrough: Bool = false) -> TweakManager {
    TweakManager(
      providers: [
        EphemeralTweakProvider(["f": ["a": "x"]], name: "p1"), EphemeralTweakProvider(["f": ["a": 5]], name: "p2"),
      ],
      fallsThrough: fallsThrough
    )
  }

  @Test
  func `in strict mode, the first provider decides, even if its value has another type`() throws {
    let manager = manager()
    let failures = manager.failures.recorded()
    #expect(throws: TweakError.typeMismatch(id, expected: "Int", found: "the String \"x\"", provider: "p1")) {
      try manager.value(feature: "f", variable: "a", as: Int.self)
    }
    #expect(failures.elements.isEmpty)
    let key = TweakKey("f", "a", default: 9)
    for _ in 1...3 { #expect(manager[key] == 9) }
    #expect(manager.signal(for: key).recorded().elements == [9])
    #expect(failures.elements.count == 1)
    #expect(manager.trace(feature: "f", variable: "a", as: Int.self).winner == 0)
  }

  @Test
  func `with fall-through, the next provider with the type decides, and the trace says why`() throws {
    let manager = manager(fallsThrough: true)
    #expect(try manager.value(feature: "f", variable: "a", as: Int.self) == 5)
    #expect(try manager.value(feature: "f", variable: "a", as: String.self) == "x")
    let trace = manager.trace(feature: "f", variable: "a", as: Int.self)
    #expect(trace.winner == 1)
    #expect(trace.answers.map(\.provider) == ["p1", "p2"])
    guard case .failure(.typeMismatch) = trace.answers[0].result else { return #expect(Bool(false)) }
    #expect(trace.description == "f/a, version 0\n  p1: the String \"x\", which is not of type Int\n→ p2: 5")
  }

  @Test
  func `missing metadata is taken from lower providers, and the source is the deciding provider`()
    throws
  {
    let local = try Fixture().local(#"{"f": {"a": {"Title": "T", "Description": "D", "Group": "G", "Value": 1}}}"#)
    let manager = TweakManager(providers: [EphemeralTweakProvider(), local])
    try manager.set(2, feature: "f", variable: "a")
    let tweak = try manager.requiredTweak(feature: "f", variable: "a")
    #expect((tweak.title, tweak.details, tweak.group) == ("T", "D", "G"))
    #expect(tweak.value == 2)
    #expect(tweak.source == "EphemeralTweakProvider")
  }

  @Test
  func `a value set below a read-only provider is reported as shadowed`() throws {
    let environment = EnvironmentTweakProvider(environment: ["TWEAK_F__A": "1"])
    let manager = TweakManager(providers: [environment, EphemeralTweakProvider()])
    let seen = manager.signal(feature: "f", variable: "a", as: Int.self).recorded()
    #expect(try manager.set(99, feature: "f", variable: "a") == "EnvironmentTweakProvider")
    #expect(try manager.set(99, feature: "f", variable: "b") == nil)
    #expect(manager.value(feature: "f", variable: "a", default: 0) == 1)
    #expect(seen.elements == [1])
  }

  @Test
  func `setting an equal value or deleting a missing one changes nothing`() throws {
    let manager = TweakManager(providers: [EphemeralTweakProvider(), EphemeralTweakProvider(["f": ["a": 1]])])
    let changes = manager.changes.recorded()
    let version = manager.snapshot().version
    try manager.set(1, feature: "f", variable: "a")
    try manager.deleteValue(feature: "f", variable: "b")
    #expect(changes.elements.isEmpty)
    #expect(manager.snapshot().version == version)
    #expect(manager.snapshot().tweaks[TweakID(feature: "f", variable: "a")]?.source == "EphemeralTweakProvider")
    try manager.set(2, feature: "f", variable: "a")
    try manager.deleteValue(feature: "f", variable: "a")
    #expect(changes.elements.map(\.new) == [2, 1])
    #expect(changes.elements.map(\.old) == [1, 2])
    #expect(manager.snapshot().version == version + 2)
  }

  @Test(.patient)
  func `an update of several tweaks is observed as one change with one version`() async throws {
    let manager = TweakManager(providers: [EphemeralTweakProvider()])
    let first = TweakKey("f", "first", default: 0)
    let second = TweakKey("f", "second", default: 0)
    _ = (manager[first], manager[second])
    let sums = MutableProperty<Set<Int>>([])
    let derived = Property.derived(manager.property(for: first), manager.property(for: second)) { $0 - $1 }
    let observed = derived.sink { difference in sums.modify { _ = $0.insert(difference) } }
    let reader = Thread {
      while !Thread.current.isCancelled {
        let snapshot = manager.snapshot()
        let difference = snapshot[first] - snapshot[second]
        sums.modify { _ = $0.insert(difference) }
      }
    }
    reader.start()
    let version = manager.snapshot().version
    for number in 1...500 {
      try manager.apply([TweakEdit(first, number), TweakEdit(second, number)])
    }
    reader.cancel()
    #expect(sums.value == [0])
    #expect(manager.snapshot().version == version + 500)
    withExtendedLifetime(observed) {}
  }

  @Test
  func `a snapshot during an update shows none of it, even for unread tweaks`() throws {
    let slow = SlowProvider(["f": ["first": 0, "second": 0]])
    defer { slow.meanwhile.value = nil }
    let manager = TweakManager(providers: [slow])
    let ids = ["first", "second"].map { TweakID(feature: "f", variable: $0) }
    _ = try manager.requiredTweak(feature: "f", variable: "first")
    // A wrapper that was never read.
    @FallbackTweakProperty(fallbackValue: 7, feature: "f", variable: "second", tweakManager: manager) var second: Int
    @Sendable func values() -> [TweakValue?] { ids.map { manager.snapshot().tweaks[$0]?.value } }
    for number in 1...2 {
      slow.meanwhile.value = {
        elsewhere {
          let old: [TweakValue?] = [.int(number - 1), .int(number - 1)]
          #expect(values() == old)
          manager.resetCache()
          #expect(values() == old)
        }
      }
      try manager.apply(ids.map { TweakEdit($0, .int(number)) })
      #expect(values() == [.int(number), .int(number)])
    }
    #expect(second == 2)
  }

  @Test
  func `a snapshot includes a tweak that is being written and was never read`() throws {
    let slow = SlowProvider([:])
    defer { slow.meanwhile.value = nil }
    let manager = TweakManager(providers: [slow, EphemeralTweakProvider(["f": ["first": 0]])])
    let seen = MutableProperty<TweakValue?>(nil)
    slow.meanwhile.value = {
      elsewhere { seen.value = manager.snapshot().tweaks[TweakID(feature: "f", variable: "first")]?.value }
    }
    let id = TweakID(feature: "f", variable: "first")
    try manager.apply([TweakEdit(id, 1)])
    #expect(seen.value == 1)
    #expect(manager.snapshot().tweaks[id]?.value == 1)
  }

  @Test
  func `a change that arrives while an update's result is stored is not lost`() throws {
    let slow = SlowProvider(["f": ["first": 0, "second": 0]])
    let manager = TweakManager(providers: [slow])
    let first = TweakID(feature: "f", variable: "first")
    _ = manager.snapshot()
    // Between the writer's answer and its storage, the provider changes again and notifies from another thread.
    let isHooked = MutableProperty(false)
    manager.add(
      TweakHook(finally: { id in
        guard id == first, isHooked.value else { return }
        isHooked.value = false
        elsewhere { slow.apply([TweakEdit(first, 9)]) }
      }))
    isHooked.value = true
    try manager.apply([TweakEdit(first, 1), TweakEdit(TweakID(feature: "f", variable: "second"), 1)])
    #expect(manager.snapshot().tweaks[first]?.value == 9)
  }

  @Test
  func `a change notifies only the observers of its tweak`() throws {
    let manager = TweakManager(providers: [EphemeralTweakProvider()])
    let observed = manager.signal(feature: "f", variable: "a", as: Int.self).recorded()
    let others = (0..<50).map { manager.signal(feature: "f", variable: "v\($0)", as: Int.self).recorded() }
    try manager.set(1, feature: "f", variable: "a")
    try manager.set("text", feature: "f", variable: "a")
    #expect(observed.elements == [nil, 1, nil])
    for other in others { #expect(other.elements == [nil]) }
  }

  @Test(.patient)
  func `changes are sent in the order in which they were made, from any number of threads`() async throws {
    let manager = TweakManager(providers: [EphemeralTweakProvider(["f": ["a": 0]])])
    let changes = manager.changes.recorded()
    let values = manager.signal(feature: "f", variable: "a", as: Int.self).recorded()
    try await onThread {
      withThreads(4) { thread in
        for number in 1...200 {
          do { try manager.set(.int(thread * 1_000 + number), feature: "f", variable: "a") } catch {}
        }
      }
    }
    let sent = changes.elements
    for (change, next) in zip(sent, sent.dropFirst()) { #expect(change.new == next.old) }
    #expect(sent.last?.new == manager.snapshot().tweaks[TweakID(feature: "f", variable: "a")]?.value)
    // A property may skip outdated values, but keeps their order.
    var rest = sent.compactMap(\.new)[...]
    for value in values.elements.dropFirst().compactMap({ $0.map(TweakValue.int) }) {
      let index = rest.firstIndex(of: value)
      #expect(index != nil)
      rest = index.map { rest[($0 + 1)...] } ?? rest
    }
    #expect(values.elements.last?.map(TweakValue.int) == sent.last?.new)
  }

  @Test
  func `a manager can be a provider of another one`() throws {
    let inner = TweakManager(providers: [EphemeralTweakProvider(["f": ["a": 1]])], name: "Inner")
    let outer = TweakManager(providers: [inner, EphemeralTweakProvider(["f": ["a": 2, "b": 3]])])
    #expect(outer.value(feature: "f", variable: "a", default: 0) == 1)
    #expect(outer.value(feature: "f", variable: "b", default: 0) == 3)
    let seen = outer.signal(feature: "f", variable: "b", as: Int.self).recorded()
    try inner.set(4, feature: "f", variable: "b")
    try outer.set(5, feature: "f", variable: "b")
    #expect(inner.value(feature: "f", variable: "b", default: 0) == 5)
    #expect(seen.elements == [3, 4, 5])
  }

  @Test
  func `hooks run once for each lookup, in order and in reverse order, and can reject it`() throws {
    let calls = MutableProperty<[String]>([])
    let manager = TweakManager(providers: [EphemeralTweakProvider(["f": ["a": 1]])])
    for name in ["one", "two"] {
      manager.add(
        TweakHook(
          before: { _ in calls.modify { $0.append("before \(name)") } },
          after: { tweak in calls.modify { $0.append("after \(name) \(tweak.value)") } },
          error: { _, _ in calls.modify { $0.append("error \(name)") } },
          finally: { _ in calls.modify { $0.append("finally \(name)") } }
        )
      )
    }
    for _ in 1...3 { #expect(manager.value(feature: "f", variable: "a", default: 0) == 1) }
    #expect(
      calls.value == ["before one", "before two", "after two 1", "after one 1", "finally two", "finally one"]
    )
    calls.value = []
    struct Refusal: Error {}
    manager.add(TweakHook(before: { _ in throw Refusal() }))
    calls.value = []
    #expect(throws: TweakError.hookFailed(id, reason: "Refusal()")) {
      try manager.requiredTweak(feature: "f", variable: "a")
    }
    #expect(calls.value == ["before one", "before two", "error two", "error one", "finally two", "finally one"])
    #expect(manager.value(feature: "f", variable: "a", default: 7) == 7)
  }

  @Test
  func `a missing tweak is reported once, if requested`() {
    let manager = TweakManager(providers: [EphemeralTweakProvider()], reportsMissing: true)
    let failures = manager.failures.recorded()
    for _ in 1...3 { #expect(manager.value(feature: "f", variable: "a", default: 1) == 1) }
    #expect(failures.elements == [.notFound(id)])
  }

  @Test
  func `the log contains found values and errors`() throws {
    let log = MutableLog()
    let manager = manager()
    manager.logClosure = log.closure
    _ = try manager.requiredTweak(feature: "f", variable: "a")
    #expect(log.lines.first == "f/a = x (p1)")
    _ = manager.value(feature: "f", variable: "a", default: 0)
    #expect(log.levels.contains(.error))
  }

  @Test
  func `the log contains the answer of each provider that was asked`() throws {
    let log = MutableLog()
    let (overrides, local) = (EphemeralTweakProvider(name: "Overrides"), EphemeralTweakProvider(["f": ["a": 1]]))
    let manager = TweakManager(providers: [overrides, local])
    manager.logClosure = log.closure
    _ = try manager.requiredTweak(feature: "f", variable: "a")
    #expect(log.lines == ["f/a: Overrides has no value", "f/a = 1 (EphemeralTweakProvider)"])
    #expect(log.levels == [.verbose, .debug])
  }

  @Test
  func `each of ten thousand tweaks is found`() {
    var variables: [String: TweakValue] = [:]
    for number in 0..<10_000 { variables["v\(number)"] = .int(number) }
    let manager = TweakManager(providers: [EphemeralTweakProvider(["f": variables])])
    for number in 0..<10_000 {
      #expect(manager.value(feature: "f", variable: "v\(number)", default: -1) == number)
    }
    #expect(manager.snapshot().tweaks.count == 10_000)
  }

  @Test(.patient)
  func `concurrent reads return only whole values`() async throws {
    let manager = TweakManager(providers: [EphemeralTweakProvider()])
    let values: [TweakValue] = [1, 2.5, true, "text", "a longer text than fits into a word", 9_007_199_254_740_993]
    let seen = MutableProperty<Set<TweakValue>>([])
    let key = TweakKey("f", "a", default: TweakValue.string("default"))
    try await onThread {
      withThreads(3) { thread in
        for number in 0..<3_000 {
          if thread == 0 {
            do { try manager.set(values[number % values.count], feature: "f", variable: "a") } catch {}
          } else {
            let value = manager[key]
            if !seen.value.contains(value) { seen.modify { _ = $0.insert(value) } }
          }
        }
      }
    }
    #expect(seen.value.subtracting(values).subtracting(["default"]).isEmpty)
  }
}

/// Runs a closure on another thread, and waits for it.
private func elsewhere(_ body: @escaping @Sendable () -> Void) {
  let end = DispatchSemaphore(value: 0)
  Thread {
    body()
    end.signal()
  }.start()
  end.wait()
}

/// A provider that runs a closure during each change.
private final class SlowProvider: MutableTweakProvider, AskedTweakProvider {
  let meanwhile = MutableProperty<(@Sendable () -> Void)?>(nil)
  private let provider: EphemeralTweakProvider
  private let updated = Emitter<TweakUpdate, Never>()

  init(_ values: [String: [String: TweakValue]]) { provider = EphemeralTweakProvider(values) }

  var name: String { "SlowProvider" }
  var isPersistent: Bool { false }
  var tweakIDs: Set<TweakID> { provider.table.value.ids }
  var updates: AnySignal<TweakUpdate, Never>? { updated.eraseToAnySignal() }

  func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    try provider.tweak(feature: feature, variable: variable)
  }

  @discardableResult
  func apply(_ edits: [TweakEdit]) -> TweakUpdate {
    let update = provider.apply(edits)
    updated.send(update)
    meanwhile.value?()
    return update
  }
}
