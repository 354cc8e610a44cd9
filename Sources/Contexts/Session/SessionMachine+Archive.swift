extension SessionMachine {
  // MARK: Changes

  mutating func update(
    _ body: @escaping @Sendable (inout User) throws -> Void, _ call: Call, _ turn: inout Turn
  ) {
    if state == .restoring { return turn.add(.answer(call, .failure(.notSetUp))) }
    guard let stored else { return turn.add(.answer(call, .failure(.notAuthenticated))) }
    turn.add(.write(.update(body, of: stored, call)))
  }

  // MARK: Answers of the archive

  mutating func written(_ new: StoredSession<User>, _ write: SessionWrite<User>, _ turn: inout Turn) {
    revision = max(revision, new.revision)
    // The session that was left is no longer archived.
    if new.session != leftSession { leftSession = nil }
    switch write {
    case .login(let user, let call):
      // An answer for an earlier session of the user no longer matters.
      late[user.id] = nil
      keepUnwritten(unlessOf: user.id)
      loggedIn(new, call, &turn)
      writeLateAnswers(true, &turn)
    case .reopen(let id, let call):
      // The write included the answer.
      late[id] = nil
      keepUnwritten(unlessOf: id)
      reopened(new, call, &turn)
      writeLateAnswers(true, &turn)
    case .renewal: renewed(new, isFresh: true, &turn)
    case .update(_, _, let call):
      follow(new, &turn)
      turn.add(.answer(call, .success(new.user)))
    case .logout(let old):
      late[old.user.id] = nil
      leave(telling: old.user, &turn)
    case .end:
      leave(lastError ?? .sessionEnded, &turn)
    case .setAside:
      lastError = nil
      leave(.sessionEnded, &turn)
    // These are settled.
    case .late, .lateEnd, .endKept: break
    }
  }

  mutating func notWritten(_ error: ContextError, _ write: SessionWrite<User>, _ turn: inout Turn) {
    switch write {
    case .login(_, let call):
      guard let call else { return loginFailed(error, &turn) }
      turn.add(.answer(call, .failure(error)))
    case .renewal(let renewal):
      // The server may give a token only once, so the write is retried, not the request.
      unwritten = renewal
      refreshFailed(error, &turn)
    case .update(_, _, let call), .reopen(_, let call), .endKept(_, let call):
      turn.add(.answer(call, .failure(error)))
    case .setAside:
      // The session would be lost if it were neither archived nor shown.
      turn.answer(&logoutCalls, .failure(error))
    case .late, .lateEnd: lateAnswerFailed(write, error, &turn)
    case .logout(let old):
      // The user is logged out here all the same. The caller must know, because the next start would restore the user.
      lastError = error
      leftSession = old.session
      turn.answer(&logoutCalls, .failure(error))
      leave(telling: old.user, &turn)
      // The archived session goes on in another process, or at the next start, and its token may be used up.
      writeLateAnswers(true, &turn)
    case .end(let attempt):
      lastError = error
      leftSession = attempt.session.session
      leave(error, &turn)
    }
  }

  mutating func superseded(
    _ restoration: Restoration<User>, _ write: SessionWrite<User>, _ turn: inout Turn
  ) {
    if case .endKept(let old, let call) = write {
      // Another process has made the user the current one again.
      found(restoration, &turn)
      if stored?.user.id == old.user.id { return logout(call, &turn) }
      return turn.add(.answer(call, .failure(.alreadyLoggedOut)))
    }
    activity = .idle
    if case .logout(let old) = write {
      if policy.keepsSessions { return replaced(old, by: restoration, &turn) }
      // The session has ended in another process, and the answer that the logout has kept no longer matters.
      late[old.user.id] = nil
    }
    // The vault has archived an answer, or found that it no longer matters.
    if write.attempt != nil { unwritten = nil }
    if let attempt = write.attempt, case .user(let new) = restoration, new.session == attempt.session.session,
      new.user.id == attempt.session.user.id
    {
      if new.generation != attempt.session.generation { return renewed(new, isFresh: false, &turn) }
      // The process that took the renewal over has not completed it yet. Wait for its session.
      return beginRefresh(&turn)
    }
    replace(by: restoration, &turn)
    if case .update(_, _, let call) = write { turn.add(.answer(call, .failure(.endedElsewhere))) }
    turn.answer(&logoutCalls, .success(nil))
  }

  /// Ends the session of a user whom another process has replaced when the logout was to be archived.
  private mutating func replaced(
    _ old: StoredSession<User>, by restoration: Restoration<User>, _ turn: inout Turn
  ) {
    let calls = exchange(&logoutCalls, with: [])
    replace(by: restoration, &turn)
    for call in calls {
      if stored?.user.id == old.user.id { logout(call, &turn) } else { turn.add(.write(.endKept(old, call))) }
    }
  }

  // MARK: Other processes

  /// Handles a change of the archive by another process.
  mutating func found(_ restoration: Restoration<User>, _ turn: inout Turn) {
    guard state != .restoring else { return }
    switch restoration {
    case .noUser(let revision):
      guard revision > self.revision else { return }
    case .user(let new):
      guard new.revision > revision else { return }
      if let stored, stored.session == new.session, stored.user.id == new.user.id {
        revision = new.revision
        return follow(new, &turn)
      }
      if stored == nil, new.session == leftSession { return revision = new.revision }
    case .failed(let error):
      lastError = error
      return publish(&turn)
    }
    replace(by: restoration, &turn)
  }

  /// Adopts the same session with a different content.
  mutating func follow(_ new: StoredSession<User>, _ turn: inout Turn) {
    if new.generation > (stored?.generation ?? 0), activity != .refreshing {
      enter(new, &turn)
    } else {
      // A renewal in progress will find the other process's session in the archive.
      stored = new
      revision = max(revision, new.revision)
      let isOver = new.user.isExpired(at: turn.now)
      if state == .authenticated {
        if isOver { state = .presession }
        if activity != .refreshing, retryDate == nil {
          refreshDate = isOver ? turn.now : new.user.expiration.map { policy.refreshDate(of: $0, from: turn.now) }
        }
      }
    }
    publish(&turn)
  }

  /// Replaces the session with another one, or with none.
  mutating func replace(by restoration: Restoration<User>, _ turn: inout Turn) {
    let hadUser = stored != nil
    keepUnwritten()
    defer { writeLateAnswers(true, &turn) }
    switch restoration {
    case .failed(let error):
      lastError = error
      leave(error, &turn)
    case .noUser(let revision):
      self.revision = max(self.revision, revision)
      guard hadUser else { return }
      lastError = .endedElsewhere
      leave(.endedElsewhere, &turn)
    case .user(let new):
      epoch += 1
      activity = .idle
      lastError = hadUser ? .endedElsewhere : nil
      enter(new, &turn)
      publish(&turn)
      endCalls(logins: .failure(.alreadyAuthenticated(userID: new.user.id)), .endedElsewhere, &turn)
      if state == .presession { beginRefresh(&turn) }
    }
  }
}
