/// Speaks with the server that knows the users.
///
/// The delegate says who a user is and how long; when it is asked, and what becomes of its answers, is the affair of
/// ``StandardAppContext``. It is held weakly, and called on no thread in particular. One of the asynchronous methods
/// runs at a time for each session; its answer is dropped if the session it was asked for is over when it comes. The
/// next user's login may begin while ``deauthenticate(_:)`` runs for the last one.
public protocol AuthControllerDelegate<User>: AnyObject, Sendable {
  /// The users that the server knows.
  associatedtype User: SessionUser

  /// Logs somebody in, which may involve asking the person.
  ///
  /// Until it returns or throws, all other calls of ``StandardAppContext/triggerLogin()`` wait for it.
  /// ``StandardAppContext/logout()`` ends the wait, and a later answer is dropped.
  ///
  /// - Returns: The user, with a valid session.
  /// - Throws: The reason why the login failed. ``StandardAppContext/triggerLogin()`` throws it as a ``ServerFailure``.
  func authenticate() async throws -> User

  /// Whether a session must be renewed now.
  ///
  /// It is asked for a restored user, and before a session expires. One that has expired is renewed without asking.
  ///
  /// - Parameters:
  ///   - user: The user as of now.
  ///   - isStartup: Whether the user has just been restored.
  /// - Returns: `false` trusts the session until it expires.
  func shouldRefreshAuthentication(with user: User, isStartup: Bool) -> Bool

  /// Renews a session.
  ///
  /// No other process of the same root does this at the same time, so a token that can be used once is safe. Return or
  /// throw in a bounded time, whatever the network does. Other processes wait for ``SessionPolicy/lockTimeout`` and then
  /// report ``ContextError/refreshBlocked(processID:)``.
  ///
  /// What ``StandardAppContext/update(_:)`` changes meanwhile is not lost: properties that the result has as `user` had
  /// them are taken from the archive. Where both have changed something, the result counts.
  ///
  /// - Parameter user: The user with the last session that is archived.
  /// - Returns: The same user with a new session.
  /// - Throws: ``AuthRejection`` if the server does not accept the session any more, which ends it. Anything else
  ///   counts as a passing failure: the session stays, and the renewal is tried again with the same token. To show the
  ///   status of an answer in ``StandardAppContext/lastError``, throw an error that is a `CustomNSError`.
  func refreshAuthentication(with user: User) async throws -> User

  /// Tells the server that a user has logged out; by now nobody is logged in, here and in the archive.
  ///
  /// Return or throw in a bounded time: ``StandardAppContext/logout()`` returns after it.
  ///
  /// - Parameter user: The user that was.
  /// - Throws: The reason, which becomes ``StandardAppContext/lastError``; the user is logged out all the same.
  func deauthenticate(_ user: User) async throws
}

extension AuthControllerDelegate {
  /// Always `true`: a session is renewed at each start, and before it expires.
  public func shouldRefreshAuthentication(with user: User, isStartup: Bool) -> Bool { true }
}
