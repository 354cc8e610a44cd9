/// A server that answers an engine's requests later.
protocol SessionServer<User>: Sendable {
  associatedtype User: SessionUser

  /// Returns whether to renew, or `nil` if there is no delegate.
  func shouldRefresh(_ user: User, isStartup: Bool) -> Bool?
  func authenticate(_ answer: @escaping @Sendable (Result<User, ContextError>) -> Void)
  /// Renews a session.
  ///
  /// The caller calls `end` when the answer is archived, which lets other processes renew the session.
  func refresh(
    _ session: StoredSession<User>,
    _ answer: @escaping @Sendable (RefreshAnswer<User>, _ end: @escaping @Sendable () -> Void) -> Void)
  func deauthenticate(_ user: User, _ answer: @escaping @Sendable (ContextError?) -> Void)
}
