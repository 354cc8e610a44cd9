import AppGroups
import Signals

extension TweakManager {
  /// The providers, the most important first.
  public var providers: [any TweakProvider] { state.withLock { $0.sources.all }.map(\.provider) }

  /// Adds a provider.
  ///
  /// It must not be a manager that uses this one as a provider.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - index: The position; 0, the default, is the most important. An index beyond the end means the last position.
  public func insert(_ provider: any TweakProvider, at index: Int = 0) {
    insert([provider], at: index)
  }

  /// Adds providers.
  ///
  /// No lock is held while a provider is asked for its parts, because their code may call the manager.
  func insert(_ providers: [any TweakProvider], at index: Int) {
    let new = providers.map { provider in
      TweakSource(provider) { provider, table in
        let following = table.changes.sink { [weak self] _ in self?.follow() }
        let forwarder = FailureForwarder { [weak self] in self?.areFailuresObserved ?? false }
        let failures = forwarder.attach {
          provider.failures.sink { [weak self] in self?.report($0, isReported: forwarder.isLinked) }
        }
        return [following, failures] + provider.scopes.map { $0.enrol(self) }
      }
    }
    let moments = new.map(\.table.value.moment)
    state.withLock { $0.sources.insert(new, moments, at: index) }
    if providers.contains(where: { ($0 as? TweakManager)?.reaches(self) ?? false }) {
      stop(because: "A TweakManager cannot be its own provider, directly or through another manager")
    }
    follow(.everything)
  }

  /// Removes all providers of a name.
  ///
  /// - Parameter name: The name. Providers that were created without a name share the default name of their type.
  /// - Returns: The number of removed providers; 0 if none has the name.
  @discardableResult
  public func removeProviders(named name: String) -> Int {
    let removed = state.withLock { $0.sources.remove(named: name) }
    for subscription in removed.flatMap(\.subscriptions) { subscription.cancel() }
    follow(.everything)
    return removed.count
  }

  private func reaches(_ manager: TweakManager) -> Bool {
    self === manager || providers.contains { ($0 as? TweakManager)?.reaches(manager) ?? false }
  }
}
