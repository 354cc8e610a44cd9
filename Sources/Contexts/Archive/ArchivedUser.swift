/// A user who is or has been logged in.
public struct ArchivedUser<User: SessionUser>: Identifiable, Sendable {
  /// Who it is.
  public let id: String

  /// The version of the model that the user was archived with.
  public let modelVersion: Int

  /// Whether it is the current user.
  public let isCurrent: Bool

  /// The user as archived, without a secret, or the reason why it cannot be decoded.
  ///
  /// After a logout this is what ``SessionUser/remembered`` returned, and `nil` if it returned `nil`.
  public let user: Result<User?, ContextError>
}
