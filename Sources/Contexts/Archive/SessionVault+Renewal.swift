import FileSignals
import Foundation

/// Who may use a token: one process at a time, and never two the same token while the first may come back.
///
/// The lock of renewals keeps processes apart. The kernel releases it when its holder dies, but not while the holder is
/// stopped. Before a holder asks the server, it writes a ``RenewalClaim``. A process that has waited long enough looks
/// at the archive and the claim:
///
/// - The archive holds a newer generation: the process adopts that.
/// - There is no claim for this generation: the holder has not asked. The process breaks the lock and goes on. The
///   holder finds that its lock is not current when it tries to write its claim, and starts again.
/// - There is a claim: the holder may have asked. The process gives up for now, or, if the server accepts a token twice
///   (``SessionPolicy/acceptsTokenReuse``), breaks the lock and asks. The archive then refuses the holder's answer.
///
/// All of this happens under the lock of the archive, so it has an order.
extension SessionVault {
  /// The way on for a process that holds the lock of renewals.
  enum RenewalStart: Sendable {
    /// Asks the server for a new session in place of this one.
    case ask(StoredSession<User>)
    case answer(RefreshAnswer<User>)
    /// Another process has taken over, and is to be waited for.
    case superseded
  }

  /// The way on for a process that has waited for the lock in vain.
  enum RenewalTakeover: Sendable {
    /// The lock has been broken and can be acquired.
    case broken
    case answer(RefreshAnswer<User>)
  }

  /// The claim as it is when a wait begins.
  var knownClaim: RenewalClaim? {
    do {
      return try claims?.read()
    } catch {
      // Then it is not known at the end of the wait either.
      return nil
    }
  }

  /// Claims the token of the archived session, unless there is nothing to renew.
  func beginRenewal(of session: StoredSession<User>, under lock: RenewalLock) -> RenewalStart {
    attempt { () throws -> RenewalStart in
      try locked {
        guard lock.isCurrent else { return .superseded }
        switch try renewable(session) {
        case .failure(let answer): return .answer(answer.answer)
        case .success(let found):
          try claims?.write(
            RenewalClaim(process: getpid(), session: found.session, generation: found.generation))
          return .ask(found)
        }
      }
    } failed: {
      .answer(.failed($0))
    }
  }

  /// Breaks the lock of a process that does not end its renewal, if its token cannot be in use.
  ///
  /// - Parameters:
  ///   - session: The session that is to be renewed.
  ///   - place: The place of the lock.
  ///   - known: The claim when the wait began: the same claim has not been a new one meanwhile.
  ///   - acceptsTokenReuse: Whether the server accepts a token twice.
  /// - Returns: The way on.
  func takeOverRenewal(
    of session: StoredSession<User>, from place: FilePlace, known: RenewalClaim?, acceptsTokenReuse: Bool
  ) -> RenewalTakeover {
    attempt { () throws -> RenewalTakeover in
      try locked {
        switch try renewable(session) {
        case .failure(let answer): return .answer(answer.answer)
        case .success(let found):
          if let claim = try claims?.read(), (claim.session, claim.generation) == (found.session, found.generation) {
            guard acceptsTokenReuse, claim == known else {
              return .answer(.failed(.refreshBlocked(processID: claim.process)))
            }
          }
          place.breakLock()
          return .broken
        }
      }
    } failed: {
      .answer(.failed($0))
    }
  }

  /// The archived session, if it is still the one to renew; otherwise the answer to whoever wanted to.
  private func renewable(_ session: StoredSession<User>) throws -> Result<StoredSession<User>, NothingToRenew> {
    let current = try current(in: read())
    guard case .user(let found) = current, found.session == session.session, found.user.id == session.user.id else {
      return .failure(NothingToRenew(answer: .elsewhere(current)))
    }
    if found.generation != session.generation { return .failure(NothingToRenew(answer: .adopted(found))) }
    return .success(found)
  }

  private struct NothingToRenew: Error {
    let answer: RefreshAnswer<User>
  }
}
