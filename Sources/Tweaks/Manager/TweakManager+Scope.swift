public import AppGroups
import Signals

/// A manager of flags whose providers lie in a scope has the values of the new contents as a part of the same change.
extension TweakManager: ScopeMember {
  /// The scopes in which the stores of the providers lie.
  public var scopes: [Scope] {
    providers.flatMap(\.scopes).reduce(into: []) { scopes, scope in
      if !scopes.contains(where: { $0 === scope }) { scopes.append(scope) }
    }
  }

  package var swapStage: ScopeStage { .dependents }

  package func publishSwap(_ outcome: ScopeOutcome, into changes: ScopeChanges) {
    guard outcome == .swapped else { return }
    let known = followedIDs(for: .everything)
    let inquiry = state.withLock { state in
      state.forgetReports(of: .everything)
      return state.tweaks.update(.everything, following: known)
    }
    settle(inquiry, into: changes)
  }
}
