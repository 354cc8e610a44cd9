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

  /// Archives the answer to a renewal whose user has been replaced since it began.
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

  /// Applies the answer to a renewal whose user has been replaced since it began.
  ///
  /// It changes the user's session only if it still has the token that was renewed.
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
    guard keepsSessions, let attempt = write.attempt, let record = contents[attempt.session.user.id] else {
      return false
    }
    let isCurrent = contents.currentID == record.id
    guard isCurrent || record.secretKey != nil else { return false }
    let theirs = try coding.user(of: record)
    if let renewal = write.renewal {
      guard renewal.user.id == record.id, try coding.hasRenewedToken(theirs, of: renewal) else { return false }
      var new = try coding.record(of: coding.merge(renewal, into: theirs), secretKey: secretKey)
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
