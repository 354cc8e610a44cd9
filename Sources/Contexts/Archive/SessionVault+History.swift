extension SessionVault {
  // MARK: History

  /// Returns all archived users, with or without a session.
  func users() throws(ContextError) -> [ArchivedUser<User>] {
    let contents = try caught("read") { try locked { try read() } }
    return contents.users.map { record in
      var open = record
      open.secretKey = nil
      return ArchivedUser(
        id: record.id, modelVersion: record.version, isCurrent: record.id == contents.currentID,
        hasSession: record.id == contents.currentID || record.secretKey != nil,
        user: Result { () throws(ContextError) in record.payload.isEmpty ? nil : try coding.user(of: open) })
    }
  }

  /// Removes users while no user can log in.
  ///
  /// If one of them cannot be purged, none is removed.
  ///
  /// - Parameters:
  ///   - revision: The newest known revision.
  ///   - choose: A closure that chooses the users to remove from the archived identities and the current one.
  ///   - purge: A closure that removes all other data of a user.
  /// - Returns: The removed identities, and the new revision of the archive, if it has changed.
  /// - Throws: The error that `choose` or `purge` threw, or the error of the archive.
  func removeUsers(
    after revision: Int, choose: (_ archived: [String], _ current: String?) throws -> [String],
    purge: (String) throws -> Void
  ) throws(ContextError) -> (chosen: [String], revision: Int?) {
    try caught("write") {
      try locked {
        var contents = try read()
        let oldKeys = contents.secretKeys
        let chosen = try choose(contents.users.map(\.id), contents.currentID)
        // A user whose data cannot be removed stays in the archive, so that the removal can be tried again.
        for id in chosen { try purge(id) }
        guard contents.users.contains(where: { chosen.contains($0.id) }) else { return (chosen, nil) }
        contents.users.removeAll { chosen.contains($0.id) }
        contents.revision = max(contents.revision, revision) + 1
        try store(contents)
        sweep(contents, replaced: oldKeys)
        removeClaims(of: Set(chosen))
        // The name of a lock contains the identity of its user.
        attempt({ try claims?.removeUnusedLocks() }, failed: { _ in })
        return (chosen, contents.revision)
      }
    }
  }
}

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
