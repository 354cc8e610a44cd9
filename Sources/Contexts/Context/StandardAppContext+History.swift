public import Signals

extension StandardAppContext {
  /// Who is or has been logged in, in the order in which they first were.
  public var historyUsers: Property<[ArchivedUser<User>]> { history }

  /// Removes all users but the current one from the archive.
  ///
  /// - Parameter purgingStores: Whether their databases are removed, too.
  /// - Returns: The identities of those who were removed.
  /// - Throws: ``ContextError``.
  @discardableResult
  public func cleanHistoryUserList(purgingStores: Bool = false) async throws -> [String] {
    try await remove(purgingStores: purgingStores) { _ in true }
  }

  /// Removes a user, who must not be the current one, and their databases.
  ///
  /// - Parameter userID: The identity.
  /// - Throws: ``ContextError/alreadyAuthenticated(userID:)`` for the current user, or why something could not be
  ///   removed.
  public func purge(userID: String) async throws {
    if current.value.id == userID, !current.value.isStandard {
      throw ContextError.alreadyAuthenticated(userID: userID)
    }
    _ = try await remove(purgingStores: true) { $0 == userID }
    try layout.purge(userID)
  }

  private func remove(
    purgingStores: Bool, where isUnwanted: @escaping @Sendable (String) -> Bool
  ) async throws -> [String] {
    try await withCheckedThrowingContinuation { continuation in
      engine.run { [layout, history] engine in
        guard engine.machine.state != .restoring else { return continuation.resume(throwing: ContextError.notSetUp) }
        continuation.resume(
          with: Result {
            let removed = try engine.removeUsers(where: isUnwanted)
            Self.load(history, engine)
            if purgingStores { for id in removed { try layout.purge(id) } }
            return removed
          })
      }
    }
  }
}
