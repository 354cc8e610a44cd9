extension SessionMachine {
  // MARK: Start

  mutating func restored(_ restoration: Restoration<User>, _ call: Call, _ turn: inout Turn) {
    guard state == .restoring else { return turn.add(.answer(call, .success(stored?.user))) }
    switch restoration {
    case .noUser(let revision):
      self.revision = revision
      state = .unauthenticated
      publish(&turn)
    case .failed(let error):
      lastError = error
      state = .unauthenticated
      publish(&turn)
      // Unlike a damaged archive, this is a programming error.
      if case .otherArchive = error { return turn.add(.answer(call, .failure(error))) }
    case .user(let new):
      epoch += 1
      stored = new
      revision = new.revision
      state = .presession
      publish(&turn)
      turn.add(.decide(new.user, isStartup: true, epoch: epoch))
    }
    turn.add(.answer(call, .success(stored?.user)))
  }

  mutating func decided(_ refresh: Bool, _ epoch: Int, _ turn: inout Turn) {
    guard epoch == self.epoch, activity == .idle, let stored else { return }
    if refresh || stored.user.isExpired(at: turn.now) { return beginRefresh(&turn) }
    if state == .presession {
      state = .authenticated
      refreshDate = stored.user.expiration.map { policy.refreshDate(of: $0, from: turn.now) }
      return publish(&turn)
    }
    // The delegate trusts the session until it expires.
    refreshDate = nil
    publish(&turn)
  }

  // MARK: Login

  mutating func login(_ call: Call, _ turn: inout Turn) {
    switch state {
    case .restoring: return turn.add(.answer(call, .failure(.notSetUp)))
    case .presession, .authenticated:
      return turn.add(.answer(call, .failure(.alreadyAuthenticated(userID: stored?.user.id ?? ""))))
    case .unauthenticated: break
    }
    loginCalls.append(call)
    if activity == .authenticating { return }
    // The server may still be processing the last logout.
    turn.answer(&logoutCalls, .success(nil))
    epoch += 1
    activity = .authenticating
    lastError = nil
    publish(&turn)
    turn.add(.authenticate(epoch: epoch))
  }

  mutating func loginAnswered(_ result: Result<User, ContextError>, _ epoch: Int, _ turn: inout Turn) {
    guard epoch == self.epoch, activity == .authenticating else { return }
    switch result {
    case .success(let user): turn.add(.write(.login(user, nil)))
    case .failure(let error): loginFailed(error, &turn)
    }
  }

  mutating func loginFailed(_ error: ContextError, _ turn: inout Turn) {
    activity = .idle
    lastError = error
    publish(&turn)
    turn.answer(&loginCalls, .failure(error))
  }

  mutating func start(_ user: User, _ call: Call, _ replacing: Bool, _ turn: inout Turn) {
    if state == .restoring { return turn.add(.answer(call, .failure(.notSetUp))) }
    if let stored, !replacing {
      return turn.add(.answer(call, .failure(.alreadyAuthenticated(userID: stored.user.id))))
    }
    turn.add(.write(.login(user, call)))
  }

  mutating func loggedIn(_ new: StoredSession<User>, _ call: Call?, _ turn: inout Turn) {
    if call != nil { epoch += 1 }
    activity = .idle
    lastError = nil
    enter(new, &turn)
    if call == nil { lastError = arrivalError(of: new.user, turn) }
    publish(&turn)
    endCalls(logins: call == nil ? .success(new.user) : .failure(.sessionEnded), .sessionEnded, &turn)
    if let call { turn.add(.answer(call, .success(new.user))) }
    if state == .presession { beginRefresh(&turn) }
  }
}

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
    keepUnwritten(ifSessionMayStay: true)
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
