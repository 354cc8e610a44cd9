extension StandardAppContext {
  /// Removes all users but the current one from the archive.
  ///
  /// If you keep their databases, keep the result too: ``purge(userID:)`` needs the identities, and nothing else lists
  /// them.
  ///
  /// - Parameter purgingStores: A Boolean value that indicates whether the users' databases are removed too.
  /// - Returns: The identities of the removed users.
  /// - Throws: ``ContextError``.
  @discardableResult
  public func cleanHistoryUserList(purgingStores: Bool = false) async throws -> [String] {
    try await remove(purgingStores: purgingStores) { archived, present in
      archived.filter { !present.contains($0) }
    }
  }

  /// Removes a user other than the current one, together with the user's databases.
  ///
  /// - Parameter userID: The identity.
  /// - Throws: ``ContextError/alreadyAuthenticated(userID:)`` for the current user, or
  ///   ``ContextError/unknownUser(userID:)`` if neither the archive nor a database belongs to the user. Otherwise the
  ///   reason why something could not be removed.
  public func purge(userID: String) async throws {
    _ = try await remove(purgingStores: true) { [layout] archived, present in
      if present.contains(userID) { throw ContextError.alreadyAuthenticated(userID: userID) }
      guard try archived.contains(userID) || layout.hasStores(of: userID) else {
        throw ContextError.unknownUser(userID: userID)
      }
      return [userID]
    }
  }

  private func remove(
    purgingStores: Bool,
    choose: @escaping @Sendable (_ archived: [String], _ present: Set<String>) throws -> [String]
  ) async throws -> [String] {
    let environment = engine.environment
    return try await withCheckedThrowingContinuation { continuation in
      engine.run { [layout, board] engine in
        continuation.resume(
          with: Result {
            defer { Self.load(board, engine) }
            return try engine.removeUsers(in: environment, choose: choose) { if purgingStores { try layout.purge($0) } }
          })
      }
    }
  }
}
