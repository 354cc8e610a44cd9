public import Foundation
import Signals

extension StandardAppContext {
  /// Reads the archive, and begins to renew the session of the user who is found there.
  ///
  /// When it returns, ``authState`` is no longer ``AuthState/restoring``. It does not wait for the server: a restored
  /// user is ``AuthState/presession`` until the session is renewed, or at once ``AuthState/authenticated`` if the
  /// delegate trusts it. Called again, it only sets the delegate.
  ///
  /// An archive that cannot be read, or a user who cannot be decoded, is left as it is and told by ``lastError``; there
  /// is no user then.
  ///
  /// - Parameters:
  ///   - authDelegate: Speaks with the server; it is held weakly.
  ///   - migrate: Makes a user of what was archived with another ``SessionUser/modelVersion``, given that. `nil` if it
  ///     cannot. The migrated user is archived before anybody sees it.
  /// - Returns: The restored user.
  /// - Throws: ``ContextError/otherArchive(path:configured:)`` if the sessions of the root are archived elsewhere, or
  ///   `CancellationError`.
  @discardableResult
  public func setup(
    authDelegate: some AuthControllerDelegate<User>,
    migrate: (@Sendable (_ data: Data, _ version: Int) throws -> User?)? = nil
  ) async throws -> User? {
    authController.delegate = authDelegate
    while true {
      do {
        return try await ask { [board] engine, reply in
          engine.restore(migrate: migrate) { [weak engine] answer in
            if let engine { Self.load(board, engine) }
            reply(answer)
          }
        }
      } catch ContextError.environmentSwitched {
        // The session to restore is that of the environment which is active now.
      }
    }
  }

  /// Logs somebody in, by the delegate, and makes their context the current one.
  ///
  /// Whoever calls while a login is under way gets its answer. A task that is cancelled waits no more; the login goes
  /// on.
  ///
  /// - Returns: The user, who is archived by now.
  /// - Throws: ``ContextError/alreadyAuthenticated(userID:)``, ``ContextError/noDelegate(operation:)``,
  ///   ``ContextError/authenticationFailed(_:)``, ``ContextError/sessionEnded`` if `logout` was called meanwhile,
  ///   ``ContextError/environmentSwitched``, or why the user could not be archived; nobody is logged in then.
  @discardableResult
  public func triggerLogin() async throws -> User {
    try await user { $0.ask(SessionEvent.login, $1) }
  }

  /// Makes the context of a user, whom the application has authenticated itself, the current one.
  ///
  /// - Parameters:
  ///   - user: The user.
  ///   - replacing: Whether a user who is logged in is replaced, without telling the server. The archive forgets that
  ///     user's session as after a logout.
  /// - Returns: The context of this user, whatever follows.
  /// - Throws: ``ContextError/alreadyAuthenticated(userID:)``, or why the user could not be archived;
  ///   ``ContextError/sessionEnded`` if a logout or another login has followed already, or
  ///   ``ContextError/environmentSwitched``. `CancellationError` if the task is cancelled; a login that has begun goes
  ///   on.
  @discardableResult
  public func startAppContext(with user: User, replacing: Bool = false) async throws -> AppContext<User> {
    let context: AppContext<User> = try await ask { [board] engine, reply in
      let environment = engine.environment
      engine.ask(in: environment, { .start(user, $0, replacing: replacing) }) { [weak engine] answer in
        // The session was shown just now, and only a switch of environments can have replaced it.
        let context = board.current.value
        let isSwitched = engine?.environment != environment
        reply(answer.flatMap { _ in isSwitched ? .failure(.environmentSwitched) : .success(context) })
      }
    }
    guard context.authState.value != .unauthenticated else { throw ContextError.sessionEnded }
    return context
  }

  /// Renews the session.
  ///
  /// Whoever calls while it is being renewed gets the answer to that. Cancelling one task affects only that one.
  ///
  /// - Parameter force: Whether a renewal that is under way does not count, because the server has refused its result,
  ///   say; another one follows it then.
  /// - Returns: The user with the new session, who is archived by now.
  /// - Throws: ``ContextError/refreshFailed(_:)`` or, if another process does not come to an end,
  ///   ``ContextError/refreshBlocked(processID:)``, and it will be tried again; ``ContextError/rejected(_:)``
  ///   or ``ContextError/differentUser(expected:found:)``, and the user is logged out;
  ///   ``ContextError/notAuthenticated``, ``ContextError/noDelegate(operation:)``, ``ContextError/sessionEnded``,
  ///   ``ContextError/endedElsewhere`` or ``ContextError/environmentSwitched``.
  @discardableResult
  public func refreshAuthentication(force: Bool = false) async throws -> User {
    try await user { $0.ask({ .refresh($0, isForced: force) }, $1) }
  }

  /// The user with a session that is valid at this moment: as it is, or renewed.
  ///
  /// Call it for every request that needs a token: however many do at once, the session is renewed once.
  ///
  /// - Returns: The user.
  /// - Throws: What ``refreshAuthentication(force:)`` throws.
  public func validUser() async throws -> User {
    try await user { $0.ask(SessionEvent.valid, $1) }
  }

  /// Changes the current user, as archived: what other processes change at the same time is not lost.
  ///
  /// Change single properties of the argument, which is the archived user. Do not assign a copy that you read before: if
  /// the session was renewed meanwhile, the copy has a used token.
  ///
  /// - Parameter body: Changes its argument, whose identity must stay.
  /// - Returns: The user, who is archived by now.
  /// - Throws: ``ContextError``, also for what `body` throws; nothing has changed then. `CancellationError` if the task
  ///   is cancelled; a change that has begun is made all the same.
  @discardableResult
  public func update(_ body: @escaping @Sendable (inout User) throws -> Void) async throws -> User {
    try await user { $0.ask({ .update(body, $0) }, $1) }
  }

  /// Logs the user out, and makes ``standard`` the current context.
  ///
  /// First the archive forgets the session, so that no start restores it, and with it the secret and everything of the
  /// user but ``SessionUser/remembered``. From then on there is no user, and somebody else may log in. Then the server is
  /// told. If that fails, or there is no delegate, ``lastError`` says so. While somebody is logging in, it ends that.
  ///
  /// It returns when the server has answered, or the next login begins.
  ///
  /// - Throws: ``ContextError/notAuthenticated``, or why the archive could not be written: the user is logged out here
  ///   then, but the next start would restore them. `CancellationError` if the task is cancelled; the logout goes on.
  public func logout() async throws {
    _ = try await ask { $0.ask(SessionEvent.logout, $1) }
  }

  /// Looks at the clock and at the archive, after the process was suspended.
  ///
  /// Call it when the application comes back to the foreground: timers may have stood still, other processes may have
  /// changed the session, and what failed is tried again at once.
  public func resume() {
    engine.look()
    engine.submit(.wake(isResuming: true))
  }

  private func user(
    _ begin: @escaping @Sendable (SessionEngine<User>, @escaping SessionEngine<User>.Reply) -> Void
  ) async throws -> User {
    guard let user = try await ask(begin) else { throw ContextError.sessionEnded }
    return user
  }
}
