import FileSignals
public import Signals

/// Closures that a module of the app runs when a session begins, is renewed and ends.
///
/// A module is, for example, a cache of requests, a registration for notifications, or analytics. Add its hook with
/// ``StandardAppContext/addHook(_:order:)``.
///
/// - **Order.** Hooks of a lower order run first, and hooks of the same order in the order in which they were added.
///   ``beforeLogout`` and ``afterLogout`` run in reverse, so that a module ends before the modules that it uses.
/// - **Pairs.** Each ``afterLogin`` is followed by one ``afterLogout`` for the same user before the next one, however
///   the session ends.
/// - **Threads.** The closures run on the queue of the context, one after another, after subscribers were called and
///   before the call returns that led to them. They must not block. Only ``beforeLogout`` is asynchronous, and runs in
///   the task that logs out.
public struct SessionHook<User: SessionUser>: Sendable {
  /// A closure that is called before the delegate is asked for a user, or a user whom the application names begins a
  /// session.
  ///
  /// If the login fails, no other closure follows.
  public var beforeLogin: (@Sendable () -> Void)?

  /// A closure that is called when a user has a session here.
  ///
  /// The session began with a login, or it was restored at the start, reopened, taken over from another process, or
  /// belongs to another environment.
  public var afterLogin: (@Sendable (User) -> Void)?

  /// A closure that is called before this process renews the session.
  ///
  /// If the renewal fails, no other closure follows.
  public var beforeRenewal: (@Sendable (User) -> Void)?

  /// A closure that is called with the user whose session was renewed, by this process or another one.
  public var afterRenewal: (@Sendable (User) -> Void)?

  /// A closure that ``StandardAppContext/logout(keepingSession:)`` waits for before it ends the session.
  ///
  /// It may send requests with the user's token. Return in a bounded time. It is not called if the session ends in
  /// another way.
  public var beforeLogout: (@Sendable (User) async -> Void)?

  /// A closure that is called with the user whose session has ended here.
  public var afterLogout: (@Sendable (User) -> Void)?

  /// Creates a hook.
  ///
  /// - Parameters:
  ///   - beforeLogin: A closure that is called before a login.
  ///   - afterLogin: A closure that is called when a user has a session here.
  ///   - beforeRenewal: A closure that is called before this process renews the session.
  ///   - afterRenewal: A closure that is called after a renewal.
  ///   - beforeLogout: A closure that a logout waits for.
  ///   - afterLogout: A closure that is called when the session has ended here.
  public init(
    beforeLogin: (@Sendable () -> Void)? = nil,
    afterLogin: (@Sendable (User) -> Void)? = nil,
    beforeRenewal: (@Sendable (User) -> Void)? = nil,
    afterRenewal: (@Sendable (User) -> Void)? = nil,
    beforeLogout: (@Sendable (User) async -> Void)? = nil,
    afterLogout: (@Sendable (User) -> Void)? = nil
  ) {
    self.beforeLogin = beforeLogin
    self.afterLogin = afterLogin
    self.beforeRenewal = beforeRenewal
    self.afterRenewal = afterRenewal
    self.beforeLogout = beforeLogout
    self.afterLogout = afterLogout
  }
}

extension StandardAppContext {
  /// Adds the hook of a module, which runs when a session begins, is renewed and ends.
  ///
  /// Add hooks before ``setup(authDelegate:migrate:)``. A hook that is added later is not called for the user who is
  /// already logged in.
  ///
  /// - Parameters:
  ///   - hook: The closures.
  ///   - order: The position among other hooks.
  /// - Returns: A token that removes the hook when it is released. It does not keep the context alive.
  public func addHook(_ hook: SessionHook<User>, order: Int = 0) -> SignalSubscription {
    engine.hooks.add(hook, order: order)
  }
}

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
