/// How far the current user is known, and to whom.
///
/// It changes only for one cause at a time, and in the order of the causes. What is being done meanwhile is the
/// ``AuthActivity``.
public enum AuthState: Sendable, Hashable, CaseIterable {
  /// The archive has not been read; nobody knows yet whether there is a user.
  case restoring

  /// There is no user.
  case unauthenticated

  /// There is a user, of an earlier start or of a session that has expired, whom the server has not confirmed.
  case presession

  /// There is a user with a valid session.
  case authenticated
}

/// What is being done about the session.
public enum AuthActivity: Sendable, Hashable, CaseIterable {
  /// Nothing.
  case idle

  /// A user is logging in.
  case authenticating

  /// The session is being renewed.
  case refreshing

  /// A logout is archived and told to the server; from the moment it is archived there is no user.
  case deauthenticating
}
