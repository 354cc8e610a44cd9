/// The sessions of users who are not logged in now.
///
/// A kept record is the whole archived user, with the name of the secret. The name is empty if there is no secret, so
/// that a kept session differs from a remembered user.
extension SessionVault {
  /// Makes a user with a kept session the current one.
  func reopen(
    _ id: String, _ unwritten: UnwrittenAnswers<User>, in contents: inout ArchiveContents, renewed: inout Set<String>
  ) throws -> User {
    // The answer to the renewal of the user who left has the only copy of the next token.
    if let late = unwritten.late[id], try applyLate(late, secretKey: key(contents.revision) + "-late", to: &contents) {
      renewed.insert(id)
    }
    guard var record = contents[id] else { throw ContextError.unknownUser(userID: id) }
    // Another process has already logged the user in.
    if contents.currentID == id { return try coding.user(of: record) }
    guard let secretKey = record.secretKey else { throw ContextError.noSession(userID: id) }
    let user = try coding.user(of: record)
    if record.version == User.modelVersion {
      record.secretKey = secretKey.isEmpty ? nil : secretKey
    } else {
      record = try coding.record(of: user, secretKey: key(contents.revision))
    }
    if let current = contents.currentID { try depart(current, unwritten, in: &contents, renewed: &renewed) }
    contents.beginSession()
    contents.generation += 1
    contents.currentID = id
    contents.put(record)
    if !renewed.contains(id), var claim = try claims?.claim(of: id) {
      // The renewal that began before may still use the token. The next renewal must find that out.
      (claim.session, claim.generation) = (contents.session, contents.generation)
      try claims?.put(claim)
    }
    return user
  }

  /// Keeps the session of the current user, whom no one or another user follows, or forgets it.
  ///
  /// It must be called before the next session begins.
  ///
  /// - Parameters:
  ///   - id: The current user.
  ///   - unwritten: The answers that could not be archived so far.
  ///   - contents: The archive.
  ///   - renewed: The users who get a new token by this write.
  /// - Throws: The error of the store of secrets, or of encoding.
  func depart(
    _ id: String, _ unwritten: UnwrittenAnswers<User>, in contents: inout ArchiveContents, renewed: inout Set<String>
  ) throws {
    guard keepsSessions else { return forget(id, in: &contents) }
    guard var record = contents[id] else { return }
    if let renewal = unwritten.current, renewal.user.id == id,
      (renewal.attempt.session.session, renewal.attempt.session.generation) == (contents.session, contents.generation)
    {
      record = try coding.record(of: merged(renewal, contents), secretKey: key(contents.revision) + "-kept")
      renewed.insert(id)
    } else {
      removeOldClaim(of: id, in: contents)
    }
    record.secretKey = record.secretKey ?? ""
    contents.put(record)
  }

  /// Returns whether another session has begun, although sessions are kept, unless it is known that none has.
  func hasSetAside(_ session: StoredSession<User>) -> Bool {
    guard keepsSessions else { return false }
    return attemptLocked {
      try read().session != session.session
    } failed: { _ in
      true
    }
  }

  /// Archives the answer to a renewal whose user has left since it began.
  ///
  /// - Parameters:
  ///   - write: The late write.
  ///   - revision: The newest known revision.
  ///   - contents: The archive.
  /// - Throws: The error of the archive or of the store of secrets.
  func performLate(_ write: SessionWrite<User>, after revision: Int, in contents: inout ArchiveContents) throws {
    var new = contents
    new.revision = max(new.revision, revision) + 1
    guard try applyLate(write, secretKey: key(new.revision), to: &new) else { return }
    try store(new)
    sweep(new, replaced: contents.secretKeys)
    contents = new
    if let id = write.attempt?.session.user.id, id != new.currentID { removeClaims(of: [id]) }
  }

  /// Applies the answer to a renewal whose user has left since it began.
  ///
  /// It changes the user's session only if it still has the token that was renewed. If sessions are not kept, it must
  /// also be the same session.
  ///
  /// - Parameters:
  ///   - write: The late write.
  ///   - secretKey: The name of the new secret.
  ///   - contents: The archive.
  /// - Returns: A Boolean value that indicates whether the archive has changed.
  /// - Throws: The error of the store of secrets, or of encoding.
  func applyLate(
    _ write: SessionWrite<User>, secretKey: String, to contents: inout ArchiveContents
  ) throws -> Bool {
    guard let attempt = write.attempt, let record = contents[attempt.session.user.id] else { return false }
    let isCurrent = contents.currentID == record.id
    guard isCurrent || record.secretKey != nil else { return false }
    // A logout that could not be archived has left the session as it was.
    let isSame =
      isCurrent && (attempt.session.session, attempt.session.generation) == (contents.session, contents.generation)
    guard try keepsSessions || (isSame && attempt.isCurrent) else { return false }
    let theirs = try coding.user(of: record)
    if let renewal = write.renewal {
      guard renewal.user.id == record.id, try isSame || coding.hasRenewedToken(theirs, of: renewal) else {
        return false
      }
      var new = try coding.record(of: merged(renewal, contents), secretKey: secretKey)
      if isCurrent { contents.generation += 1 } else { new.secretKey = new.secretKey ?? "" }
      contents.put(new)
    } else {
      // The server has refused the session. A user who is logged in again will find out by the next renewal.
      let base = attempt.session.user
      let isSameToken =
        try base.secret == nil
        ? coding.payload(of: theirs) == coding.payload(of: base) : theirs.secret == base.secret
      guard !isCurrent, isSameToken else { return false }
      forget(record.id, in: &contents)
    }
    return true
  }

  /// Ends the kept session of a user who was the current one when the logout began.
  ///
  /// - Parameters:
  ///   - old: The session for which the logout was requested.
  ///   - write: The write.
  ///   - revision: The newest known revision.
  ///   - contents: The archive.
  /// - Returns: The result, with the user as archived. The user is `nil` if there is no session to end.
  /// - Throws: The error of the archive.
  func endKept(
    _ old: StoredSession<User>, _ write: SessionWrite<User>, after revision: Int, in contents: ArchiveContents
  ) throws -> SessionEvent<User> {
    // The user is the current one again, by another process.
    if contents.currentID == old.user.id { return .superseded(try current(in: contents), write) }
    guard let record = contents[old.user.id], record.secretKey != nil else {
      return .settled(try current(in: contents), write, nil)
    }
    let user = attempt({ try coding.user(of: record) }, failed: { _ in old.user })
    var new = contents
    new.revision = max(new.revision, revision) + 1
    forget(old.user.id, in: &new)
    try store(new)
    sweep(new, replaced: contents.secretKeys)
    removeClaims(of: [old.user.id])
    return .settled(try current(in: new), write, user)
  }
}

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
