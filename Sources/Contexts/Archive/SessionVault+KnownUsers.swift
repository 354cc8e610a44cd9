/// The sessions of users who are not logged in now.
///
/// A kept record is the whole archived user, with the name of the secret. The name is empty if there is no secret, so
/// that a kept session differs from a remembered user.
extension SessionVault {
  /// Makes a user with a kept session the current one.
  func reopen(_ id: String, unwritten: Renewal<User>?, in contents: inout ArchiveContents) throws -> User {
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
    if let current = contents.currentID { try depart(current, unwritten: unwritten, in: &contents) }
    contents.beginSession()
    contents.generation += 1
    contents.currentID = id
    contents.put(record)
    if var claim = try claims?.read(), claim.userID == id {
      // A process that is stopped may have used the token. The next renewal must find that out.
      (claim.session, claim.generation) = (contents.session, contents.generation)
      try claims?.write(claim)
    }
    return user
  }

  /// Keeps the session of the current user, whom no one or another user follows, or forgets it.
  ///
  /// It must be called before the next session begins.
  ///
  /// - Parameters:
  ///   - id: The current user.
  ///   - unwritten: A renewal of the user that could not be archived so far.
  ///   - contents: The archive.
  /// - Throws: The error of the store of secrets, or of encoding.
  func depart(_ id: String, unwritten: Renewal<User>?, in contents: inout ArchiveContents) throws {
    guard keepsSessions else { return forget(id, in: &contents) }
    guard var record = contents[id] else { return }
    if let unwritten, unwritten.attempt.session.session == contents.session, unwritten.user.id == id {
      record = try coding.record(of: renewed(unwritten, contents), secretKey: key(contents.revision) + "-kept")
    }
    record.secretKey = record.secretKey ?? ""
    contents.put(record)
  }

  /// Returns whether another session has begun, although sessions are kept.
  func hasSetAside(_ session: StoredSession<User>) -> Bool {
    guard keepsSessions else { return false }
    return attempt {
      try locked { try read().session != session.session }
    } failed: { _ in
      false
    }
  }

  /// Archives the answer to a renewal whose user has been replaced since it began.
  ///
  /// It changes the user's session only if it still has the token that was renewed.
  ///
  /// - Parameters:
  ///   - write: The late write.
  ///   - revision: The newest known revision.
  ///   - contents: The archive.
  /// - Throws: The error of the archive or of the store of secrets.
  func performLate(_ write: SessionWrite<User>, after revision: Int, in contents: inout ArchiveContents) throws {
    guard keepsSessions, let attempt = write.attempt, let record = contents[attempt.session.user.id] else { return }
    let isCurrent = contents.currentID == record.id
    guard isCurrent || record.secretKey != nil else { return }
    let theirs = try coding.user(of: record)
    let oldKeys = contents.secretKeys
    if let renewal = write.renewal {
      guard renewal.user.id == record.id, try coding.hasRenewedToken(theirs, of: renewal) else { return }
      contents.revision = max(contents.revision, revision) + 1
      var new = try coding.record(of: coding.merge(renewal, into: theirs), secretKey: key(contents.revision))
      if isCurrent { contents.generation += 1 } else { new.secretKey = new.secretKey ?? "" }
      contents.put(new)
    } else {
      // The server has refused the session. A user who is logged in again will find out by the next renewal.
      let base = attempt.session.user
      let isSameToken =
        try base.secret == nil
        ? coding.payload(of: theirs) == coding.payload(of: base) : theirs.secret == base.secret
      guard !isCurrent, isSameToken else { return }
      contents.revision = max(contents.revision, revision) + 1
      forget(record.id, in: &contents)
    }
    try archive.write(contents)
    sweep(contents, replaced: oldKeys)
  }
}
