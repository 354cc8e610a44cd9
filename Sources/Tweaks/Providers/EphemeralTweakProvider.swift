import Foundation
public import Signals

/// A provider of tweaks in memory, which end with the process.
///
/// An override with an end falls back when the end comes.
public final class EphemeralTweakProvider: MutableTweakProvider {
  /// The name of the provider.
  public let name: String

  private let values: Guarded<[TweakID: StoredOverride]>
  private let emitter = Emitter<TweakUpdate, Never>()
  private let expiry: OverrideExpiry

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - values: The values by feature and variable.
  ///   - name: The name of the provider.
  ///   - time: The clocks by which overrides end.
  public init(
    _ values: [String: [String: TweakValue]] = [:], name: String = "EphemeralTweakProvider", time: TweakTime = .system
  ) {
    self.name = name
    var found: [TweakID: StoredOverride] = [:]
    for (feature, variables) in values {
      for (variable, value) in variables {
        found[TweakID(feature: feature, variable: variable)] = StoredOverride(value: value)
      }
    }
    self.values = Guarded(found)
    expiry = OverrideExpiry(time: time)
    expiry.start { [weak self] in self?.removeEnded() }
  }

  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if there is none, or if its end has come.
  public func tweak(feature: String, variable: String) -> Tweak? {
    let stored = values.withLock { $0[TweakID(feature: feature, variable: variable)] }
    guard let stored, !expiry.hasPassed(stored.end) else { return nil }
    var tweak = Tweak(feature: feature, variable: variable, value: stored.value, source: name)
    if let end = stored.end { tweak.expiration = end }
    return tweak
  }

  /// The names of the tweaks that are set.
  public var tweakIDs: Set<TweakID> {
    let all = values.withLock { $0 }
    return Set(all.keys.filter { !expiry.hasPassed(all[$0]?.end) })
  }

  /// The changed tweaks, sent after each change.
  public var updates: AnySignal<TweakUpdate, Never> { emitter.eraseToAnySignal() }

  /// `false`: nothing is stored persistently.
  public var isPersistent: Bool { false }

  /// `true`.
  public var supportsExpiration: Bool { true }

  /// Makes changes, all at once.
  ///
  /// An override whose end has already come is the same as no override.
  ///
  /// - Parameter edits: The changes, in order.
  /// - Returns: The tweaks that changed.
  @discardableResult
  public func apply(_ edits: [TweakEdit]) -> TweakUpdate {
    let now = edits.contains { $0.expiration != nil } ? expiry.now : .distantPast
    let (changed, ends) = values.withLock { values in
      var changed: Set<TweakID> = []
      var hasEnds = false
      for edit in edits {
        let hasEnded = edit.expiration.map { $0 <= now } ?? false
        let new = hasEnded ? nil : edit.value.map { StoredOverride(value: $0, end: edit.expiration) }
        let old = values[edit.id]
        if old == new { continue }
        hasEnds = hasEnds || old?.end != nil || new?.end != nil
        values[edit.id] = new
        changed.insert(edit.id)
      }
      return (changed, hasEnds ? values.values.compactMap(\.end) : nil)
    }
    if let ends { expiry.follow(ends) }
    if !changed.isEmpty { emitter.send(.tweaks(changed)) }
    return .tweaks(changed)
  }

  private func removeEnded() {
    let now = expiry.ring()
    let (ended, ends) = values.withLock { values in
      let ended = values.filter { $0.value.end.map { $0 <= now } ?? false }.map(\.key)
      for id in ended { values[id] = nil }
      return (Set(ended), values.values.compactMap(\.end))
    }
    expiry.follow(ends)
    if !ended.isEmpty { emitter.send(.tweaks(ended)) }
  }
}

extension EphemeralTweakProvider: CustomReflectable {
  /// The children that `dump` shows: names only, because the values of secret tweaks are not encrypted here.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "tweakIDs": tweakIDs.sorted()], displayStyle: .class)
  }
}
