extension SessionMachine {
  mutating func logout(_ call: Call, _ turn: inout Turn) {
    if state == .restoring { return turn.add(.answer(call, .failure(.notSetUp))) }
    if activity == .authenticating {
      // A logout cancels a login in progress.
      leave(.sessionEnded, &turn)
      return turn.add(.answer(call, .success(nil)))
    }
    guard let stored else {
      guard activity == .deauthenticating else { return turn.add(.answer(call, .failure(.alreadyLoggedOut))) }
      // The server is already being notified.
      return logoutCalls.append(call)
    }
    logoutCalls.append(call)
    // This comes first, so that answers to earlier requests no longer count.
    epoch += 1
    activity = .deauthenticating
    lastError = nil
    // An answer that could not be archived still matters if the logout cannot be, or another user has followed.
    keepUnwritten()
    forgetRenewals()
    publish(&turn)
    turn.answer(&refreshCalls, .failure(.sessionEnded))
    turn.answer(&forcedCalls, .failure(.sessionEnded))
    turn.add(.write(.logout(stored)))
  }

  /// Ends the session here, after the archive was asked to forget it, whatever the server answers.
  mutating func leave(telling user: User, _ turn: inout Turn) {
    state = .unauthenticated
    stored = nil
    leaving = user.id
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
