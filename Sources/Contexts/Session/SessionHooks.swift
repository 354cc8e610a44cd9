import FileSignals
import Signals

/// The hooks of a context, and the session that they know.
final class SessionHooks<User: SessionUser>: Sendable {
  private struct State {
    var hooks = StagedMembers<SessionHook<User>, Int, Void>()
    /// The session that the hooks were last called with.
    var known: StoredSession<User>?
  }

  private let state = Guarded(State())

  func add(_ hook: SessionHook<User>, order: Int) -> SignalSubscription {
    let number = state.withLock { $0.hooks.add(in: order, ()) { hook } }
    // The captured values of the hook are released without the lock, because their `deinit` may run any code.
    return SignalSubscription { [weak self] in self?.state.replace { $0.hooks.remove(number) } }
  }

  /// The hooks in the order in which they run.
  private var hooks: [SessionHook<User>] { state.withLock { $0.hooks.entries }.compactMap { $0.member() } }

  // MARK: Moments

  func loginBegins() {
    for hook in hooks { hook.beforeLogin?() }
  }

  func renewalBegins(of user: User) {
    for hook in hooks { hook.beforeRenewal?(user) }
  }

  func logoutBegins(of user: User) async {
    for hook in hooks.reversed() { await hook.beforeLogout?(user) }
  }

  /// Calls the hooks for the difference between the session that they know and the one that is shown now.
  func show(_ new: StoredSession<User>?) {
    // In one step, so that a hook that is added at the same time is called either for this change or for none.
    let (old, entries) = state.withLock { (exchange(&$0.known, with: new), $0.hooks.entries) }
    let hooks = entries.compactMap { $0.member() }
    guard let new, let old, old.isSameSession(as: new) else {
      if let old { for hook in hooks.reversed() { hook.afterLogout?(old.user) } }
      if let new { for hook in hooks { hook.afterLogin?(new.user) } }
      return
    }
    if old.generation != new.generation { for hook in hooks { hook.afterRenewal?(new.user) } }
  }
}

extension StoredSession {
  fileprivate func isSameSession(as other: StoredSession) -> Bool {
    (session, user.id, environment) == (other.session, other.user.id, other.environment)
  }
}
