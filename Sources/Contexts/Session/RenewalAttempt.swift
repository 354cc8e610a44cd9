import AppGroups
import FileSignals
import Foundation

/// One try to renew a session: what it began with, and the right to end it.
struct RenewalAttempt<User: SessionUser>: Sendable {
  /// The session as archived when the server was asked.
  var session: StoredSession<User>
  /// The lock under which it was; `nil` if there are no other processes.
  var lock: RenewalLock?

  /// A Boolean value that indicates whether no other process has taken the renewal over.
  var isCurrent: Bool { lock?.isCurrent ?? true }
}

/// The result of a renewal.
struct Renewal<User: SessionUser>: Sendable {
  /// The user with the new session.
  var user: User
  /// The try that it came from.
  ///
  /// Its user says what the server has changed, and what it has only handed back.
  var attempt: RenewalAttempt<User>
}

/// The note that a process is about to use the token of a session.
///
/// It is written before the server is asked. As long as the archive holds the same generation of the session, nobody
/// can know whether the token was used.
struct RenewalClaim: Codable, Hashable, Sendable {
  /// The process that asks the server.
  var process: Int32
  /// The session and generation whose token it uses.
  var session: Int
  var generation: Int
  /// Tells two tries of one process apart.
  var attempt = UUID.random()
}

/// The file with the note, which processes write under the lock of the archive.
struct RenewalClaims: Sendable {
  private static let format = FileFormat<RenewalClaim>.versioned(FileVersions(RenewalClaim.self))

  let url: URL

  /// The last note; `nil` if there is none.
  ///
  /// - Throws: An error if there is one that cannot be read. It may be a newer version's, and claim the token.
  func read() throws -> RenewalClaim? {
    do {
      return try Self.format.decode(DurableFile.read(url))
    } catch DurableFileError.notFound {
      return nil
    }
  }

  /// Replaces the note.
  ///
  /// It needs to outlive the process, but not a power failure.
  func write(_ claim: RenewalClaim) throws {
    try DurableFile.write(Self.format.encode(claim), to: url, durability: .process, mode: 0o600)
  }
}
