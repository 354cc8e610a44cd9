extension StandardAppContext {
  /// Removes all users but the current one from the archive.
  ///
  /// If their databases stay, keep the result: ``purge(userID:)`` needs the identities, and nothing else lists them.
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
  /// - Throws: ``ContextError/alreadyAuthenticated(userID:)`` for the current user, ``ContextError/unknownUser(userID:)``
  ///   if neither the archive nor a database is that user's, or why something could not be removed.
  public func purge(userID: String) async throws {
    _ = try await remove(purgingStores: true) { [layout] archived, present in
      if present.contains(userID) { throw ContextError.alreadyAuthenticated(userID: userID) }
      guard archived.contains(userID) || layout.hasStores(of: userID) else {
        throw ContextError.unknownUser(userID: userID)
      }
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
