import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing
import Tweaks

/// ``runRandomPrograms(seconds:repetitions:until:_:)`` explains how to repeat one program, or run many.
@Suite("Random programs of flags", .serialized)
struct RandomManagerTests {
  @Test(.patient)
  func `after any changes by providers and subscribers, all reads return the first provider's value`() async {
    await runRandomPrograms(seconds: 1, repetitions: 1) { seed in
      let world = ManagerWorld(seed: seed)
      world.run()
      #expect(world.breaches.isEmpty, "SIGNALS_SEED=\(seed): \(world.breaches.joined(separator: "\n"))")
      return world.breaches.isEmpty
    }
  }

  @Test(.patient)
  func `after concurrent writes, failures and refreshes, all observers have the last values`() async throws {
    try await runRandomPrograms(seconds: 1, repetitions: 50) { seed in
      let breaches = try await onThread { Self.meet(seed) }
      #expect(breaches.isEmpty, "SIGNALS_SEED=\(seed): \(breaches.joined(separator: "\n"))")
      return breaches.isEmpty
    }
  }

  /// Lets threads change two nested managers and their provider at once.
  ///
  /// - Returns: The errors found afterwards.
  private static func meet(_ seed: UInt64) -> [String] {
    let provider = ManagerWorld.Provider("shared")
    let defaults = EphemeralTweakProvider(["f0": ["x": -1, "y": -1]])
    let inner = TweakManager(providers: [provider, defaults], name: "inner")
    let outer = TweakManager(providers: [inner, EphemeralTweakProvider(["f1": ["x": -2]])], name: "outer")
    let ids = Array(ManagerWorld.ids.prefix(3))
    let managers = [inner, outer]
    let changes = managers.map { $0.changes.recorded() }
    let values = managers.map { manager in
      ids.map { manager.signal(feature: $0.feature, variable: $0.variable, as: TweakValue.self).recorded() }
    }
    withThreads(4) { thread in
      var chance = Chance(seed: seed &+ UInt64(thread))
      for _ in 0..<30 {
        let manager = managers[chance.number(below: 2)]
        let edits = ids.shuffled(using: &chance).prefix(1 + chance.number(below: 3)).map {
          TweakEdit($0, chance.once(in: 4) ? nil : .int(chance.number(below: 9)))
        }
        do {
          switch chance.number(below: 8) {
          case 0: manager.resetCache()
          case 1: _ = try provider.apply(edits)
          case 2: provider.fault.value = chance.once(in: 2) ? .none : .partlyWritten
          case 3: manager.usesCache.toggle()
          case 4: _ = manager.snapshot()
          default: try manager.apply(edits)
          }
        } catch {}
      }
    }
    var breaches: [String] = []
    for (manager, (changes, values)) in zip(managers, zip(changes, values)) {
      var replayed: [TweakID: TweakValue] = [:]
      for change in changes.elements {
        if let last = replayed[change.id], last != change.old {
          breaches.append("\(manager.name): \(change) after \(last)")
        }
        replayed[change.id] = change.new
      }
      for (id, values) in zip(ids, values) {
        let expected =
          provider.values.value[id] ?? (try? defaults.tweak(feature: id.feature, variable: id.variable))?.value
        let found = [
          manager.snapshot().tweaks[id]?.value, values.elements.last ?? nil,
          try? manager.value(feature: id.feature, variable: id.variable, as: TweakValue.self),
        ]
        for value in found where value != expected {
          breaches.append("\(manager.name): \(id) is \(found), not \(String(describing: expected))")
        }
        if let last = replayed[id], last != expected {
          breaches.append("\(manager.name): \(id) is \(last) by its changes")
        }
      }
    }
    return breaches
  }
}
