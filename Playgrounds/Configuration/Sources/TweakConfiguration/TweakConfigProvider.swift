public import Configuration
import Signals
public import Tweaks

/// A provider of configuration whose values are those of a ``TweakManager``.
///
/// - **Keys.** The last component is the variable, and the components before it are the feature, joined by dots. A key
///   of one component has no value.
/// - **Types.** A value of another type is an error, which ends the lookup; a missing one leaves it to the next
///   provider. Lists of scalars are read from structured tweaks. Bytes are not supported.
/// - **Secrets.** A secret tweak is a secret value.
/// - **Watching.** A watcher receives the current value, and then the newest one whenever it is ready for another.
public struct TweakConfigProvider: ConfigProvider {
  /// The name of the provider.
  public let providerName: String

  private let manager: TweakManager
  private let refresh: (@Sendable () async throws -> Void)?

  /// Creates a provider.
  ///
  /// - Parameters:
  ///   - manager: The manager that has the values.
  ///   - name: The name of the provider.
  ///   - refresh: A closure that a fetch waits for, such as the `refresh` of a ``RemoteTweakProvider``.
  public init(
    _ manager: TweakManager, name: String = "TweakManager", refresh: (@Sendable () async throws -> Void)? = nil
  ) {
    self.manager = manager
    providerName = name
    self.refresh = refresh
  }

  /// Returns the current value of a tweak.
  public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    guard let id = TweakID(key) else { return LookupResult(encodedKey: key.encoded, value: nil) }
    return try LookupResult(manager.tweak(feature: id.feature, variable: id.variable), key, type)
  }

  /// Refreshes the tweaks, and returns the value of one.
  public func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
    try await refresh?()
    return try value(forKey: key, type: type)
  }

  /// Passes the value of a tweak, and each change of it, to a closure.
  public func watchValue<Return: ~Copyable>(
    forKey key: AbsoluteConfigKey, type: ConfigType,
    updatesHandler: (
      _ updates: ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>
    ) async throws -> Return
  ) async throws -> Return {
    guard let id = TweakID(key) else {
      let missing = LookupResult(encodedKey: key.encoded, value: nil)
      return try await updatesHandler(ConfigUpdatesAsyncSequence(Property.constant(.success(missing)).values))
    }
    let tweaks = manager.signal(feature: id.feature, variable: id.variable, as: TweakValue.self)
    let results = tweaks.map { [self] _ in Result { try value(forKey: key, type: type) } }
    return try await updatesHandler(ConfigUpdatesAsyncSequence(results.values(buffering: .newest(1))))
  }

  /// Returns all tweaks that the providers list, at one moment.
  public func snapshot() -> any ConfigSnapshot {
    TweakConfigSnapshot(providerName: providerName, tweaks: manager.snapshot())
  }

  /// Passes a snapshot, and another one after each change, to a closure.
  public func watchSnapshot<Return: ~Copyable>(
    updatesHandler: (_ updates: ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
  ) async throws -> Return {
    let snapshots = manager.changes.map { _ in () }.prepend(()).map { [self] in snapshot() }
    return try await updatesHandler(ConfigUpdatesAsyncSequence(snapshots.values(buffering: .newest(1))))
  }
}

/// All tweaks of a manager at one moment.
struct TweakConfigSnapshot: ConfigSnapshot {
  let providerName: String
  let tweaks: TweakSnapshot

  func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
    let tweak = TweakID(key).flatMap { tweaks.tweaks[$0] }
    return try LookupResult(tweak, key, type)
  }
}
