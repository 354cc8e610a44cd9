import AppGroups
import Signals

extension TweakManager {
  /// Where values come from, the most important first.
  public var providers: [any TweakProvider] { state.withLock { $0.providers.all } }

  /// Adds a provider, which must not be a manager that this one is a provider of.
  ///
  /// - Parameters:
  ///   - provider: The provider.
  ///   - index: Its place; 0, the default, is the most important. One beyond the last is the last.
  public func insert(_ provider: any TweakProvider, at index: Int = 0) {
    replaceProviders { providers in
      let index = Swift.max(0, Swift.min(index, providers.count))
      providers.insert(provider, at: index)
      return index..<(index + 1)
    }
  }

  /// Removes all providers of a name.
  ///
  /// - Parameter name: The name. Providers that were made without one share the default name of their type.
  /// - Returns: The number of providers that were removed, 0 if none has the name.
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
  /// - Parameter change: Changes its argument and returns the places of the new providers. It may be called repeatedly.
  func replaceProviders(_ change: (inout [any TweakProvider]) -> Range<Int>) {
    let (providers, added, generation) = changeProviders(change)
    if providers.contains(where: { ($0 as? TweakManager)?.reaches(self) ?? false }) {
      stop(because: "A TweakManager cannot be a provider of itself, nor of a manager that is one of its providers")
    }
    let subscriptions =
      providers.enumerated().flatMap { index, provider in
        [
          provider.updates.sink { [weak self] in self?.providerUpdated($0) },
          subscribe(to: provider.failures, skippingPresent: !added.contains(index)),
        ]
      } + scopes.map { $0.enrol(self) }
    // Those of another thread, which has changed the providers since, are the ones to keep.
    let outdated = state.withLock { state in
      guard generation == state.generation else { return subscriptions }
      defer { state.subscriptions = subscriptions }
      return state.subscriptions
    }
    for subscription in outdated { subscription.cancel() }
    providerUpdated(.everything)
  }

  /// Reports what a provider sends.
  ///
  /// - Parameters:
  ///   - failures: The failures of the provider.
  ///   - isSkipping: Whether to pass over those that hold at present, because they have been reported before.
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

  /// Changes the providers, without a lock while they are asked for their names, or released.
  private func changeProviders(
    _ change: (inout [any TweakProvider]) -> Range<Int>
  ) -> (providers: [any TweakProvider], added: Range<Int>, generation: Int) {
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
      if isDone { return withExtendedLifetime(old) { (new.all, added, generation + 1) } }
    }
  }

  /// Whether a manager is this one, or one of its providers, however deep.
  private func reaches(_ manager: TweakManager) -> Bool {
    self === manager || providers.contains { ($0 as? TweakManager)?.reaches(manager) ?? false }
  }
}
