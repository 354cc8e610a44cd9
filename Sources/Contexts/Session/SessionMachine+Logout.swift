extension SessionMachine {
  mutating func logout(_ call: Call, _ turn: inout Turn) {
    if state == .restoring { return turn.add(.answer(call, .failure(.notSetUp))) }
    if activity == .authenticating {
      // Whoever logs in does not want to any more.
      leave(.sessionEnded, &turn)
      return turn.add(.answer(call, .success(nil)))
    }
    guard let stored else {
      guard activity == .deauthenticating else { return turn.add(.answer(call, .failure(.notAuthenticated))) }
      // The server is being told already.
      return logoutCalls.append(call)
    }
    logoutCalls.append(call)
    // Before anything else, so that no answer under way counts any more.
    epoch += 1
    activity = .deauthenticating
    lastError = nil
    forgetRenewals()
    publish(&turn)
    turn.answer(&refreshCalls, .failure(.sessionEnded))
    turn.answer(&forcedCalls, .failure(.sessionEnded))
    turn.add(.write(.logout(stored)))
  }

  /// The archive has been asked to forget the session: it is over here, whatever the server says.
  mutating func leave(telling user: User, _ turn: inout Turn) {
    state = .unauthenticated
    stored = nil
    forgetRenewals()
    publish(&turn)
    turn.add(.deauthenticate(user, epoch: epoch))
  }

  mutating func logoutAnswered(_ error: ContextError?, _ epoch: Int, _ turn: inout Turn) {
    guard epoch == self.epoch, activity == .deauthenticating else { return }
    activity = .idle
    if let error { lastError = error }
    publish(&turn)
    turn.answer(&logoutCalls, .success(nil))
  }
}
