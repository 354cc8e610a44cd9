public import Signals

/// A provider of tweaks in memory, which end with the process.
public final class EphemeralTweakProvider: MutableTweakProvider {
  /// The name of the provider.
  public let name: String

  private let values: Guarded<[TweakID: TweakValue]>
  private let emitter = Emitter<TweakUpdate, Never>()

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - values: The values by feature and variable.
  ///   - name: The name of the provider.
  public init(_ values: [String: [String: TweakValue]] = [:], name: String = "EphemeralTweakProvider") {
    self.name = name
    var found: [TweakID: TweakValue] = [:]
    for (feature, variables) in values {
      for (variable, value) in variables { found[TweakID(feature: feature, variable: variable)] = value }
    }
    self.values = Guarded(found)
  }

  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if there is none.
  public func tweak(feature: String, variable: String) -> Tweak? {
    let value = values.withLock { $0[TweakID(feature: feature, variable: variable)] }
    return value.map { Tweak(feature: feature, variable: variable, value: $0, source: name) }
  }

  /// The names of the tweaks that are set.
  public var tweakIDs: Set<TweakID> { values.withLock { Set($0.keys) } }

  /// The changed tweaks, sent after each change.
  public var updates: AnySignal<TweakUpdate, Never> { emitter.eraseToAnySignal() }

  /// `false`: nothing is stored persistently.
  public var isPersistent: Bool { false }

  /// Makes changes, all at once.
  ///
  /// - Parameter edits: The changes, in order.
  /// - Returns: The tweaks that changed.
  @discardableResult
  public func apply(_ edits: [TweakEdit]) -> TweakUpdate {
    let changed = values.withLock { values in
      var changed: Set<TweakID> = []
      for edit in edits where values[edit.id] != edit.value {
        values[edit.id] = edit.value
        changed.insert(edit.id)
      }
      return changed
    }
    if !changed.isEmpty { emitter.send(.tweaks(changed)) }
    return .tweaks(changed)
  }
}

extension EphemeralTweakProvider: CustomReflectable {
  /// The children that `dump` shows: names only, because the values of secret tweaks are not encrypted here.
  public var customMirror: Mirror {
    Mirror(self, children: ["name": name, "tweakIDs": tweakIDs.sorted()], displayStyle: .class)
  }
}
