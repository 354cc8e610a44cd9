import Signals

/// The hooks of a context, and the session that they know.
final class SessionHooks<User: SessionUser>: Sendable {
  private struct Entry: Sendable {
    let number: Int
    let order: Int
    let hook: SessionHook<User>
  }

  private struct State {
    /// The hooks in the order in which they run.
    var entries: [Entry] = []
    var count = 0
    /// The session that the hooks were last called with.
    var known: StoredSession<User>?

    var hooks: [SessionHook<User>] { entries.map(\.hook) }
  }

  private let state = Guarded(State())

  func add(_ hook: SessionHook<User>, order: Int) -> SignalSubscription {
    let number = state.withLock { state in
      state.count += 1
      let index = state.entries.firstIndex { $0.order > order } ?? state.entries.endIndex
      state.entries.insert(Entry(number: state.count, order: order, hook: hook), at: index)
      return state.count
    }
    return SignalSubscription { [weak self] in
      // The captured values of the hook are released without the lock, because their `deinit` may run any code.
      _ = self?.state.replace { state in
        state.entries.firstIndex { $0.number == number }.map { state.entries.remove(at: $0) }
      }
    }
  }

  private var hooks: [SessionHook<User>] { state.withLock { $0.hooks } }

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
    let (old, hooks) = state.withLock { (exchange(&$0.known, with: new), $0.hooks) }
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
