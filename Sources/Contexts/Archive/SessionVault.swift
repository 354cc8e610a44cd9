import FileSignals
import Foundation

/// The archive, the secrets, and the lock that processes hold while they use both.
///
/// Each write is durable when its method returns. A secret is written under a new name before the archive refers to it,
/// and removed after the archive no longer does. A crash in between can leave an unused secret, which the next write
/// removes, but it never loses one.
struct SessionVault<User: SessionUser>: Sendable {
  let archive: any SessionArchive
  let coding: UserCoding<User>
  /// The file to lock, or `nil` if no other process uses the archive.
  let lockURL: URL?
  /// The notes of the processes that renew sessions, or `nil` if no other processes use the archive.
  var claims: RenewalClaims?
  /// The longest time to wait for a process that uses the archive.
  var lockTimeout = SessionPolicy().lockTimeout
  /// The other archives that the root may contain, or `nil` if they do not matter.
  var others: OtherArchives?
  /// The prefix of the names of all secrets of the archive.
  var keyPrefix = "session-"
  /// A Boolean value that indicates whether the session of a user is kept while the user is not logged in.
  var keepsSessions = false
  /// The environments of the archive's scope, or `nil` without a scope.
  var environments: SessionEnvironments?
  /// The number of the environment that must be active.
  private(set) var environment = 0

  /// Returns the same vault with methods that fail unless the given environment is active.
  func bound(to environment: Int) -> SessionVault {
    var copy = self
    copy.environment = environment
    return copy
  }

  // MARK: Reading

  /// Returns the current user.
  ///
  /// A user of another model version is migrated, and archived before it is returned.
  ///
  /// - Returns: The user, and whether the archive was written.
  func restore() -> (Restoration<User>, isWritten: Bool) {
    attemptLocked { () throws -> (Restoration<User>, Bool) in
      noteCreation()
      var contents = try read()
      let old = contents.secretKeys
      guard let id = contents.currentID, var record = contents[id] else {
        sweep(contents)
        return (.noUser(revision: contents.revision), false)
      }
      let user = try coding.user(of: record)
      let isOld = record.version != User.modelVersion
      if isOld {
        record = try coding.record(of: user, secretKey: key(contents.revision + 1))
        contents.put(record)
        contents.revision += 1
        try store(contents)
      }
      sweep(contents, replaced: old)
      return (.user(session(user, contents)), isOld)
    } failed: {
      (.failed($0), false)
    }
  }

  /// Notes that this process creates the archive, if there is none.
  private func noteCreation() {
    guard let lockURL, FileStamp.ifReadable(path: archive.path) == nil else { return }
    ProvenanceRecord.note(.current, revision: 0, ofFileAt: lockURL.path)
  }

  /// Returns the current user without writing anything.
  func look() -> Restoration<User> {
    attemptLocked { () throws -> Restoration<User> in
      try current(in: read())
    } failed: {
      .failed($0)
    }
  }

  /// Reads the archive.
  ///
  /// - Throws: ``ContextError/otherArchive(path:configured:)`` if it is empty because another one is in use.
  func read() throws -> ArchiveContents {
    let contents = try archive.read()
    if contents.revision == 0, let other = try others?.pathInUse() {
      throw ContextError.otherArchive(path: other, configured: archive.path)
    }
    return contents
  }

  func current(in contents: ArchiveContents) throws(ContextError) -> Restoration<User> {
    guard let id = contents.currentID, let record = contents[id] else { return .noUser(revision: contents.revision) }
    return .user(session(try coding.user(of: record), contents))
  }

  private func session(_ user: User, _ contents: ArchiveContents) -> StoredSession<User> {
    StoredSession(
      user: user, session: contents.session, generation: contents.generation, revision: contents.revision,
      environment: environment)
  }

  // MARK: Writing

  /// Performs a write.
  ///
  /// - Parameters:
  ///   - write: The write.
  ///   - revision: The newest known revision. The next one exceeds it even if the archive was lost.
  ///   - unwritten: The answers of the server that could not be archived so far.
  /// - Returns: The result.
  func perform(
    _ write: SessionWrite<User>, after revision: Int, unwritten: UnwrittenAnswers<User> = UnwrittenAnswers()
  ) -> SessionEvent<User> {
    attemptLocked { () throws -> SessionEvent<User> in
      var contents = try readForWriting(write)
      if case .endKept(let old, _) = write { return try endKept(old, write, after: revision, in: contents) }
      if write.isLate {
        try performLate(write, after: revision, in: &contents)
        return .settled(try current(in: contents), write, nil)
      }
      if let old = write.session, contents.session != old.session || contents.currentID != old.user.id {
        if write.attempt != nil { try performLate(write, after: revision, in: &contents) }
        return .superseded(try current(in: contents), write)
      }
      if let attempt = write.attempt, try attempt.session.generation != contents.generation || !attempt.isCurrent {
        // Another process took the renewal over while this one was stopped. Its session counts.
        return .superseded(try current(in: contents), write)
      }
      let oldKeys = contents.secretKeys
      contents.revision = max(contents.revision, revision) + 1
      var renewed: Set<String> = []
      let user = try apply(write, unwritten, to: &contents, renewed: &renewed)
      try store(contents)
      removeClaims(of: renewed)
      let written = session(user, contents)
      sweep(contents, replaced: oldKeys)
      return .written(written, write)
    } failed: {
      .notWritten($0, write)
    }
  }

  /// Reads the archive, or begins a new one for a login if the archive is permanently unreadable.
  ///
  /// The write puts the unreadable archive aside.
  private func readForWriting(_ write: SessionWrite<User>) throws -> ArchiveContents {
    do {
      return try read()
    } catch let error as ContextError {
      throw error
    } catch {
      guard case .login = write, archive.isLasting(error) else { throw error }
      return ArchiveContents()
    }
  }

  private func apply(
    _ write: SessionWrite<User>, _ unwritten: UnwrittenAnswers<User>, to contents: inout ArchiveContents,
    renewed: inout Set<String>
  ) throws -> User {
    switch write {
    case .login(let user, _):
      keepIfUndecodable(user.id, in: &contents)
      if let id = contents.currentID, id != user.id { try depart(id, unwritten, in: &contents, renewed: &renewed) }
      renewed.insert(user.id)
      contents.beginSession()
      contents.generation += 1
      contents.currentID = user.id
      contents.put(try coding.record(of: user, secretKey: key(contents.revision)))
      return user
    case .reopen(let id, _): return try reopen(id, unwritten, in: &contents, renewed: &renewed)
    case .renewal(let renewal), .late(let renewal):
      let user = merged(renewal, contents)
      contents.generation += 1
      contents.put(try coding.record(of: user, secretKey: key(contents.revision)))
      return user
    case .update(let body, let old, _):
      guard let record = contents[old.user.id] else { throw ContextError.endedElsewhere }
      var user = try coding.user(of: record)
      try body(&user)
      guard user.id == old.user.id else {
        throw ContextError.differentUser(expected: old.user.id, found: user.id)
      }
      contents.put(try coding.record(of: user, secretKey: key(contents.revision)))
      return user
    case .logout(let old), .endKept(let old, _): return logOut(old.user, in: &contents)
    case .setAside(let old):
      try depart(old.user.id, unwritten, in: &contents, renewed: &renewed)
      contents.beginSession()
      contents.currentID = nil
      return old.user
    case .end(let attempt), .lateEnd(let attempt): return logOut(attempt.session.user, in: &contents)
    }
  }

  private func logOut(_ user: User, in contents: inout ArchiveContents) -> User {
    contents.beginSession()
    contents.currentID = nil
    forget(user.id, in: &contents)
    return user
  }

  /// Removes a user's secret, and all other data that should not be remembered.
  ///
  /// A user who cannot be decoded stays archived, because a newer version of the application may be able to decode it.
  func forget(_ id: String, in contents: inout ArchiveContents) {
    guard var record = contents[id] else { return }
    record.secretKey = nil
    // The record stays without its secret, see above.
    tolerating {
      let user = try coding.user(of: record)
      record.version = User.modelVersion
      record.payload = remembered(of: user)
    }
    contents.put(record)
  }

  /// Returns the part of a user to remember as JSON, or an empty string if there is none or it cannot be encoded.
  private func remembered(of user: User) -> String {
    // The archived user may contain a token, so it is not kept.
    tolerating(
      try user.remembered.map { String(decoding: try coding.payload(of: $0), as: UTF8.self) } ?? "", else: "")
  }

  /// Returns the renewed user, merged with the user who is archived now.
  func merged(_ renewal: Renewal<User>, _ contents: ArchiveContents) -> User {
    guard let record = contents[renewal.user.id] else { return renewal.user }
    // A failed merge must not cost the session.
    return tolerating(try coding.merge(renewal, into: coding.user(of: record)), else: renewal.user)
  }

  private func keepIfUndecodable(_ id: String, in contents: inout ArchiveContents) {
    guard let record = contents[id], !record.payload.isEmpty else { return }
    do throws(ContextError) {
      var open = record
      // A missing secret does not make the rest undecodable.
      open.secretKey = nil
      _ = try coding.user(of: open)
    } catch {
      contents.kept.append(record)
    }
  }

  /// Writes the archive, and notes who does it.
  func store(_ contents: ArchiveContents) throws {
    if let lockURL {
      ProvenanceRecord.note(.current, revision: contents.revision, ofFileAt: lockURL.path)
    }
    try archive.write(contents)
  }

  // MARK: Helpers

  /// Returns a name that does not reveal the user, because names of secrets are not secret.
  func key(_ revision: Int) -> String { "\(keyPrefix)\(revision)" }

  /// Removes the secrets that the archive no longer names, and secrets that a crash has left.
  ///
  /// All other secrets in the store are left alone. A secret that cannot be removed is not an error: a later write
  /// removes it.
  ///
  /// - Parameters:
  ///   - contents: The archive as written.
  ///   - replaced: The names in the archive before the write.
  func sweep(_ contents: ArchiveContents, replaced: Set<String> = []) {
    var unneeded = replaced
    attempt {
      unneeded.formUnion(try coding.secrets.keys().filter { $0.hasPrefix(keyPrefix) })
    } failed: { _ in
    }
    for key in unneeded.subtracting(contents.secretKeys) {
      attempt({ try coding.secrets.remove(forKey: key) }, failed: { _ in })
    }
  }

  /// Runs a closure while no other process uses the archive and, in a scope, no process switches environments.
  func locked<Result>(_ body: () throws -> Result) throws -> Result {
    guard let environments else { return try lockedBetweenProcesses(body) }
    return try environments.steadily(in: environment) { try lockedBetweenProcesses(body) }
  }

  private func lockedBetweenProcesses<Result>(_ body: () throws -> Result) throws -> Result {
    guard let lockURL else { return try body() }
    return try DurableFile.withLock(on: lockURL, within: lockTimeout, body)
  }

  func attempt<Result>(_ body: () throws -> Result, failed: (ContextError) -> Result) -> Result {
    do throws(ContextError) {
      return try caught("read or write", body)
    } catch {
      return failed(error)
    }
  }

  /// Reads or writes with the lock held.
  func attemptLocked<Result>(_ body: () throws -> Result, failed: (ContextError) -> Result) -> Result {
    attempt({ try locked(body) }, failed: failed)
  }

  func caught<Result>(_ operation: String, _ body: () throws -> Result) throws(ContextError) -> Result {
    do {
      return try body()
    } catch let error as ContextError {
      throw error
    } catch let error as SecretStoreError {
      throw .secret(error)
    } catch {
      if ContextError.isAboutSuspension(error) { throw .suspended(path: archive.path, operation: operation) }
      throw .archive(path: archive.path, operation: operation, reason: "\(error)")
    }
  }
}
