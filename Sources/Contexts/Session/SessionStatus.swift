/// The observable status of a session.
public struct SessionStatus<User: SessionUser>: Sendable {
  /// The state of authentication.
  public internal(set) var authState: AuthState

  /// The current activity, such as a login or a renewal.
  public internal(set) var activity: AuthActivity

  /// The last error, until the next success of the same kind.
  public internal(set) var lastError: ContextError?

  /// The user, in the states that have one.
  public internal(set) var user: User?

  /// The number of sessions in this process so far, which distinguishes one session from the next.
  public internal(set) var epoch: Int
}

/// A status with its position among all that an engine shows.
struct ShownSession<User: SessionUser>: Sendable {
  let status: SessionStatus<User>
  /// The session of the user, if there is one.
  let session: StoredSession<User>?
  /// A number that is different for each session and each environment.
  let context: Int
  /// The position in the order of statuses.
  let number: Int
}

/// The state of authentication of the current user.
///
/// Each change has one cause, and changes come in the order of their causes. The ``AuthActivity`` shows what is in
/// progress.
@frozen
public enum AuthState: Sendable, Hashable, CaseIterable {
  /// The archive has not been read, so it is not known whether there is a user.
  case restoring

  /// There is no user.
  case unauthenticated

  /// There is a user whose session the server has not confirmed: it is from an earlier start, or has expired.
  case presession

  /// There is a user with a valid session.
  case authenticated
}

/// The current activity of a session.
@nonexhaustive
public enum AuthActivity: Sendable, Hashable, CaseIterable {
  /// No activity.
  case idle

  /// A user is logging in.
  case authenticating

  /// The session is being renewed.
  case refreshing

  /// A logout is being archived or sent to the server.
  ///
  /// Once it is archived, there is no user.
  case deauthenticating
}
