/// What an engine needs of the world: a server, which answers later.
protocol SessionServer<User>: Sendable {
  associatedtype User: SessionUser

  /// Whether to renew; `nil` if there is nobody to ask.
  func shouldRefresh(_ user: User, isStartup: Bool) -> Bool?
  func authenticate(_ answer: @escaping @Sendable (Result<User, ContextError>) -> Void)
  /// `end` lets other processes renew the session, and is to be called when the answer is archived.
  func refresh(
    _ session: StoredSession<User>,
    _ answer: @escaping @Sendable (RefreshAnswer<User>, _ end: @escaping @Sendable () -> Void) -> Void)
  func deauthenticate(_ user: User, _ answer: @escaping @Sendable (ContextError?) -> Void)
}
