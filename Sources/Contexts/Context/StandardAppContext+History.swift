public import Signals

extension StandardAppContext {
  /// Who is or has been logged in, in the order in which they first were.
  public var historyUsers: Property<[ArchivedUser<User>]> { board.history }

  /// Removes all users but the current one from the archive.
  ///
  /// - Parameter purgingStores: Whether their databases are removed, too.
  /// - Returns: The identities of those who were removed.
  /// - Throws: ``ContextError``.
  @discardableResult
  public func cleanHistoryUserList(purgingStores: Bool = false) async throws -> [String] {
    try await remove(purgingStores: purgingStores) { archived, present in
      archived.filter { !present.contains($0) }
    }
  }

  /// Removes a user, who must not be the current one, and their databases.
  ///
  /// - Parameter userID: The identity.
  /// - Throws: ``ContextError/alreadyAuthenticated(userID:)`` for the current user, or why something could not be
  ///   removed.
  public func purge(userID: String) async throws {
    _ = try await remove(purgingStores: true) { _, present in
      if present.contains(userID) { throw ContextError.alreadyAuthenticated(userID: userID) }
      return [userID]
    }
  }

  private func remove(
    purgingStores: Bool,
    choose: @escaping @Sendable (_ archived: [String], _ present: Set<String>) throws -> [String]
  ) async throws -> [String] {
    try await withCheckedThrowingContinuation { continuation in
      engine.run { [layout, board] engine in
        guard engine.machine.state != .restoring else { return continuation.resume(throwing: ContextError.notSetUp) }
        continuation.resume(
          with: Result {
            defer { Self.load(board, engine) }
            return try engine.removeUsers(choose: choose) { if purgingStores { try layout.purge($0) } }
          })
      }
    }
  }
}
