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
