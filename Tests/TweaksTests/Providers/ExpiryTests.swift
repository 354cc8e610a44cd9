import AppGroups
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
@testable import Tweaks

/// A test clock, and a wall clock that advances with it and that a test can also set.
private final class Clocks: Sendable {
  let clock = TestClock()

  /// The seconds by which the wall clock was set.
  let shift = MutableProperty(0.0)

  var now: Date {
    let passed = Double(clock.now.offset.components.seconds)
    return Date(timeIntervalSinceReferenceDate: 800_000_000 + passed + shift.value)
  }

  var time: TweakTime { TweakTime(clock: clock) { [self] in now } }

  func end(in seconds: Double) -> Date { now.addingTimeInterval(seconds) }

  /// Advances both clocks.
  func pass(_ seconds: Int) { clock.advance(by: .seconds(seconds)) }
}

@Suite("Overrides with an end")
struct ExpiryTests {
  private let key = TweakKey("shop", "limit", default: 1)
  private let id = TweakID(feature: "shop", variable: "limit")

  @Test
  func `an override falls back at its end, with one change, and others stay`() throws {
    let clocks = Clocks()
    let manager = TweakManager(providers: [
      EphemeralTweakProvider(time: clocks.time), EphemeralTweakProvider(["shop": ["limit": 10]], name: "Defaults"),
    ])
    let values = manager.signal(for: key).recorded()
    try manager.set(20, for: key, until: clocks.end(in: 90))
    try manager.set(true, feature: "shop", variable: "other")
    #expect(try manager.requiredTweak(feature: "shop", variable: "limit").expiration == clocks.end(in: 90))
    clocks.pass(89)
    #expect(manager[key] == 20)
    clocks.pass(1)
    #expect(manager[key] == 10)
    #expect(values.elements == [10, 20, 10])
    #expect(manager.value(feature: "shop", variable: "other", default: false))
    #expect(clocks.clock.scheduledCount == 0)
  }

  @Test
  func `setting the value again moves or removes the end`() throws {
    let clocks = Clocks()
    let manager = TweakManager(providers: [EphemeralTweakProvider(time: clocks.time)])
    try manager.set(20, for: key, until: clocks.end(in: 10))
    try manager.set(20, for: key, until: clocks.end(in: 100))
    clocks.pass(50)
    #expect(manager[key] == 20)
    try manager.set(20, for: key)
    clocks.pass(500)
    #expect(manager[key] == 20)
    try manager.apply([TweakEdit(key, 30, until: clocks.end(in: 5))])
    clocks.pass(5)
    #expect(manager[key] == 1)
  }

  @Test
  func `an end in the past has no effect, and any end is refused where it cannot be stored`() throws {
    let clocks = Clocks()
    let fixture = try Fixture()
    let suite = SuiteTweakProvider(suite: try fixture.suite(), time: clocks.time)
    let manager = TweakManager(providers: [suite])
    #expect(throws: TweakError.self) { try manager.set(20, for: key, until: clocks.now) }
    #expect(manager[key] == 1)
    let memory = TweakManager(providers: [EphemeralTweakProvider(time: clocks.time)])
    try memory.set(20, for: key, until: clocks.now)
    #expect(memory[key] == 1)
    let defaults = UserDefaultsTweakProvider(userDefaults: try TestDefaults().defaults)
    #expect(throws: TweakError.self) {
      try TweakManager(providers: [defaults]).set(20, for: key, until: clocks.end(in: 5))
    }
    #expect(throws: TweakError.self) {
      try defaults.set(20, feature: "shop", variable: "limit", until: clocks.end(in: 5))
    }
  }

  @Test(.patient)
  func `an override in a suite falls back, also in another process, and is removed from the file`() async throws {
    let clocks = Clocks(), others = Clocks()
    let fixture = try Fixture()
    let manager = TweakManager(providers: [SuiteTweakProvider(suite: try fixture.suite(), time: clocks.time)])
    let other = TweakManager(providers: [SuiteTweakProvider(suite: try fixture.suite(), time: others.time)])
    let seen = other.signal(for: key).recorded()
    try manager.set(20, for: key, until: clocks.end(in: 30))
    _ = try await seen.wait(for: "the override") { $0.last == 20 }
    // The clock of the other process stands still.
    clocks.pass(30)
    #expect(manager[key] == 1)
    _ = try await seen.wait(for: "the end") { $0.last == 1 }
    let suite = try fixture.suite()
    #expect(suite.keys == ["tweaks-clock"])
    #expect(other.snapshot().tweaks.isEmpty)
  }

  @Test
  func `an override that ended during sleep falls back on waking`() throws {
    let clocks = Clocks()
    let fixture = try Fixture()
    let manager = TweakManager(providers: [SuiteTweakProvider(suite: try fixture.suite(), time: clocks.time)])
    let values = manager.signal(for: key).recorded()
    try manager.set(20, for: key, until: clocks.end(in: 3_000))
    // The system sleeps for an hour, and then runs what became due.
    clocks.pass(3_600)
    #expect(values.elements == [1, 20, 1])
  }

  @Test
  func `a wall clock that is set forward is noticed within a minute`() throws {
    let clocks = Clocks()
    let manager = TweakManager(providers: [EphemeralTweakProvider(time: clocks.time)])
    try manager.set(20, for: key, until: clocks.end(in: 3_000))
    clocks.shift.value = 4_000
    clocks.clock.advance(by: .seconds(60))
    #expect(manager[key] == 1)
  }

  @Test
  func `a clock that is set back postpones no end`() throws {
    let clocks = Clocks()
    let manager = TweakManager(providers: [EphemeralTweakProvider(time: clocks.time)])
    try manager.set(20, for: key, until: clocks.end(in: 100))
    clocks.pass(40)
    clocks.shift.value = -86_400
    clocks.pass(60)
    #expect(manager[key] == 1)
  }

  @Test(.patient)
  func `an override that has ended stays ended after a restart with the clock set back`() async throws {
    let fixture = try Fixture()
    let clocks = Clocks()
    do {
      let provider = SuiteTweakProvider(suite: try fixture.suite(), time: clocks.time)
      try provider.set(20, feature: "shop", variable: "limit", until: clocks.end(in: 7_200))
      try provider.set(30, feature: "shop", variable: "other", until: clocks.end(in: 100))
      let contents = try fixture.suite().property.recorded()
      clocks.pass(100)
      _ = try await contents.wait(for: "the removal") { $0.last?.contains("shop/other") == false }
      #expect(try provider.tweak(feature: "shop", variable: "other") == nil)
    }
    clocks.shift.value = -1_000_000
    let again = SuiteTweakProvider(suite: try fixture.suite(), time: clocks.time)
    #expect(try again.tweak(feature: "shop", variable: "other") == nil)
    #expect(try again.tweak(feature: "shop", variable: "limit")?.value == 20)
    // The mark, not the wall clock, decides how long it still lasts.
    clocks.pass(7_100)
    #expect(try again.tweak(feature: "shop", variable: "limit") == nil)
  }

  @Test
  func `an override that ended while no process ran stays ended, however soon the next process ends`() throws {
    let fixture = try Fixture()
    let clocks = Clocks()
    do {
      let provider = SuiteTweakProvider(suite: try fixture.suite(), time: clocks.time)
      try provider.set(20, feature: "shop", variable: "limit", until: clocks.end(in: 100))
    }
    clocks.shift.value = 200
    do {
      let provider = SuiteTweakProvider(suite: try fixture.suite(), time: clocks.time)
      #expect(try provider.tweak(feature: "shop", variable: "limit") == nil)
    }
    clocks.shift.value = 0
    let suite = try fixture.suite()
    #expect(suite.keys == ["tweaks-clock"])
    let provider = SuiteTweakProvider(suite: suite, time: clocks.time)
    #expect(try provider.tweak(feature: "shop", variable: "limit") == nil)
    // The mark of the clock holds for the ends of later overrides, too.
    #expect(throws: TweakError.self) {
      try provider.set(20, feature: "shop", variable: "limit", until: clocks.end(in: 150))
    }
  }

  @Test(.patient)
  func `an override that arrives after its end is removed at once`() async throws {
    let fixture = try Fixture()
    let ahead = Clocks(), behind = Clocks()
    ahead.shift.value = 1_000
    let first = SuiteTweakProvider(suite: try fixture.suite(), time: ahead.time)
    let suite = try fixture.suite()
    let contents = suite.property.recorded()
    let second = SuiteTweakProvider(suite: suite, time: behind.time)
    try second.set(20, feature: "shop", variable: "limit", until: behind.end(in: 500))
    // The other process rings its alarm at once, although its test clock stands still but for an instant.
    while first.suite.value.keys.isEmpty { await Task.yield() }
    await ahead.clock.advance(by: .zero)
    _ = try await contents.wait(for: "the removal") { $0.last?.contains("shop/limit") == false && $0.count > 1 }
    #expect(try first.tweak(feature: "shop", variable: "limit") == nil)
  }

  @Test
  func `the format of an override without an end is unchanged, and an older version reads one with an end`() throws {
    let fixture = try Fixture()
    let suite = try fixture.suite()
    let provider = SuiteTweakProvider(suite: suite)
    try provider.set(20, feature: "shop", variable: "limit")
    #expect(try suite.value(forKey: "shop/limit", as: [String: Int].self) == ["int": 20])
    try provider.set(20, feature: "shop", variable: "limit", until: .distantFuture)
    #expect(try suite.value(forKey: "shop/limit", as: TweakValue.self) == 20)
  }
}
