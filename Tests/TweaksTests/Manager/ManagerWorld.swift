import Signals
import TestSupport
import Tweaks

/// A manager whose providers change, and a simple reference: the values of each provider, in order.
///
/// One thread plays the program, so the reference is right after each step.
final class ManagerWorld {
  /// A provider whose writes can fail, even partly, and whose changes can be silent.
  final class Provider: MutableTweakProvider, AskedTweakProvider {
    enum Fault: Sendable { case none, nothingWritten, partlyWritten }

    let name: String
    let isPersistent = false
    let values = MutableProperty<[TweakID: TweakValue]>([:])
    let fault = MutableProperty(Fault.none)
    private let emitter = Emitter<TweakUpdate, Never>()

    init(_ name: String) { self.name = name }

    var tweakIDs: Set<TweakID> { Set(values.value.keys) }
    var updates: AnySignal<TweakUpdate, Never>? { emitter.eraseToAnySignal() }

    func tweak(feature: String, variable: String) -> Tweak? {
      values.value[TweakID(feature: feature, variable: variable)].map {
        Tweak(feature: feature, variable: variable, value: $0)
      }
    }

    func tell(_ update: TweakUpdate) { emitter.send(update) }

    func apply(_ edits: [TweakEdit]) throws(TweakError) -> TweakUpdate {
      let fault = fault.value
      var changed: Set<TweakID> = []
      if fault != .nothingWritten {
        for edit in fault == .none ? edits : Array(edits.prefix(1)) where values.value[edit.id] != edit.value {
          values.modify { $0[edit.id] = edit.value }
          changed.insert(edit.id)
          // One at a time, as a provider without transactions may do.
          emitter.send(.tweaks([edit.id]))
        }
      }
      if fault != .none { throw .unavailable(edits[0].id, provider: name, reason: "it refuses") }
      return .tweaks(changed)
    }
  }

  static let ids = ["f0", "f1"].flatMap { feature in
    ["x", "y", Tweak.enabledVariable].map { TweakID(feature: feature, variable: $0) }
  }

  private var chance: Chance
  private let fallsThrough: Bool
  private let manager: TweakManager
  private var providers: [Provider] = []
  private var made = 0

  /// The values that observers have received, and the result of replaying all changes.
  private let seen = MutableProperty<[TweakID: [TweakValue?]]>([:])
  private let replayed = MutableProperty<[TweakID: TweakValue]>([:])
  private let gaps = MutableProperty<[String]>([])
  private var subscriptions: [SignalSubscription] = []
  private var observed: Set<TweakID> = []
  private var log: [String] = []
  private(set) var breaches: [String] = []

  init(seed: UInt64) {
    chance = Chance(seed: seed)
    fallsThrough = chance.once(in: 3)
    manager = TweakManager(providers: [], fallsThrough: fallsThrough)
    manager.usesCache = chance.once(in: 2)
    for _ in 0..<2 { insert() }
    if chance.once(in: 2) {
      subscriptions.append(
        manager.changes.sink { [replayed, gaps] change in
          let old = replayed.modify { replayed in
            defer { replayed[change.id] = change.new }
            return replayed[change.id]
          }
          if old != change.old, old != nil { gaps.modify { $0.append("\(change) follows \(String(describing: old))") } }
        })
    }
    // Sets another tweak from within a notification: whenever f0/x is an odd number, f0/y becomes the next one.
    if chance.once(in: 2) {
      subscriptions.append(
        manager.signal(feature: "f0", variable: "x", as: Int.self).sink { [manager] value in
          guard let value, !value.isMultiple(of: 2) else { return }
          do { try manager.set(.int(value + 1), feature: "f0", variable: "y") } catch {}
        })
    }
  }

  func run() {
    for _ in 0..<(20 + chance.number(below: 30)) {
      step()
      check()
      if !breaches.isEmpty { break }
    }
    if !breaches.isEmpty { breaches.append(log.joined(separator: "\n")) }
  }

  // MARK: Steps

  private func insert() {
    made += 1
    let provider = Provider("p\(made)")
    for id in Self.ids where chance.once(in: 2) { provider.values.modify { $0[id] = value(for: id) } }
    let index = chance.number(below: providers.count + 1)
    providers.insert(provider, at: index)
    manager.insert(provider, at: index)
    log.append("insert \(provider.name) at \(index): \(provider.values.value)")
  }

  private func value(for id: TweakID) -> TweakValue {
    if id.variable == Tweak.enabledVariable { return .bool(chance.once(in: 2)) }
    return chance.once(in: 6) ? .string("text") : .int(chance.number(below: 20))
  }

  private func step() {
    let id = Self.ids[chance.number(below: Self.ids.count)]
    let value = value(for: id)
    switch chance.number(below: 12) {
    case 0 where providers.count < 4: insert()
    case 1 where !providers.isEmpty:
      let removed = providers.remove(at: chance.number(below: providers.count))
      log.append("remove \(removed.name)")
      manager.removeProviders(named: removed.name)
      // The manager no longer observes it.
      removed.tell(.everything)
    case 2 where !providers.isEmpty:
      let provider = providers[chance.number(below: providers.count)]
      log.append("\(provider.name) gets \(id) = \(value) directly")
      attempt { _ = try provider.apply([TweakEdit(id, value)]) }
    case 3 where !providers.isEmpty:
      let provider = providers[chance.number(below: providers.count)]
      log.append("\(provider.name) gets \(id) = \(value) and says nothing for a while")
      provider.values.modify { $0[id] = value }
      if chance.once(in: 2) {
        manager.resetCache()
      } else {
        provider.tell(chance.once(in: 2) ? .everything : .tweaks([id]))
      }
    case 4 where !providers.isEmpty:
      let provider = providers[chance.number(below: providers.count)]
      provider.fault.value = [.none, .none, .nothingWritten, .partlyWritten][chance.number(below: 4)]
      log.append("\(provider.name) has the fault \(provider.fault.value)")
    case 5:
      let edits = Self.ids.shuffled(using: &chance).prefix(3).map {
        TweakEdit($0, chance.once(in: 3) ? nil : self.value(for: $0))
      }
      log.append("update \(edits.map { "\($0.id) \(String(describing: $0.value))" })")
      attempt { _ = try manager.apply(edits) }
    case 6:
      log.append("delete \(id)")
      attempt { try manager.reset(TweakKey(id.feature, id.variable, default: 0)) }
    case 7: observe(id)
    case 8:
      log.append("cache \(!manager.usesCache)")
      manager.usesCache.toggle()
    default:
      log.append("set \(id) = \(value)")
      attempt {
        let hider = try manager.set(value, feature: id.feature, variable: id.variable)
        if let hider { breaches.append("hidden by \(hider), though the first provider was written") }
      }
    }
  }

  private func attempt(_ body: () throws -> Void) {
    do { try body() } catch { log.append("  \(error)") }
  }

  private func observe(_ id: TweakID) {
    guard observed.insert(id).inserted else { return }
    log.append("observe \(id)")
    subscriptions.append(
      manager.signal(feature: id.feature, variable: id.variable, as: TweakValue.self).sink { [seen] value in
        seen.modify { $0[id, default: []].append(value) }
      })
  }

  // MARK: The reference

  private func expected(_ id: TweakID) -> (value: TweakValue, provider: String)? {
    for provider in providers {
      if let value = provider.values.value[id] { return (value, provider.name) }
    }
    return nil
  }

  private func expectedInt(_ id: TweakID) -> Int? {
    for provider in providers {
      guard let value = provider.values.value[id] else { continue }
      if let number = Int(tweakValue: value) { return number }
      if !fallsThrough { return nil }
    }
    return nil
  }

  private func check() {
    let snapshot = manager.snapshot()
    if snapshot != manager.snapshot() { breaches.append("two snapshots differ") }
    for id in Self.ids {
      let expected = expected(id)
      let key = TweakKey(id.feature, id.variable, default: -1)
      let trace = manager.trace(feature: id.feature, variable: id.variable)
      let found: [TweakValue?] = [
        snapshot.tweaks[id]?.value, (try? manager.requiredTweak(feature: id.feature, variable: id.variable))?.value,
        try? manager.value(feature: id.feature, variable: id.variable, as: TweakValue.self),
        manager.property(for: TweakKey(id.feature, id.variable, default: TweakValue.string("none"))).value,
        (try? trace.result.get())?.value,
      ]
      for (index, value) in found.enumerated() {
        let wanted = index == 3 ? expected?.value ?? .string("none") : expected?.value
        if value == wanted { continue }
        breaches.append("\(id) is \(String(describing: value)) by way \(index), not \(String(describing: expected))")
      }
      if snapshot.tweaks[id]?.source != expected?.provider { breaches.append("\(id) has another source") }
      let winner = trace.winner.map { trace.answers[$0].provider }
      if winner != expected?.provider { breaches.append("\(id) is traced to another") }
      if trace.version != snapshot.version { breaches.append("the trace of \(id) has another version") }
      if manager[key] != expectedInt(id) ?? -1 { breaches.append("\(id) is \(manager[key]) as an Int") }
      let seen = seen.value[id] ?? []
      if observed.contains(id), seen.last != .some(expected?.value) { breaches.append("\(id) was told as \(seen)") }
      if zip(seen, seen.dropFirst()).contains(where: ==) { breaches.append("\(id) was told twice: \(seen)") }
      if let last = replayed.value[id], last != expected?.value { breaches.append("\(id) is \(last) by its changes") }
    }
    for feature in ["f0", "f1"] {
      let expected = expected(TweakID(feature: feature, variable: Tweak.enabledVariable))?.value == true
      if manager.isFeatureEnabled(feature) != expected { breaches.append("\(feature) is not \(expected)") }
      if manager.property(forFeature: feature).value != expected {
        breaches.append("the property of \(feature) is not \(expected)")
      }
    }
    breaches += gaps.value
  }
}
