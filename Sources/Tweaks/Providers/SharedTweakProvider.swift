public import AppGroups
public import Signals

/// A provider of tweaks that are derived from a shared value, such as an ``/AppGroups/AppGroupsFile``, and follow it.
///
/// The value may have any kind of store. Its errors are sent as ``TweakError/unusableStore(provider:_:)``.
public final class SharedTweakProvider: TweakProvider {
  /// The name of the provider.
  public let name: String

  /// The scope of the shared value, if it has one.
  public let scopes: [Scope]

  private let collection: TweakCollection
  private let failureEmitter = Emitter<TweakError, Never>()
  private let tweaksNow: @Sendable () -> [Tweak]
  private let failureNow: @Sendable () -> TweakError?
  private let subscriptions = Guarded<[SignalSubscription]>([])

  /// Creates a provider for a shared value.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - name: The name of the provider.
  ///   - tweaks: A closure that derives tweaks from the value. Of several with the same name, the last one counts.
  public init<Value: SharedValue>(
    _ value: Value, name: String = "SharedTweakProvider", tweaks: @escaping @Sendable (Value.Value) -> [Tweak]
  ) {
    self.name = name
    let collection = TweakCollection(source: name)
    self.collection = collection
    let subscription = value.sink { collection.tell(collection.replace(by: tweaks($0))) }
    let failures = value.failures.sink { [failureEmitter] in
      failureEmitter.send(.unusableStore(provider: name, TweakStoreError($0)))
    }
    tweaksNow = { tweaks(value.value) }
    failureNow = { value.status.value.failure.map { .unusableStore(provider: name, TweakStoreError($0)) } }
    scopes = [(value as? any ScopedValue)?.scope].compactMap { $0 }
    let memberships = scopes.map { $0.enrol(self) }
    subscriptions.withLock { $0 = [subscription, failures] + memberships }
  }

  /// Returns a tweak by name.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if there is none.
  public func tweak(feature: String, variable: String) -> Tweak? {
    collection[feature, variable]
  }

  /// The names of the tweaks.
  public var tweakIDs: Set<TweakID> { collection.ids }

  /// The changed tweaks, sent after each change.
  public var updates: AnySignal<TweakUpdate, Never> { collection.updates }

  /// The errors that keep the tweaks from following the stored value.
  ///
  /// A new subscriber first receives the current errors.
  public var failures: AnySignal<TweakError, Never> {
    failureEmitter.beginning { [weak self] in self?.failureNow().map { [$0] } ?? [] }
  }
}

extension SharedTweakProvider: ScopeMember {
  package var switchStage: ScopeStage { .dependents }

  package func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    PreparedSwitch { [self] changes in
      guard outcome == .switched else { return }
      let changed = collection.replace(by: tweaksNow())
      changes.afterwards { [collection] in collection.tell(changed) }
    }
  }
}
