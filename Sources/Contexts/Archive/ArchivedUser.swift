/// A current or earlier user.
public struct ArchivedUser<User: SessionUser>: Identifiable, Sendable {
  /// The identity of the user.
  public let id: String

  /// The model version with which the user was archived.
  public let modelVersion: Int

  /// A Boolean value that indicates whether it is the current user.
  public let isCurrent: Bool

  /// A Boolean value that indicates whether the archive has a session of the user.
  ///
  /// If the user is not the current one, ``StandardAppContext/reopen(userID:)`` logs the user in without the delegate.
  public let hasSession: Bool

  /// The user as archived, without a secret, or the error that prevents decoding.
  ///
  /// After a logout this is the result of ``SessionUser/remembered``, which may be `nil`.
  public let user: Result<User?, ContextError>
}
