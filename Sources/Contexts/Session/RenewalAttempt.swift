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

/// A note that a process is about to use the token of a session.
///
/// The process writes it before it asks the server. As long as the archive holds the same generation of the session,
/// other processes cannot know whether the token was used.
struct RenewalClaim: Codable, Hashable, Sendable {
  /// The process that asks the server.
  var process: Int32
  /// The session and generation whose token it uses.
  var session: Int
  var generation: Int
  /// The user of the session, whom another user may replace before the server answers.
  var userID: String?
  /// A value that distinguishes two attempts of one process.
  var attempt = UUID.random()

  /// Returns whether the process may have used the token of a session.
  func isClaim<User>(for found: StoredSession<User>) -> Bool {
    (session, generation) == (found.session, found.generation) && (userID == nil || userID == found.user.id)
  }
}

/// The file of the note, which processes write under the lock of the archive.
struct RenewalClaims: Sendable {
  private static let format = FileFormat<RenewalClaim>.versioned(FileVersions(RenewalClaim.self))

  let url: URL

  /// Reads the last note, or `nil` if there is none.
  ///
  /// - Throws: An error if the note cannot be read. A newer version may have written it, and claim the token.
  func read() throws -> RenewalClaim? {
    do {
      return try Self.format.decode(DurableFile.read(url))
    } catch DurableFileError.notFound {
      return nil
    }
  }

  /// Replaces the note.
  ///
  /// The note must survive the end of the process, but not a power failure.
  func write(_ claim: RenewalClaim) throws {
    try DurableFile.write(Self.format.encode(claim), to: url, durability: .process, mode: 0o600)
  }
}
