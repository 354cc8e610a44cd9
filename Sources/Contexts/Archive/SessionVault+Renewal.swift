import FileSignals
import Foundation

/// The right to use a token: only one process has it at a time, and a second process never uses a token that a stopped
/// one may have used.
///
/// Each user has a lock and a claim, which outlast a change of users: a reopened user finds them as they were. The
/// renewal lock excludes other processes. The kernel releases it when its holder dies, but not while the holder is
/// stopped. Before a holder asks the server, it writes a ``RenewalClaim``. After the time limit, a waiting process
/// reads the archive and the claim:
///
/// - **The archive holds a newer generation.** The process adopts it.
/// - **There is no claim for this generation.** The holder has not asked the server. The process breaks the lock and
///   continues. When the holder tries to write its claim, it finds that its lock is no longer current, and starts
///   again.
/// - **There is a claim.** The holder may have asked the server. The process gives up for now. If the server accepts a
///   token twice (``SessionPolicy/acceptsTokenReuse``), it breaks the lock and asks. The archive then refuses the
///   holder's answer.
///
/// All of this happens under the lock of the archive, which puts it in an order.
extension SessionVault {
  /// The next step of a process that holds the renewal lock.
  enum RenewalStart: Sendable {
    /// Asks the server for a new session to replace this one.
    case ask(StoredSession<User>)
    case answer(RefreshAnswer<User>)
    /// Another process has taken the renewal over, and this one waits for it.
    case superseded
  }

  /// The claim at the beginning of a wait.
  func knownClaim(of session: StoredSession<User>) -> RenewalClaim? {
    // The claim will not be known at the end of the wait either.
    tolerating(try claims?.claim(of: session.user.id), else: nil)
  }

  /// Claims the token of the archived session, unless there is nothing to renew.
  func beginRenewal(of session: StoredSession<User>, under lock: RenewalLock) -> RenewalStart {
    attemptLocked { () throws -> RenewalStart in
      guard try lock.isCurrent else { return .superseded }
      let contents = try read()
      let start = try renewable(session, in: contents)
      if case .ask(let found) = start {
        let claim = RenewalClaim(
          process: getpid(), session: found.session, generation: found.generation, userID: found.user.id)
        try claims?.put(claim) { contents[$0]?.secretKey != nil }
      }
      return start
    } failed: {
      .answer(.failed($0))
    }
  }

  /// Breaks the lock of a process that does not complete its renewal, if the token cannot be in use.
  ///
  /// - Parameters:
  ///   - session: The session to renew.
  ///   - descriptors: The open files of the lock.
  ///   - known: The claim at the beginning of the wait. If it is unchanged, no new renewal has begun since.
  ///   - acceptsTokenReuse: A Boolean value that indicates whether the server accepts a token twice.
  /// - Returns: The answer to the request, or `nil` if the lock has been broken and can be acquired.
  func takeOverRenewal(
    of session: StoredSession<User>, from descriptors: FileDescriptors, known: RenewalClaim?, acceptsTokenReuse: Bool
  ) -> RefreshAnswer<User>? {
    attemptLocked { () throws -> RefreshAnswer<User>? in
      let start = try renewable(session, in: read())
      if case .answer(let answer) = start { return answer }
      if case .ask(let found) = start, let claim = try claims?.claim(of: found.user.id), claim.isClaim(for: found) {
        guard acceptsTokenReuse, claim == known else { return .failed(.refreshBlocked(processID: claim.process)) }
      }
      try descriptors.breakLock()
      return nil
    } failed: {
      .failed($0)
    }
  }

  /// Returns the archived session if it still needs the renewal, otherwise the answer to the request.
  private func renewable(
    _ session: StoredSession<User>, in contents: ArchiveContents
  ) throws -> RenewalStart {
    let current = try current(in: contents)
    guard case .user(let found) = current, found.session == session.session, found.user.id == session.user.id else {
      return .answer(.elsewhere(current))
    }
    if found.generation != session.generation { return .answer(.adopted(found)) }
    return .ask(found)
  }

  /// Removes the claims of users with a new token, which no renewal of the old one concerns.
  ///
  /// It must be called after the archive is written. A claim that stays blocks no renewal unless another process is in
  /// the middle of one.
  func removeClaims(of users: Set<String>) {
    guard !users.isEmpty else { return }
    attempt({ try claims?.remove { users.contains($0.userID ?? "") } }, failed: { _ in })
  }

  /// Removes the claim of a user if the renewal is over and archived.
  func removeOldClaim(of userID: String, in contents: ArchiveContents) {
    attempt {
      try claims?.remove {
        $0.userID == userID && ($0.session, $0.generation) != (contents.session, contents.generation)
      }
    } failed: { _ in
    }
  }
}
