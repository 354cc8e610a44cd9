import Foundation
import Signals

/// Users whose sessions stay in the archive while another user, or none, is logged in.
extension SessionMachine {
  mutating func reopen(_ userID: String, _ call: Call, _ turn: inout Turn) {
    if state == .restoring { return turn.add(.answer(call, .failure(.notSetUp))) }
    if stored?.user.id == userID {
      return turn.add(.answer(call, .failure(.alreadyAuthenticated(userID: userID))))
    }
    turn.add(.write(.reopen(userID, call)))
  }

  /// Handles the archived session of a known user, which is then like a restored one.
  mutating func reopened(_ new: StoredSession<User>, _ call: Call, _ turn: inout Turn) {
    epoch += 1
    activity = .idle
    lastError = nil
    stored = new
    forgetRenewals()
    state = .presession
    publish(&turn)
    endCalls(logins: .failure(.sessionEnded), .sessionEnded, &turn)
    turn.add(.answer(call, .success(new.user)))
    turn.add(.decide(new.user, isStartup: true, epoch: epoch))
  }

  /// Handles a request to log the user out without ending the session.
  mutating func setAside(_ call: Call, _ turn: inout Turn) {
    guard policy.keepsSessions else {
      let reason = "logout(keepingSession: true) needs a policy whose keepsSessions is true"
      return turn.add(.answer(call, .failure(.invalidPolicy(reason: reason))))
    }
    guard let stored else { return logout(call, &turn) }
    logoutCalls.append(call)
    turn.add(.write(.setAside(stored)))
  }

  /// Handles an answer for a user who has left during the renewal.
  ///
  /// The token of a session that is still archived is used up, so the answer must not be lost. If sessions are not
  /// kept, only a logout that could not be archived leaves one.
  mutating func lateAnswer(_ answer: RefreshAnswer<User>, _ turn: inout Turn) {
    switch answer {
    case .renewed(let renewal):
      guard policy.keepsSessions || renewal.attempt.session.session == leftSession else { return }
      turn.add(.write(.late(renewal)))
    case .rejected(_, let attempt):
      if policy.keepsSessions { turn.add(.write(.lateEnd(attempt))) }
    case .adopted, .elsewhere, .failed: return
    }
  }

  // MARK: Answers that could not be archived

  /// Keeps the answer to the renewal of a user who leaves, which has the only copy of the next token.
  ///
  /// The write of the change may have included it. Then the next write changes nothing.
  ///
  /// - Parameters:
  ///   - next: The user who follows, if that is known to have a new token.
  ///   - mayStay: A Boolean value that indicates whether the session may stay archived even if sessions are not kept.
  mutating func keepUnwritten(unlessOf next: String? = nil, ifSessionMayStay mayStay: Bool = false) {
    guard policy.keepsSessions || mayStay, let unwritten = exchange(&self.unwritten, with: nil) else { return }
    if unwritten.attempt.session.user.id != next { keepLateAnswer(.late(unwritten)) }
  }

  /// Keeps an answer, to be written when the user has been replaced.
  private mutating func keepLateAnswer(_ write: SessionWrite<User>) {
    guard let id = write.attempt?.session.user.id else { return }
    late[id] = LateAnswer(write: write, failures: late[id]?.failures ?? 0)
  }

  mutating func lateAnswerFailed(_ write: SessionWrite<User>, _ error: ContextError, _ turn: inout Turn) {
    guard let id = write.attempt?.session.user.id else { return }
    keepLateAnswer(write)
    late[id]?.failures += 1
    late[id]?.error = error
    // A policy may give up renewals after some attempts, but nothing else would ever write this answer.
    let pause = policy.retry.pause(after: late[id]?.failures ?? 1, chance: turn.chance) ?? policy.retry.longest
    late[id]?.retryDate = turn.now.addingTimeInterval(max(pause, .milliseconds(100)).inSeconds)
    lastError = error
    publish(&turn)
  }

  /// Writes the answers that could not be archived so far, if it is time.
  mutating func writeLateAnswers(_ isResuming: Bool, _ turn: inout Turn) {
    for (id, answer) in late.sorted(by: { $0.key < $1.key }) {
      if !isResuming, let date = answer.retryDate, date > turn.now { continue }
      late[id]?.retryDate = nil
      turn.add(.write(answer.write))
    }
  }

  /// Handles the end of a write about a user who has been replaced.
  mutating func settled(
    _ restoration: Restoration<User>, _ write: SessionWrite<User>, _ user: User?, _ turn: inout Turn
  ) {
    if let id = write.attempt?.session.user.id, let answer = late.removeValue(forKey: id) {
      if lastError == answer.error { lastError = nil }
      publish(&turn)
    }
    found(restoration, &turn)
    guard case .endKept(let old, let call) = write else { return }
    late[old.user.id] = nil
    if let user { return turn.add(.deauthenticateKept(user, call)) }
    turn.add(.answer(call, .failure(stored == nil ? .alreadyLoggedOut : .sessionEnded)))
  }
}

/// An answer for a user who has left that could not be archived so far.
struct LateAnswer<User: SessionUser>: Sendable {
  var write: SessionWrite<User>
  /// The number of writes that have failed in a row.
  var failures = 0
  var error: ContextError?
  /// The date of the next write, or `nil` while the answer is being written.
  var retryDate: Date?
}
