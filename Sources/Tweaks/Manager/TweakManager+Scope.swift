public import AppGroups
import Signals

/// A manager whose providers belong to a scope shows the values of the new contents as part of the same change.
extension TweakManager: ScopeMember {
  /// The scopes of the providers' stores.
  public var scopes: [Scope] {
    providers.flatMap(\.scopes).reduce(into: []) { scopes, scope in
      if !scopes.contains(where: { $0 === scope }) { scopes.append(scope) }
    }
  }

  package var switchStage: ScopeStage { .dependents }

  package func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    PreparedSwitch { [self] changes in
      guard outcome == .switched else { return }
      let sources = state.withLock { $0.sources.all }
      let isAsked = sources.contains { $0.table.value.isAsked && !$0.provider.scopes.isEmpty }
      follow(isAsked ? .everything : .nothing, into: changes)
    }
  }
}
