public import Configuration
public import Signals
import Synchronization
public import Tweaks

/// A provider of tweaks whose values are those of a provider of configuration, and which follows its changes.
///
/// - **Types.** A configuration has no type of its own, so the type of each tweak is declared. Other tweaks do not
///   exist.
/// - **Names.** The feature is the beginning of the key, split at its dots, and the variable its last component.
/// - **Changes.** All values are those of one snapshot. A change of several keys is one change of the tweaks.
/// - **Secrets.** A secret value is a secret tweak.
public final class ConfigTweakProvider: AskedTweakProvider {
  /// The name of the provider.
  public let name: String

  /// The names of the declared tweaks.
  public var tweakIDs: Set<TweakID> { Set(types.keys) }

  private let types: [TweakID: ConfigType]
  private let current: Mutex<any ConfigSnapshot>
  private let emitter = Emitter<TweakUpdate, Never>()
  private let following = Mutex<Task<Void, Never>?>(nil)

  /// Creates a provider, and begins to follow the configuration.
  ///
  /// - Parameters:
  ///   - provider: The provider of configuration.
  ///   - types: The types of the tweaks.
  ///   - name: The name of the provider; by default that of the configuration.
  public init(_ provider: any ConfigProvider, types: [TweakID: ConfigType], name: String? = nil) {
    self.name = name ?? provider.providerName
    self.types = types
    current = Mutex(provider.snapshot())
    let task = Task { [weak self] in
      do {
        try await provider.watchSnapshot { snapshots in
          for await snapshot in snapshots {
            guard let self else { return }
            self.take(snapshot)
          }
        }
      } catch {
        // A provider that cannot be watched keeps its values.
      }
    }
    following.withLock { $0 = task }
  }

  deinit {
    following.withLock { $0 }?.cancel()
  }

  /// Returns a declared tweak.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if it is not declared or has no value.
  /// - Throws: ``TweakError/unavailable(_:provider:reason:)`` if the value is not of the declared type.
  public func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    try tweak(TweakID(feature: feature, variable: variable), in: current.withLock { $0 })
  }

  /// The declared tweaks whose values have changed.
  public var updates: AnySignal<TweakUpdate, Never>? { emitter.eraseToAnySignal() }

  private func tweak(_ id: TweakID, in snapshot: any ConfigSnapshot) throws(TweakError) -> Tweak? {
    guard let type = types[id] else { return nil }
    let value: ConfigValue?
    do {
      value = try snapshot.value(forKey: id.configKey, type: type).value
    } catch {
      throw .unavailable(id, provider: name, reason: "\(error)")
    }
    guard let value else { return nil }
    var tweak = Tweak(
      feature: id.feature, variable: id.variable, value: try TweakValue(value.content, of: id, provider: name))
    tweak.isStructured = value.content.isList
    tweak.isSecret = value.isSecret
    return tweak
  }

  private func take(_ new: any ConfigSnapshot) {
    let old = current.withLock { current in
      defer { current = new }
      return current
    }
    let changed = types.keys.filter { answer($0, in: old) != answer($0, in: new) }
    if !changed.isEmpty { emitter.send(.tweaks(Set(changed))) }
  }

  private func answer(_ id: TweakID, in snapshot: any ConfigSnapshot) -> Result<Tweak?, TweakError> {
    Result { () throws(TweakError) in try tweak(id, in: snapshot) }
  }
}
