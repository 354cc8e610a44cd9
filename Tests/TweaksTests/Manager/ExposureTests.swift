import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Exposures")
struct ExposureTests {
  private let key = TweakKey("shop", "limit", default: 1)

  private func manager(_ providers: any TweakProvider...) -> TweakManager {
    TweakManager(providers: providers + [EphemeralTweakProvider(["shop": ["limit": 10, "title": "A"]], name: "Base")])
  }

  @Test(.patient)
  func `of 1,000 reads one is an exposure, and another one after the user has changed`() async throws {
    let user = MutableProperty<String?>("anna")
    let manager = manager()
    let exposures = manager.exposures.recorded()
    _ = manager[key]
    manager.recordExposures(TweakExposurePolicy(subject: user, salt: "x"))
    for _ in 0..<1_000 { #expect(manager[key] == 10) }
    user.value = "ben"
    for _ in 0..<1_000 { #expect(manager[key] == 10) }
    let all = try await exposures.wait(for: "two exposures") { $0.count == 2 }
    #expect(all.map(\.id) == [key.id, key.id])
    #expect(all.map(\.sequence) == [1, 2])
    #expect(Set(all.map(\.subject)).count == 2)
    #expect(all.allSatisfy { $0.subject?.contains("anna") == false && $0.provider == "Base" && $0.reason == .static })
  }

  @Test(.patient)
  func `every typed read counts, and snapshots, traces, signals and details do not`() async throws {
    let manager = manager()
    let exposures = manager.exposures.recorded()
    manager.recordExposures(TweakExposurePolicy())
    _ = manager.snapshot()
    _ = manager.trace(feature: "shop", variable: "limit")
    _ = manager.details(for: key)
    _ = try manager.requiredTweak(feature: "shop", variable: "limit")
    let signal = manager.signal(for: key).recorded()
    let panel = TweakPanel(manager: manager)
    #expect(panel.sections.value.count == 1)
    #expect(signal.elements == [10])
    // A read of another type, and one of a missing tweak, return the default.
    _ = manager.value(feature: "shop", variable: "limit", default: "")
    _ = manager.value(feature: "shop", variable: "missing", default: 0)
    #expect(manager[TweakKey("shop", "title", default: "")] == "A")
    #expect(try manager.value(feature: "shop", variable: "limit", as: Int.self) == 10)
    let all = try await exposures.wait(for: "two exposures") { $0.count >= 2 }
    #expect(all.map(\.id.variable) == ["title", "limit"])
  }

  @Test(.patient)
  func `a property wrapper counts`() async throws {
    let manager = manager()
    let exposures = manager.exposures.recorded()
    manager.recordExposures(TweakExposurePolicy())
    let limit = TweakProperty(key, tweakManager: manager)
    for _ in 0..<10 { #expect(limit.wrappedValue == 10) }
    _ = manager[TweakKey("shop", "title", default: "")]
    let all = try await exposures.wait(for: "two exposures") { $0.count >= 2 }
    #expect(all.map(\.id.variable) == ["limit", "title"])
  }

  @Test(.patient)
  func `a new value is exposed, and an old one that returns soon is not`() async throws {
    let clock = TestClock()
    let overrides = EphemeralTweakProvider()
    let manager = manager(overrides)
    let exposures = manager.exposures.recorded()
    manager.recordExposures(TweakExposurePolicy(time: TweakTime(clock: clock, startingAt: Date())))
    for value in [20, 10, 20, 10] {
      try manager.set(.int(value), feature: "shop", variable: "limit")
      #expect(manager[key] == value)
    }
    await clock.advance(by: .seconds(600))
    try manager.set(20, for: key)
    #expect(manager[key] == 20)
    let all = try await exposures.wait(for: "three exposures") { $0.count >= 3 }
    #expect(all.map(\.sequence) == [1, 2, 3])
    #expect(all.count == 3)
  }

  @Test
  func `nothing is recorded while exposures are off`() async throws {
    let manager = manager()
    let exposures = manager.exposures.recorded()
    _ = manager[key]
    manager.recordExposures(TweakExposurePolicy())
    manager.recordExposures(nil)
    _ = manager[key]
    #expect(exposures.elements.isEmpty)
  }

  @Test(.patient)
  func `a full buffer drops exposures, whose numbers are missing, and delays no reader`() async throws {
    var values: [String: TweakValue] = [:]
    for number in 0...100 { values["v\(number)"] = .int(number) }
    let manager = TweakManager(providers: [EphemeralTweakProvider(["f": values])])
    let gate = Gate(), numbers = MutableProperty<[Int]>([])
    let subscription = manager.exposures.sink { exposure in
      numbers.modify { $0.append(exposure.sequence) }
      gate.block()
    }
    manager.recordExposures(TweakExposurePolicy(capacity: 10))
    _ = manager.value(feature: "f", variable: "v0", default: 0)
    // The queue now waits for the subscriber.
    try await numbers.firstValue("the first exposure") { !$0.isEmpty }
    for number in 1..<100 { #expect(manager.value(feature: "f", variable: "v\(number)", default: -1) == number) }
    gate.open()
    try await numbers.firstValue("the exposures in the buffer") { $0.count == 11 }
    _ = manager.value(feature: "f", variable: "v100", default: 0)
    try await numbers.firstValue("an exposure after the dropped ones") { $0.count == 12 }
    #expect(numbers.value == Array(1...11) + [101])
    subscription.cancel()
  }

  @Test(.patient)
  func `sampling keeps a share of the users, always the same ones`() async throws {
    let user = MutableProperty<String?>(nil)
    let manager = manager()
    let exposures = manager.exposures.recorded()
    manager.recordExposures(TweakExposurePolicy(sampling: 0.3, subject: user, deduplication: .zero))
    let users = (0..<1_000).map { "user\($0)" }
    let sampled = users.filter { TweakRule.bucket("exposure:shop/limit", targetingKey: $0) < 3_000 }
    #expect((200..<400).contains(sampled.count))
    for name in users {
      user.value = name
      #expect(manager[key] == 10)
    }
    user.value = sampled[0]
    _ = manager[key]
    let all = try await exposures.wait(for: "the sample") { $0.count > sampled.count }
    #expect(all.count == sampled.count + 1)
    #expect(all.last?.subject == all.first?.subject)
    #expect(all.allSatisfy { $0.sampling == 0.3 })
  }
}
