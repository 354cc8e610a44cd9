public import Foundation
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

/// The error that a delegate throws when the server refuses a session for good, as with `invalid_grant`.
///
/// Its printed form omits the ``reason``, which may quote the refused token.
public struct AuthRejection: Error, Hashable, Sendable {
  /// The reason, in the server's words.
  public let reason: String

  /// The status of the server's answer, such as 400.
  public let status: Int?

  /// Creates the error of a refused session.
  ///
  /// - Parameters:
  ///   - reason: The reason, in the server's words.
  ///   - status: The status of the server's answer, if there is one.
  public init(reason: String, status: Int? = nil) {
    self.reason = reason
    self.status = status
  }
}

extension AuthRejection: CustomStringConvertible, CustomReflectable, LocalizedError {
  /// The refusal and its status, without the reason.
  public var description: String {
    "The server rejected the session\(status.map { " with the status \($0)" } ?? ""). Log in again."
  }

  /// The status, without the reason.
  public var customMirror: Mirror { Mirror(self, children: ["status": status as Any], displayStyle: .struct) }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

/// A failure of the server or of the connection to it, as the delegate threw it.
///
/// A server's explanation of a refusal may quote the token that it refuses. Descriptions and dumps therefore show only
/// the ``kind`` and the ``status``. The error's own words are in ``text``, which is never printed.
///
/// ```swift
/// import Contexts
///
/// let failure = ServerFailure(AuthRejection(reason: "the token ab12 is used up", status: 400))
/// print(failure)  // Prints "AuthRejection 400"
/// print(failure.text)  // Prints "the token ab12 is used up"
/// ```
public struct ServerFailure: Hashable, Sendable {
  /// The type of the error, such as `URLError`.
  public let kind: String

  /// The status of an ``AuthRejection``, or the code of an error that is a `CustomNSError`, such as `URLError`.
  public let status: Int?

  /// The error's own words, which may repeat the server's answer.
  ///
  /// Do not show them where a token must not be seen.
  public let text: String

  /// Creates a failure from an error.
  ///
  /// - Parameter error: The error that the delegate threw.
  public init(_ error: any Error) {
    if let rejection = error as? AuthRejection {
      self.init(kind: "AuthRejection", status: rejection.status, text: rejection.reason)
    } else {
      self.init(
        kind: "\(type(of: error))", status: (error as? any CustomNSError)?.errorCode, text: "\(error)")
    }
  }

  /// Creates a failure from its parts.
  ///
  /// - Parameters:
  ///   - kind: The type of the error.
  ///   - status: The status or code, if there is one.
  ///   - text: The error's own words.
  public init(kind: String, status: Int? = nil, text: String) {
    self.kind = kind
    self.status = status
    self.text = text
  }
}

extension ServerFailure: CustomStringConvertible, CustomReflectable {
  /// The kind and the status, without the text.
  public var description: String { status.map { "\(kind) \($0)" } ?? kind }

  /// The kind and the status, without the text.
  public var customMirror: Mirror {
    Mirror(self, children: ["kind": kind, "status": status as Any], displayStyle: .struct)
  }
}
