import Foundation
import Signals

/// A holder of the delegate that communicates with the server.
///
/// It does not keep the delegate alive.
public final class AuthController<User: SessionUser>: Sendable {
  private struct State {
    weak var delegate: (any AuthControllerDelegate<User>)?
  }

  private let state = Guarded(State())

  /// Sends each time that a delegate is set.
  let settings = Emitter<Void, Never>()

  init() {}

  /// The delegate, or `nil` if none was set or it has been released.
  ///
  /// If a renewal failed because there was no delegate, it starts again when one is set.
  public var delegate: (any AuthControllerDelegate<User>)? {
    get { state.withLock { $0.delegate } }
    set {
      state.withLock { $0.delegate = newValue }
      if newValue != nil { settings.send(()) }
    }
  }
}

extension AuthController: CustomStringConvertible, CustomReflectable {
  /// The delegate's type, without the delegate's contents.
  public var description: String {
    "AuthController(delegate: \(delegate.map { "\(type(of: $0))" } ?? "none"))"
  }

  /// The delegate's type, without the delegate's contents.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A delegate that communicates with the server that authenticates users.
///
/// - **Role.** The delegate authenticates users and renews their sessions. ``StandardAppContext`` decides when to call
///   it and how to use its answers, and holds it weakly.
/// - **Threads.** The methods are called on arbitrary threads. One asynchronous method runs at a time for each session.
///   The next user's login may begin while ``deauthenticate(_:)`` still runs for the previous user.
/// - **Late answers.** If the session of a request has ended by the time of the answer, the answer is dropped.
public protocol AuthControllerDelegate<User>: AnyObject, Sendable {
  /// The type of users.
  associatedtype User: SessionUser

  /// Logs a user in, possibly by asking for credentials.
  ///
  /// Until it returns or throws, all other calls of ``StandardAppContext/triggerLogin()`` wait for it.
  /// ``StandardAppContext/logout(keepingSession:)`` ends the wait, and a later answer is dropped.
  ///
  /// - Returns: The user, with a valid session.
  /// - Throws: The reason why the login failed. ``StandardAppContext/triggerLogin()`` throws it as a ``ServerFailure``.
  func authenticate() async throws -> User

  /// Returns whether a session must be renewed now.
  ///
  /// It is called for a restored user, and before a session expires. An expired session is renewed without this call.
  ///
  /// - Parameters:
  ///   - user: The current user.
  ///   - isStartup: A Boolean value that indicates whether the user has just been restored.
  /// - Returns: `false` to trust the session until it expires.
  func shouldRefreshAuthentication(with user: User, isStartup: Bool) -> Bool

  /// Renews a session.
  ///
  /// - **Exclusion.** No other process of the same root renews the session at the same time, so a token that can be
  ///   used only once is safe.
  /// - **Time.** Return or throw in a bounded time, whatever the network does. Other processes wait for
  ///   ``SessionPolicy/lockTimeout`` and then report ``ContextError/refreshBlocked(processID:)``.
  /// - **Merging.** Changes that ``StandardAppContext/update(_:)`` makes during the renewal are not lost. Properties
  ///   that are the same in the result and in `user` are taken from the archive. If both have changed a property, the
  ///   result counts.
  ///
  /// - Parameter user: The user with the last archived session.
  /// - Returns: The same user with a new session.
  /// - Throws: ``AuthRejection`` if the server no longer accepts the session, which ends it. Any other error counts as
  ///   temporary: the session stays, and the renewal is tried again with the same token. To show the status of an
  ///   answer in ``StandardAppContext/lastError``, throw an error that is a `CustomNSError`.
  func refreshAuthentication(with user: User) async throws -> User

  /// Notifies the server that a user has logged out.
  ///
  /// The user is already logged out here and in the archive.
  ///
  /// Return or throw in a bounded time, because ``StandardAppContext/logout(keepingSession:)`` waits for it.
  ///
  /// - Parameter user: The user who has logged out.
  /// - Throws: The reason, which becomes ``StandardAppContext/lastError``. The user stays logged out.
  func deauthenticate(_ user: User) async throws
}

extension AuthControllerDelegate {
  /// Returns `true`: a session is renewed at each start, and before it expires.
  public func shouldRefreshAuthentication(with user: User, isStartup: Bool) -> Bool { true }

  /// Returns the same user, or throws ``AuthRejection`` if the session has expired, because nothing can renew it.
  public func refreshAuthentication(with user: User) async throws -> User {
    if user.isExpired(at: Date()) { throw AuthRejection(reason: "it has expired, and cannot be renewed") }
    return user
  }

  /// Does nothing: no server learns of the logout.
  public func deauthenticate(_ user: User) async throws {}
}
