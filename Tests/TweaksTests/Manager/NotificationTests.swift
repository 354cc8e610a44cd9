import FileSignals
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

@Suite("Notifications of tweaks")
struct TweakNotificationTests {
  @Test
  func `each change of a tweak is posted with JustTweak's name, its manager and both values`() throws {
    #expect(TweakManager.didChangeNotification.rawValue == "TweakProviderDidChangeNotification")
    let center = NotificationCenter()
    let overrides = EphemeralTweakProvider()
    let (manager, other) = (TweakManager(providers: [overrides]), TweakManager(providers: [overrides]))
    let identity = ObjectIdentifier(manager)
    let posted = Recorder<TweakChange>()
    let observing = center.signal(for: TweakManager.didChangeNotification) { notification -> TweakChange? in
      guard let sender = notification.object as? TweakManager, ObjectIdentifier(sender) == identity else { return nil }
      return notification.userInfo?["change"] as? TweakChange
    }.sink { change in if let change { posted.record(change) } }
    let posting = manager.postNotifications(to: center)
    let others = other.postNotifications(to: center)
    try manager.set(1, feature: "f", variable: "v")
    try manager.set(1, feature: "f", variable: "v")
    try overrides.set("x", feature: "f", variable: "w")
    try manager.deleteValue(feature: "f", variable: "v")
    posting.cancel()
    try manager.set(2, feature: "f", variable: "v")
    #expect(
      posted.elements.map { "\($0)" } == [
        "f/v: none → 1 (\(overrides.name))", "f/w: none → x (\(overrides.name))", "f/v: 1 → none",
      ])
    others.cancel()
    observing.cancel()
  }

  private enum Theme: String, TweakValueConvertible {
    case dark
  }

  @Test
  func `a value of every type that a tweak can be read as is set by name`() throws {
    let hidden = EphemeralTweakProvider(["f": ["bool": false]], name: "Arguments")
    let manager = TweakManager(providers: [Immutable(hidden), EphemeralTweakProvider(name: "Overrides")])
    let (isOn, count, ratio, name, theme) = (true, 3, Float(0.1), "name", Theme.dark)
    #expect(try manager.set(isOn, feature: "f", variable: "on") == nil)
    #expect(try manager.set(isOn, feature: "f", variable: "bool") == "Arguments")
    try manager.set(count, feature: "f", variable: "count")
    try manager.set(ratio, feature: "f", variable: "ratio")
    try manager.set(name, feature: "f", variable: "name")
    try manager.set(theme, feature: "f", variable: "theme")
    try manager.set(.int(4), feature: "f", variable: "value")
    try manager.set(1, feature: "f", variable: "literal")
    let tweaks = manager.snapshot().tweaks.values.map { "\($0.variable) \($0.value)" }.sorted()
    #expect(
      tweaks == ["bool false", "count 3", "literal 1", "name name", "on true", "ratio 0.1", "theme dark", "value 4"])
    #expect(manager.value(feature: "f", variable: "theme", default: Theme?.none.map(\.rawValue) ?? "") == "dark")
  }

  /// A provider that only reads another one.
  private struct Immutable: TweakProvider {
    let name: String
    let table: Property<TweakTable>

    init(_ provider: some TweakProvider) {
      (name, table) = (provider.name, provider.table)
    }
  }
}
