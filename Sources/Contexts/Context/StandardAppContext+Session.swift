public import Foundation
import Signals

extension StandardAppContext {
  /// Reads the archive, and begins to renew the session of the archived user.
  ///
  /// - **State.** When it returns, ``authState`` is no longer ``AuthState/restoring``. It does not wait for the server.
  ///   A restored user is ``AuthState/presession`` until the session is renewed, or at once ``AuthState/authenticated``
  ///   if the delegate trusts it.
  /// - **Failure.** An archive that cannot be read, or a user who cannot be decoded, is left unchanged and reported by
  ///   ``lastError``. Then there is no user.
  /// - **Repetition.** Another call only sets the delegate.
  ///
  /// - Parameters:
  ///   - authDelegate: The delegate that communicates with the server; it is held weakly.
  ///   - migrate: A closure that creates a user from the data of another ``SessionUser/modelVersion``, or returns `nil`
  ///     if it cannot. The migrated user is archived before it is shown.
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
        // The session to restore belongs to the environment that is active now.
      }
    }
  }

  /// Logs a user in through the delegate, and makes the user's context the current one.
  ///
  /// If a login is already in progress, the call receives its answer. If the task is cancelled, it stops waiting, but
  /// the login continues.
  ///
  /// - Returns: The archived user.
  /// - Throws: ``ContextError/notSetUp``, ``ContextError/alreadyAuthenticated(userID:)``,
  ///   ``ContextError/noDelegate(operation:)``, ``ContextError/authenticationFailed(_:)``,
  ///   ``ContextError/environmentSwitched``, ``ContextError/sessionEnded`` if `logout` was called during the login, or
  ///   the reason why the user could not be archived. Then no user is logged in.
  @discardableResult
  public func triggerLogin() async throws -> User {
    try await user { .login($0) }
  }

  /// Logs in a user whom the application has authenticated itself, and makes the user's context the current one.
  ///
  /// - Parameters:
  ///   - user: The user.
  ///   - replacing: A Boolean value that indicates whether a user who is logged in is replaced, without notifying the
  ///     server. The archive forgets that user's session as after a logout, unless
  ///     ``SessionPolicy/keepsSessions`` is set.
  /// - Returns: The context of this user, even if another change has followed.
  /// - Throws: ``ContextError/notSetUp`` before ``setup(authDelegate:migrate:)``,
  ///   ``ContextError/alreadyAuthenticated(userID:)``, or the reason why the user could not be archived.
  ///   ``ContextError/sessionEnded`` if a logout or another login has already followed, or
  ///   ``ContextError/environmentSwitched``. `CancellationError` if the task is cancelled; a login that has begun
  ///   continues.
  @discardableResult
  public func startAppContext(with user: User, replacing: Bool = false) async throws -> AppContext<User> {
    try await begin { .start(user, $0, replacing: replacing) }
  }

  /// Logs in a user whom the application authenticates, in the environment and in place of the user at the time of the
  /// call.
  ///
  /// Use it if you wait for the user, such as for the answer of a server. Meanwhile the environment may be switched, or
  /// another user may log in. Then nothing is started, so no user of one environment is logged in to another.
  ///
  /// ```swift
  /// import AppGroups
  /// import Containers
  /// import Contexts
  /// import Foundation
  ///
  /// struct Account: SessionUser {
  ///   let id: String
  /// }
  ///
  /// let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let app = try AppContainer(home: home)
  /// let staging = try app.create(name: "Staging")
  /// let context = try StandardAppContext<Account>(scope: app.scope)
  /// do {
  ///   try await context.startAppContext {
  ///     try app.activate(staging)
  ///     return Account(id: "ada")
  ///   }
  /// } catch ContextError.environmentSwitched {
  ///   print("not logged in")  // Prints "not logged in"
  /// }
  /// try AppGroupsContainer(directory: home).suspend()
  /// try FileManager.default.removeItem(at: home)
  /// ```
  ///
  /// - Parameters:
  ///   - replacing: A Boolean value that indicates whether the user who is logged in at the time of the call is
  ///     replaced.
  ///   - authenticate: A closure that authenticates the user.
  /// - Returns: The context of this user, even if another change has followed.
  /// - Throws: The error of `authenticate`, or the errors of ``startAppContext(with:replacing:)``.
  ///   ``ContextError/environmentSwitched`` if the environment was switched since the call, or
  ///   ``ContextError/sessionEnded`` if another user is logged in, or the user to replace has logged out.
  @discardableResult
  public func startAppContext(
    replacing: Bool = false, authenticating authenticate: () async throws -> User
  ) async throws -> AppContext<User> {
    let environment = engine.environment
    let session = board.session
    let user = try await authenticate()
    return try await begin(in: session?.environment ?? environment) {
      .bound(.start(user, $0, replacing: replacing), to: session)
    }
  }

  /// Logs in a known user without the delegate, and makes the user's context the current one.
  ///
  /// It needs a kept session, as ``ArchivedUser/hasSession`` indicates. A user who is logged in is replaced, and that
  /// session is kept too. The reopened user is ``AuthState/presession``, as after a start, until the delegate trusts the
  /// session or has renewed it. ``validUser()`` waits for that, and throws if the server has ended the session.
  ///
  /// ```swift
  /// import AppGroups
  /// import Contexts
  /// import Foundation
  ///
  /// struct Account: SessionUser {
  ///   let id: String
  /// }
  ///
  /// final class Server: AuthControllerDelegate {
  ///   func authenticate() async throws -> Account { Account(id: "ada") }
  ///   func refreshAuthentication(with user: Account) async throws -> Account { user }
  ///   func deauthenticate(_ user: Account) async throws {}
  /// }
  ///
  /// let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  /// let server = Server()
  /// let context = try StandardAppContext<Account>(
  ///   root: root, configuration: ContextConfiguration(policy: SessionPolicy(keepsSessions: true)))
  /// try await context.setup(authDelegate: server)
  /// try await context.triggerLogin()
  /// try await context.startAppContext(with: Account(id: "grace"), replacing: true)
  /// try await context.reopen(userID: "ada")
  /// print(try await context.validUser().id)  // Prints "ada"
  /// try AppGroupsContainer(directory: root).suspend()
  /// try FileManager.default.removeItem(at: root)
  /// ```
  ///
  /// - Parameter userID: The identity.
  /// - Returns: The context of this user, even if another change has followed.
  /// - Throws: ``ContextError/noSession(userID:)``, ``ContextError/unknownUser(userID:)``,
  ///   ``ContextError/alreadyAuthenticated(userID:)`` for the current user, or the reason why the user could not be
  ///   decoded or archived; then nothing has changed. Otherwise the errors of ``startAppContext(with:replacing:)``.
  @discardableResult
  public func reopen(userID: String) async throws -> AppContext<User> {
    try await begin { .reopen(userID: userID, $0) }
  }

  private func begin(
    in bound: Int? = nil, _ event: @escaping @Sendable (SessionEvent<User>.Call) -> SessionEvent<User>
  ) async throws -> AppContext<User> {
    let context: AppContext<User> = try await ask { [board] engine, reply in
      let environment = bound ?? engine.environment
      engine.ask(in: environment, event) { [weak engine] answer in
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
  /// If a renewal is already in progress, the call receives its answer. Cancelling a task affects only that task.
  ///
  /// - Parameter force: A Boolean value that indicates whether to ignore a renewal in progress, for example because the
  ///   server has refused its result. Another renewal follows it then.
  /// - Returns: The archived user with the new session.
  /// - Throws: One of these errors:
  ///   - ``ContextError/refreshFailed(_:)``, or ``ContextError/refreshBlocked(processID:)`` if another process does not
  ///     finish. The renewal is tried again.
  ///   - The reason why the renewed session could not be stored. The renewal is tried again.
  ///   - ``ContextError/rejected(_:)`` or ``ContextError/differentUser(expected:found:)``. The user is logged out.
  ///   - ``ContextError/notAuthenticated``, ``ContextError/noDelegate(operation:)``, ``ContextError/sessionEnded``,
  ///     ``ContextError/endedElsewhere`` or ``ContextError/environmentSwitched``.
  @discardableResult
  public func refreshAuthentication(force: Bool = false) async throws -> User {
    try await user { .refresh($0, isForced: force) }
  }

  /// Returns the user with a session that is valid now, and renews the session if necessary.
  ///
  /// Call it for every request that needs a token. Concurrent calls share one renewal.
  ///
  /// - Returns: The user.
  /// - Throws: The errors of ``refreshAuthentication(force:)``.
  public func validUser() async throws -> User {
    try await user { .valid($0) }
  }

  /// Changes the archived user.
  ///
  /// Changes that other processes make at the same time are not lost.
  ///
  /// Change single properties of the argument, which is the archived user. Do not assign a copy that you read before:
  /// if the session was renewed in between, the copy has a used token.
  ///
  /// - Parameter body: A closure that changes its argument. The identity must stay the same.
  /// - Returns: The archived user.
  /// - Throws: ``ContextError``, also for an error of `body`; then nothing has changed. `CancellationError` if the task
  ///   is cancelled; a change that has begun is still made.
  @discardableResult
  public func update(_ body: @escaping @Sendable (inout User) throws -> Void) async throws -> User {
    try await user { .update(body, $0) }
  }

  /// Logs the user out, and makes ``standard`` the current context.
  ///
  /// 1. The archive forgets the session, so that no start restores it. It also removes the secret and all data of the
  ///    user except ``SessionUser/remembered``. From then on there is no user, and another user can log in.
  /// 2. The server is notified. If that fails, or there is no delegate, ``lastError`` reports it.
  ///
  /// If a login is in progress, this ends it. The call returns when the server has answered, or when the next login
  /// begins. Before all that, it waits for each ``SessionHook/beforeLogout``.
  ///
  /// It logs out the user who is shown when you call it. If another user follows while a hook waits, that user stays. If
  /// the session of the first user was kept, it ends, and the server is notified.
  ///
  /// - Parameter keepingSession: A Boolean value that indicates whether the user only leaves. Then the server is not
  ///   notified, and ``reopen(userID:)`` continues the session. It needs ``SessionPolicy/keepsSessions``. If the archive
  ///   cannot be written, the user stays.
  /// - Throws: ``ContextError/alreadyLoggedOut``, or ``ContextError/sessionEnded`` if another session has begun and the
  ///   user's was not kept. ``ContextError/environmentSwitched`` if the environment was switched while a hook waited;
  ///   then the user stays logged in there. ``ContextError/invalidPolicy(reason:)``, or the reason why the archive could
  ///   not be written. Then the user is logged out here, but the next start would restore the user.
  ///   `CancellationError` if the task is cancelled; a logout that has begun continues.
  public func logout(keepingSession: Bool = false) async throws {
    let environment = engine.environment
    let isLoggingIn = activity.value == .authenticating
    let session = board.session
    if let session { await engine.hooks.logoutBegins(of: session.user) }
    _ = try await ask { engine, reply in
      engine.ask(
        in: session?.environment ?? environment,
        { call in
          let request: SessionEvent<User> = keepingSession ? .setAside(call) : .logout(call)
          // It ends the login in progress, even if that succeeds just now.
          return session == nil && isLoggingIn ? request : .bound(request, to: session)
        }, reply)
    }
  }

  /// Checks the clock and the archive after the process was suspended.
  ///
  /// Call it when the application returns to the foreground. Timers may have stood still, and other processes may have
  /// changed the session. Failed renewals are tried again at once.
  public func resume() {
    engine.resumeAfterSuspension()
  }

  private func user(
    _ event: @escaping @Sendable (SessionEvent<User>.Call) -> SessionEvent<User>
  ) async throws -> User {
    let answer = try await ask { [board] engine, reply in
      let environment = engine.environment
      let session = board.session
      engine.ask(in: session?.environment ?? environment, { .bound(event($0), to: session) }, reply)
    }
    guard let answer else { throw ContextError.sessionEnded }
    return answer
  }
}
