public import AppGroups
public import Signals

/// A provider of tweaks that are derived from a shared value, such as an ``/AppGroups/AppGroupsFile``, and follow it.
///
/// The value may have any kind of store. Its errors are sent as ``TweakError/unusableStore(provider:reason:)``.
public final class SharedTweakProvider: TweakProvider {
  /// The name of the provider.
  public let name: String

  /// The scope of the shared value, if it has one.
  public let scopes: [Scope]

  /// The tweaks that are derived from the value.
  public let table: Property<TweakTable>

  /// The errors that keep the tweaks from following the stored value.
  ///
  /// A new subscriber first receives the current errors.
  public let failures: AnySignal<TweakError, Never>

  /// It keeps the derived table.
  private let following: SignalSubscription

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
    failures = value.failures(of: name)
    scopes = [(value as? any ScopedValue)?.scope].compactMap { $0 }
    following = table.sink { _ in }
  }
}

extension SharedValue {
  /// The present failure, if there is one, and all later ones, as errors of a provider.
  func failures(of provider: String) -> AnySignal<TweakError, Never> {
    let error = { @Sendable (error: AccessError) in TweakError.unusableStore(provider: provider, reason: "\(error)") }
    return failures.map(error).beginning { [status] in status.value.failure.map { [error($0)] } ?? [] }
  }
}
