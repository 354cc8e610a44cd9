import FileSignals
import Foundation

/// The archive, the secrets, and the lock that keeps processes apart which use both.
///
/// What is written is in the archive, durably, when a method returns. A secret is written under a new key before the
/// archive names it, and removed after the archive has ceased to, so a crash in between leaves one too many, which the
/// next write removes, but never one too few.
struct SessionVault<User: UserProtocol>: Sendable {
  let archive: any SessionArchive
  let coding: UserCoding<User>
  /// What is locked; `nil` if the archive is nobody else's.
  let lockURL: URL?

  // MARK: Reading

  /// Who is logged in; an older version's user is migrated, and archived so before it is told.
  ///
  /// - Returns: Who it is, and whether the archive was written.
  func restore() -> (Restoration<User>, isWritten: Bool) {
    attempt { () throws -> (Restoration<User>, Bool) in
      try locked {
        var contents = try archive.read()
        guard let id = contents.currentID, var record = contents[id] else {
          sweep(contents)
          return (.nobody(revision: contents.revision), false)
        }
        let user = try coding.user(of: record)
        let isOld = record.version != User.modelVersion
        if isOld {
          record = try coding.record(of: user, secretKey: Self.key(contents.revision + 1))
          contents.put(record)
          contents.revision += 1
          try archive.write(contents)
        }
        sweep(contents)
        return (.user(session(user, contents)), isOld)
      }
    } failed: {
      (.failed($0), false)
    }
  }

  /// Who is logged in, without writing anything.
  func look() -> Restoration<User> {
    attempt { () throws -> Restoration<User> in
      try locked { try current(in: archive.read()) }
    } failed: {
      .failed($0)
    }
  }

  private func current(in contents: ArchiveContents) throws(ContextError) -> Restoration<User> {
    guard let id = contents.currentID, let record = contents[id] else { return .nobody(revision: contents.revision) }
    return .user(session(try coding.user(of: record), contents))
  }

  private func session(_ user: User, _ contents: ArchiveContents) -> StoredSession<User> {
    StoredSession(
      user: user, session: contents.session, generation: contents.generation, revision: contents.revision)
  }

  // MARK: Writing

  /// Does what a machine wants to be written.
  ///
  /// - Parameters:
  ///   - write: What.
  ///   - revision: The newest revision that is known, which the next one is to follow even if the archive is gone.
  /// - Returns: What came of it.
  func perform(_ write: SessionWrite<User>, after revision: Int) -> SessionEvent<User> {
    attempt { () throws -> SessionEvent<User> in
      try locked {
        var contents = try readForWriting(write)
        if let old = write.session, contents.session != old.session || contents.currentID != old.user.id {
          return .superseded(try current(in: contents), write)
        }
        contents.revision = max(contents.revision, revision) + 1
        let user = try apply(write, to: &contents)
        try archive.write(contents)
        let written = session(user, contents)
        sweep(contents)
        return .written(written, write)
      }
    } failed: {
      .notWritten($0, write)
    }
  }

  /// A login may begin a new archive, if there is one that can never be read, which is put aside when this is written.
  private func readForWriting(_ write: SessionWrite<User>) throws -> ArchiveContents {
    do {
      return try archive.read()
    } catch {
      guard case .login = write, archive.isLasting(error) else { throw error }
      return ArchiveContents()
    }
  }

  private func apply(_ write: SessionWrite<User>, to contents: inout ArchiveContents) throws -> User {
    switch write {
    case .login(let user, _):
      keepIfUndecodable(user.id, in: &contents)
      contents.beginSession()
      contents.generation += 1
      contents.currentID = user.id
      contents.put(try coding.record(of: user, secretKey: Self.key(contents.revision)))
      return user
    case .renewal(let renewal, _):
      let user = renewed(renewal, contents)
      contents.generation += 1
      contents.put(try coding.record(of: user, secretKey: Self.key(contents.revision)))
      return user
    case .update(let body, let old, _):
      guard let record = contents[old.user.id] else { throw ContextError.endedElsewhere }
      var user = try coding.user(of: record)
      try body(&user)
      guard user.id == old.user.id else {
        throw ContextError.differentUser(expected: old.user.id, found: user.id)
      }
      contents.put(try coding.record(of: user, secretKey: Self.key(contents.revision)))
      return user
    case .logout(let old), .end(let old):
      contents.beginSession()
      contents.currentID = nil
      if var record = contents[old.user.id] {
        record.secretKey = nil
        contents.put(record)
      }
      return old.user
    }
  }

  /// What a renewal makes of the user who is archived by now.
  private func renewed(_ renewal: Renewal<User>, _ contents: ArchiveContents) -> User {
    guard let record = contents[renewal.user.id] else { return renewal.user }
    do {
      return try coding.merge(renewal, into: coding.user(of: record))
    } catch {
      // What cannot be joined must not cost the session.
      return renewal.user
    }
  }

  private func keepIfUndecodable(_ id: String, in contents: inout ArchiveContents) {
    guard let record = contents[id] else { return }
    do throws(ContextError) {
      var open = record
      // That a secret is missing says nothing about the rest.
      open.secretKey = nil
      _ = try coding.user(of: open)
    } catch {
      contents.kept.append(record)
    }
  }

  // MARK: The history

  /// All archived users, whoever is logged in.
  func users() throws(ContextError) -> [ArchivedUser<User>] {
    let contents = try caught("read") { try locked { try archive.read() } }
    return contents.users.map { record in
      var open = record
      open.secretKey = nil
      return ArchivedUser(
        id: record.id, modelVersion: record.version, isCurrent: record.id == contents.currentID,
        user: Result { () throws(ContextError) in try coding.user(of: open) })
    }
  }

  /// Removes users, while nobody can log in; none, if one of them cannot be purged.
  ///
  /// - Parameters:
  ///   - revision: The newest revision that is known.
  ///   - choose: Is given who is archived and who is logged in, and says who is to be removed.
  ///   - purge: Removes what else there is of a user.
  /// - Returns: Who was chosen, and the revision that the archive has then, if it has changed.
  /// - Throws: What `choose` or `purge` threw, or why the archive cannot be used.
  func removeUsers(
    after revision: Int, choose: (_ archived: [String], _ current: String?) throws -> [String],
    purge: (String) throws -> Void
  ) throws(ContextError) -> (chosen: [String], revision: Int?) {
    try caught("write") {
      try locked {
        var contents = try archive.read()
        let chosen = try choose(contents.users.map(\.id), contents.currentID)
        // Whoever cannot be purged stays in the archive, so that it can be tried again.
        for id in chosen { try purge(id) }
        guard contents.users.contains(where: { chosen.contains($0.id) }) else { return (chosen, nil) }
        contents.users.removeAll { chosen.contains($0.id) }
        contents.revision = max(contents.revision, revision) + 1
        try archive.write(contents)
        sweep(contents)
        return (chosen, contents.revision)
      }
    }
  }

  // MARK: Helpers

  /// Says nothing about the user, since names of secrets are not secret.
  private static func key(_ revision: Int) -> String { "session-\(revision)" }

  /// Removes the secrets that nobody needs; one that cannot be removed is no reason to fail, and goes with a later write.
  private func sweep(_ contents: ArchiveContents) {
    attempt {
      for key in Set(try coding.secrets.keys()).subtracting(contents.secretKeys) {
        attempt({ try coding.secrets.remove(forKey: key) }, failed: { _ in })
      }
    } failed: { _ in
    }
  }

  private func locked<Result>(_ body: () throws -> Result) throws -> Result {
    guard let lockURL else { return try body() }
    return try DurableFile.withLock(on: lockURL, body)
  }

  private func attempt<Result>(_ body: () throws -> Result, failed: (ContextError) -> Result) -> Result {
    do throws(ContextError) {
      return try caught("read or write", body)
    } catch {
      return failed(error)
    }
  }

  private func caught<Result>(_ operation: String, _ body: () throws -> Result) throws(ContextError) -> Result {
    do {
      return try body()
    } catch let error as ContextError {
      throw error
    } catch let error as SecretStoreError {
      throw .secret(error)
    } catch {
      throw .archive(path: archive.path, operation: operation, reason: "\(error)")
    }
  }
}

extension SessionWrite {
  /// The session that must still be the current one.
  fileprivate var session: StoredSession<User>? {
    switch self {
    case .login: nil
    case .renewal(_, let old), .update(_, let old, _), .logout(let old), .end(let old): old
    }
  }
}
