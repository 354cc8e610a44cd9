import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

/// The check that an app reads only tweaks that it declares.
///
/// Each wrong read ends its process, so it runs in a process of its own.
@Suite("Declared tweaks", .patient)
struct DeclarationTests {
  /// A manager whose first provider has tweaks that the declaring one lacks.
  private static func manager() -> TweakManager {
    let values: [String: [String: TweakValue]] = ["shop": ["limit": 10, "enabled": true], "old": ["enabled": true]]
    let remote = EphemeralTweakProvider(
      values.merging(["shop": ["limit": 20, "limti": 20], "shpo": ["enabled": true]]) { $1 }, name: "Remote")
    let local = EphemeralTweakProvider(values, name: "Local")
    return TweakManager(providers: [remote, local], declarations: local)
  }

  private static let misspelled = TweakKey("shop", "limti", default: 1)

  private func check(_ result: ExitTest.Result?, names tweak: String) throws {
    let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(errors.contains("\(tweak) is read, but Local does not declare it"), "\(errors)")
  }

  @Test
  func `a debug build stops at a read of a tweak that the local file lacks`() async throws {
    try check(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Self.manager()[Self.misspelled]
      }, names: "shop/limti")
    try check(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Self.manager().value(feature: "shop", variable: "nowhere", default: "")
      }, names: "shop/nowhere")
    try check(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = try Self.manager().tweak(feature: "shop", variable: "limti")
      }, names: "shop/limti")
    try check(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = TweakProperty(Self.misspelled, tweakManager: Self.manager()).wrappedValue
      }, names: "shop/limti")
    try check(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Self.manager().property(for: Self.misspelled)
      }, names: "shop/limti")
    try check(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Self.manager().details(for: Self.misspelled)
      }, names: "shop/limti")
  }

  @Test
  func `a debug build stops at a read of a feature that the local file lacks`() async throws {
    try check(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Self.manager().isFeatureEnabled("shpo")
      }, names: "shpo/enabled")
    try check(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = Self.manager().property(forFeature: "shpo")
      }, names: "shpo/enabled")
  }

  @Test
  func `an undeclared tweak is noticed although it was listed, observed or exposed before`() async throws {
    try check(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let manager = Self.manager()
        let (changes, panel) = (manager.changes.recorded(), TweakPanel(manager: manager))
        _ = manager[Self.misspelled]
        withExtendedLifetime((changes, panel)) {}
      }, names: "shop/limti")
    try check(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        let manager = Self.manager()
        _ = manager.snapshot()
        manager.recordExposures(TweakExposurePolicy())
        manager.recordExposures(nil)
        _ = manager[Self.misspelled]
      }, names: "shop/limti")
  }

  @Test
  func `declared tweaks are read as ever, and undeclared ones may be listed, traced and set`() throws {
    let manager = Self.manager()
    let limit = TweakKey("shop", "limit", default: 1)
    for _ in 1...2 {
      #expect(manager[limit] == 20)
      #expect(manager.isFeatureEnabled("shop"))
      #expect(manager.isFeatureEnabled("old"))
    }
    #expect(manager.snapshot().tweaks.count == 5)
    #expect(manager.trace(feature: "shop", variable: "limti").winner == 0)
    #expect(TweakPanel(manager: manager).sections.value.flatMap(\.rows).count == 5)
    try manager.set(3, for: Self.misspelled)
    #expect(manager.snapshot()[Self.misspelled] == 3)
    try manager.set(4, for: limit)
    #expect(manager[limit] == 4)
    // A manager that uses this one may ask for tweaks that others list.
    let outer = TweakManager(providers: [EphemeralTweakProvider(["other": ["x": 1]]), manager])
    #expect(outer.snapshot().tweaks.count == 6)
    #expect(outer[TweakKey("nowhere", "y", default: 5)] == 5)
  }

  @Test
  func `a file declares its tweaks and features`() async throws {
    let file = try Fixture().local(#"{"shop": {"limit": {"Value": 10}}}"#)
    let manager = TweakManager(providers: [file], declarations: file)
    #expect(manager[TweakKey("shop", "limit", default: 1)] == 10)
    #expect(manager.isFeatureEnabled("shop"))
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let file = try Fixture().local(#"{"shop": {"limit": {"Value": 10}}}"#)
      _ = TweakManager(providers: [file], declarations: file)[Self.misspelled]
    }
    let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(errors.contains("shop/limti is read, but \(file.name) does not declare it"), "\(errors)")
  }
}
