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
    turn.answer(&loginCalls, .failure(.sessionEnded))
    turn.answer(&refreshCalls, .failure(.sessionEnded))
    turn.answer(&forcedCalls, .failure(.sessionEnded))
    turn.answer(&logoutCalls, .success(nil))
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

  /// Handles an answer for a user who has been replaced or set aside during the renewal.
  ///
  /// The token of the user's kept session is used up, so the answer must not be lost.
  mutating func lateAnswer(_ answer: RefreshAnswer<User>, _ turn: inout Turn) {
    guard policy.keepsSessions else { return }
    switch answer {
    case .renewed(let renewal): turn.add(.write(.late(renewal)))
    case .rejected(_, let attempt): turn.add(.write(.lateEnd(attempt)))
    case .adopted, .elsewhere, .failed: return
    }
  }
}
