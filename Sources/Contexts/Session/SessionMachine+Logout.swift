extension SessionMachine {
  mutating func logout(_ call: Call, _ turn: inout Turn) {
    if state == .restoring { return turn.add(.answer(call, .failure(.notSetUp))) }
    if activity == .authenticating {
      // Whoever logs in does not want to any more.
      leave(.sessionEnded, &turn)
      return turn.add(.answer(call, .success(nil)))
    }
    guard let stored else { return turn.add(.answer(call, .failure(.notAuthenticated))) }
    logoutCalls.append(call)
    if activity == .deauthenticating { return }
    // Before anything else, so that no answer under way counts any more.
    epoch += 1
    activity = .deauthenticating
    lastError = nil
    refreshDate = nil
    retryDate = nil
    unwritten = nil
    publish(&turn)
    turn.answer(&refreshCalls, .failure(.sessionEnded))
    turn.answer(&forcedCalls, .failure(.sessionEnded))
    turn.add(.write(.logout(stored)))
  }

  mutating func logoutAnswered(_ error: ContextError?, _ epoch: Int, _ turn: inout Turn) {
    guard epoch == self.epoch, activity == .deauthenticating else { return }
    if let error { lastError = error }
    leave(.sessionEnded, &turn)
  }
}
