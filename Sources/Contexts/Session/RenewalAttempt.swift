import AppGroups
import FileSignals
import Foundation

/// An attempt to renew a session: the session that it began with, and the right to complete it.
struct RenewalAttempt<User: SessionUser>: Sendable {
  /// The archived session at the time of the request.
  var session: StoredSession<User>
  /// The lock under which the request was made, or `nil` if no other processes use the root.
  var lock: RenewalLock?

  /// A Boolean value that indicates whether no other process has taken over the renewal.
  var isCurrent: Bool {
    get throws(DurableFileError) { if let lock { try lock.isCurrent } else { true } }
  }
}

/// The result of a renewal.
struct Renewal<User: SessionUser>: Sendable {
  /// The user with the new session.
  var user: User
  /// The attempt that led to the renewal.
  ///
  /// A comparison with its user shows which properties the server has changed.
  var attempt: RenewalAttempt<User>
}

/// A note that a process is about to use the token of a user.
///
/// The process writes it before it asks the server. As long as the archive holds the same generation of the session,
/// other processes cannot know whether the token was used.
struct RenewalClaim: Codable, Hashable, Sendable {
  /// The process that asks the server.
  var process: Int32
  /// The session and generation whose token it uses.
  var session: Int
  var generation: Int
  /// The user of the session, whom another user may replace before the server answers; `nil` only in old files.
  var userID: String?
  /// A value that distinguishes two attempts of one process.
  var attempt = UUID.random()

  /// Returns whether the process may have used the token of a session.
  func isClaim<User>(for found: StoredSession<User>) -> Bool {
    (userID, session, generation) == (found.user.id, found.session, found.generation)
  }
}

/// The file of the notes, one for each user, which processes write under the lock of the archive.
///
/// A note changes only with the token of its own user: another user's renewal keeps it.
struct RenewalClaims: Sendable {
  /// Version 1 had a single note, which the renewal of another user replaced.
  private static let format = FileFormat<[RenewalClaim]>.versioned(
    FileVersions(RenewalClaim.self).migrating(to: [RenewalClaim].self) { claim in
      claim.userID == nil ? [] : [claim]
    })

  let url: URL

  /// Returns the file whose lock a process holds while it renews the session of a user.
  func lockURL(of userID: String) -> URL {
    locks.appending(path: UserDirectory.name(for: userID), directoryHint: .notDirectory)
  }

  private var locks: URL {
    url.deletingLastPathComponent().appending(path: "renewals", directoryHint: .isDirectory)
  }

  /// Reads the note of a user, or returns `nil` if there is none.
  ///
  /// - Throws: An error if the notes cannot be read. A newer version may have written them, and claim the token.
  func claim(of userID: String) throws -> RenewalClaim? {
    try read().first { $0.userID == userID }
  }

  private func read() throws -> [RenewalClaim] {
    guard let data = try DurableFile.readIfPresent(url) else { return [] }
    do {
      return try Self.format.decode(data)
    } catch let error as FileVersionError {
      // It does not name the file, which its readers would take for the archive.
      throw ContextError.archive(path: url.path, operation: "read", reason: "\(error)")
    }
  }

  /// Replaces the note of a user, and keeps those of other users.
  ///
  /// - Parameters:
  ///   - claim: The note.
  ///   - isNeeded: Returns whether a user still has a session.
  /// - Throws: An error if a newer version has written the notes, or the file cannot be read or written.
  func put(_ claim: RenewalClaim, where isNeeded: (_ userID: String) -> Bool = { _ in true }) throws {
    let others = try readForWriting().filter { $0.userID != claim.userID && isNeeded($0.userID ?? "") }
    try write(others + [claim])
  }

  /// Removes the notes of users.
  ///
  /// - Parameter isOver: Returns whether a note says nothing about a token that is still in use.
  /// - Throws: The errors of ``put(_:where:)``.
  func remove(where isOver: (RenewalClaim) -> Bool) throws {
    let claims = try readForWriting()
    let rest = claims.filter { !isOver($0) }
    if rest.count < claims.count { try write(rest) }
  }

  /// Removes the locks of users whose sessions no process renews.
  func removeUnusedLocks() throws {
    try DurableFile.removeUnusedLocks(in: locks)
  }

  /// Reads the notes, or none from a file that a power failure has damaged: no process has survived it.
  private func readForWriting() throws -> [RenewalClaim] {
    do {
      return try read()
    } catch let error where error is DurableFileError || error is ContextError {
      throw error
    } catch {
      return []
    }
  }

  /// Replaces the notes.
  ///
  /// They must survive the end of the process, but not a power failure.
  private func write(_ claims: [RenewalClaim]) throws {
    try DurableFile.write(Self.format.encode(claims), to: url, durability: .process, mode: 0o600)
  }
}
