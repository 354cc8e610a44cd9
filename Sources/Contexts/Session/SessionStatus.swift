/// What everybody may see of a session.
public struct SessionStatus<User: SessionUser>: Sendable {
  /// How far the user is known.
  public internal(set) var authState: AuthState

  /// What is being done about the session.
  public internal(set) var activity: AuthActivity

  /// What went wrong last, until the next thing of its kind goes right.
  public internal(set) var lastError: ContextError?

  /// The user, in the states that have one.
  public internal(set) var user: User?

  /// Counts the sessions of this process, so that what belongs to one can be told from what belongs to the next.
  public internal(set) var epoch: Int
}

/// A status, and its place among all that an engine shows.
struct ShownSession<User: SessionUser>: Sendable {
  let status: SessionStatus<User>
  /// Another number for each session, and for each environment.
  let context: Int
  /// The place in the order.
  let number: Int
}
