import Signals
import Tweaks

/// What it costs to read a flag.
let flags = [
  Promise(title: "flag by name", allocations: 0, retains: 0) {
    read { manager in manager.value(feature: "shop", variable: "limit", default: 5) }
  },
  Promise(title: "flag by typed key", allocations: 0, retains: 0) {
    let key = TweakKey("shop", "limit", default: 5)
    return read { manager in manager[key] }
  },
  Promise(title: "flag by property wrapper", allocations: 0, retains: 0) {
    let settings = Settings(manager)
    return read { _ in settings.limit }
  },
  Promise(title: "flag that nobody has", allocations: 0, retains: 0) {
    read { manager in manager.value(feature: "shop", variable: "nothing", default: 5) }
  },
  Promise(title: "flag that is a text", allocations: 0) {
    read { manager in manager.value(feature: "shop", variable: "title", default: "").utf8.count }
  },
]

private let title = ["A text that is", "on the heap"].joined(separator: " ")
private let manager = TweakManager(providers: [
  EphemeralTweakProvider(), EnvironmentTweakProvider(environment: [:]),
  EphemeralTweakProvider(["shop": ["limit": 10, "title": .string(title)]]),
])

private struct Settings {
  @TweakProperty var limit: Int

  init(_ manager: TweakManager) {
    _limit = TweakProperty(wrappedValue: 5, feature: "shop", variable: "limit", tweakManager: manager)
  }
}

private func read(_ body: (TweakManager) -> Int) -> Cost {
  let tally = Tally()
  return counting { for _ in 0..<$0 { tally.add(body(manager)) } }
}
