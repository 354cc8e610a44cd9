import Foundation
public import Signals

/// A provider of tweaks in memory, which end with the process.
///
/// An override with an end falls back when the end comes.
public final class EphemeralTweakProvider: MutableTweakProvider {
  /// The name of the provider.
  public let name: String

  /// The tweaks that are set.
  public var table: Property<TweakTable> { tweaks }

  private let tweaks: MutableProperty<TweakTable>
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
    var found: [TweakID: TweakTable.Entry] = [:]
    for (feature, variables) in values {
      for (variable, value) in variables {
        let tweak = Tweak(feature: feature, variable: variable, value: value, source: name)
        found[tweak.id] = .success(tweak)
      }
    }
    expiry = OverrideExpiry(time: time)
    tweaks = MutableProperty(TweakTable(found, check: expiry.check))
    expiry.start { [weak self] in self?.removeEnded() }
  }

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
    var hasEnds = false
    let changed = tweaks.withLock { table in
      table.change { entries in
        var changed: Set<TweakID> = []
        for edit in edits {
          let hasEnded = edit.expiration.map { $0 <= now } ?? false
          let new = hasEnded ? nil : edit.value.map { Tweak(edit, value: $0, source: name) }
          let old = entries[edit.id]?.tweak
          if old?.value == new?.value, old?.expiration == new?.expiration { continue }
          hasEnds = hasEnds || old?.expiration != nil || new?.expiration != nil
          entries[edit.id] = new.map { .success($0) }
          changed.insert(edit.id)
        }
        return changed
      }
    }
    if hasEnds { expiry.follow(tweaks.value.ends) }
    return .tweaks(changed)
  }

  private func removeEnded() {
    let now = expiry.ring()
    _ = tweaks.withLock { table in
      table.change { entries in
        let ended = entries.filter { $0.value.end.map { $0 <= now } ?? false }.map(\.key)
        for id in ended { entries[id] = nil }
        return Set(ended)
      }
    }
    expiry.follow(tweaks.value.ends)
  }
}

extension EphemeralTweakProvider: CustomReflectable {
  /// The children that `dump` shows: names only, because the values of secret tweaks are not encrypted here.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "tweakIDs": tweaks.value.ids.sorted()], displayStyle: .class)
  }
}
