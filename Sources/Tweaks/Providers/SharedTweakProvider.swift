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

  /// The tweaks that are derived from the value.
  public let table: Property<TweakTable>

  private let failureEmitter = Emitter<TweakError, Never>()
  private let failureNow: @Sendable () -> TweakError?
  private let subscriptions: [SignalSubscription]

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
    let last = Guarded(TweakTable())
    table = .derived(value.property) { value in
      let new = tweaks(value)
      return last.withLock { last in
        last.replace(with: new)
        return last
      }
    }
    let failures = value.failures.sink { [failureEmitter] in
      failureEmitter.send(.unusableStore(provider: name, TweakStoreError($0)))
    }
    failureNow = { value.status.value.failure.map { .unusableStore(provider: name, TweakStoreError($0)) } }
    scopes = [(value as? any ScopedValue)?.scope].compactMap { $0 }
    // The first one keeps the derived table.
    subscriptions = [table.sink { _ in }, failures]
  }

  /// The errors that keep the tweaks from following the stored value.
  ///
  /// A new subscriber first receives the current errors.
  public var failures: AnySignal<TweakError, Never> {
    failureEmitter.beginning { [weak self] in self?.failureNow().map { [$0] } ?? [] }
  }
}
