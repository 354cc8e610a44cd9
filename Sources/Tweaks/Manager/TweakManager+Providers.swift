import AppGroups
import Signals

extension TweakManager {
  /// The providers, the most important first.
  public var providers: [any TweakProvider] { state.withLock { $0.providers.all } }

  /// Adds a provider.
  ///
  /// It must not be a manager that uses this one as a provider.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - index: The position; 0, the default, is the most important. An index beyond the end means the last position.
  public func insert(_ provider: any TweakProvider, at index: Int = 0) {
    replaceProviders { providers in
      let index = Swift.max(0, Swift.min(index, providers.count))
      providers.insert(provider, at: index)
      return index..<(index + 1)
    }
  }

  /// Removes all providers of a name.
  ///
  /// - Parameter name: The name. Providers that were created without a name share the default name of their type.
  /// - Returns: The number of removed providers; 0 if none has the name.
  @discardableResult
  public func removeProviders(named name: String) -> Int {
    var count = 0
    replaceProviders { providers in
      let old = providers.count
      providers.removeAll { $0.name == name }
      count = old - providers.count
      return 0..<0
    }
    return count
  }

  /// Changes the providers.
  ///
  /// - Parameter change: A closure that changes its argument and returns the positions of the new providers. It may be
  ///   called repeatedly.
  func replaceProviders(_ change: (inout [any TweakProvider]) -> Range<Int>) {
    let (providers, tables, added, generation) = changeProviders(change)
    if providers.contains(where: { ($0 as? TweakManager)?.reaches(self) ?? false }) {
      stop(because: "A TweakManager cannot be its own provider, directly or through another manager")
    }
    let subscriptions =
      providers.enumerated().flatMap { index, provider in
        [
          tables[index].changes.sink { [weak self] _ in self?.follow() },
          subscribe(to: provider.failures, skippingPresent: !added.contains(index)),
        ]
      } + scopes.map { $0.enrol(self) }
    // If another thread has changed the providers since, its subscriptions are the ones to keep.
    let outdated = state.withLock { state in
      guard generation == state.generation else { return subscriptions }
      defer { state.subscriptions = subscriptions }
      return state.subscriptions
    }
    for subscription in outdated { subscription.cancel() }
    follow(.everything)
  }

  /// Subscribes to the failures of a provider, and reports them.
  ///
  /// - Parameters:
  ///   - failures: The failures of the provider.
  ///   - isSkipping: A Boolean value that indicates whether to skip the current failures, because they have been
  ///     reported before.
  /// - Returns: The subscription.
  private func subscribe(
    to failures: AnySignal<TweakError, Never>, skippingPresent isSkipping: Bool
  ) -> SignalSubscription {
    let isSkipping = Guarded(isSkipping)
    defer { isSkipping.withLock { $0 = false } }
    return failures.sink { [weak self] error in
      if !isSkipping.withLock({ $0 }) { self?.report(error) }
    }
  }

  /// Changes the providers.
  ///
  /// No lock is held while their names are read, or while they are released.
  private func changeProviders(
    _ change: (inout [any TweakProvider]) -> Range<Int>
  ) -> (providers: [any TweakProvider], tables: [Property<TweakTable>], added: Range<Int>, generation: Int) {
    while true {
      let (old, generation) = state.withLock { ($0.providers, $0.generation) }
      var changed = old
      let added = change(&changed.all)
      let new = changed
      let isDone = state.withLock { state in
        guard generation == state.generation else { return false }
        state.providers = new
        state.generation += 1
        return true
      }
      if isDone { return withExtendedLifetime(old) { (new.all, new.tables, added, generation + 1) } }
    }
  }

  /// Returns whether a manager is this one, or one of its direct or nested providers.
  private func reaches(_ manager: TweakManager) -> Bool {
    self === manager || providers.contains { ($0 as? TweakManager)?.reaches(manager) ?? false }
  }
}
