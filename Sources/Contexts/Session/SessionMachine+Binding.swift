/// Requests for the user who was shown when they were made.
///
/// A request waits for hooks, for the application and for the queue of the context. Meanwhile another user may follow.
/// Such a request leaves the next user's session alone.
extension SessionMachine {
  mutating func handle(_ request: Event, boundTo session: StoredSession<User>?, _ turn: inout Turn) {
    switch request {
    case .logout(let call):
      logout(call, of: session, &turn)
    case .setAside(let call):
      guard policy.keepsSessions else { return setAside(call, &turn) }
      guard let session else { return logout(call, of: nil, &turn) }
      if isCurrent(session) { return setAside(call, &turn) }
      // The change of users has kept the session.
      turn.add(.answer(call, stored == nil ? .failure(.alreadyLoggedOut) : .success(nil)))
    case .start(let user, let call, replacing: true):
      if state != .restoring, stored?.user.id != session?.user.id {
        return turn.add(.answer(call, .failure(.sessionEnded)))
      }
      start(user, call, true, &turn)
    case .refresh(let call, _), .valid(let call), .update(_, let call):
      if let session, stored != nil, !isCurrent(session) {
        return turn.add(.answer(call, .failure(.sessionEnded)))
      }
      handle(request, &turn)
    default:
      handle(request, &turn)
    }
  }

  private func isCurrent(_ session: StoredSession<User>) -> Bool { stored?.user.id == session.user.id }

  private mutating func logout(_ call: Call, of session: StoredSession<User>?, _ turn: inout Turn) {
    guard state != .restoring, let session else {
      // A login that began later, or ended before the logout was handled, has nothing to do with it.
      if stored != nil || activity == .authenticating {
        return turn.add(.answer(call, .failure(.alreadyLoggedOut)))
      }
      return logout(call, &turn)
    }
    if let stored, isCurrent(session) {
      // If sessions are not kept, another session of the same user began with a login of its own.
      if stored.session == session.session || policy.keepsSessions { return logout(call, &turn) }
      return turn.add(.answer(call, .failure(.sessionEnded)))
    }
    // The server is already being notified.
    if activity == .deauthenticating, leaving == session.user.id { return logoutCalls.append(call) }
    turn.add(.write(.endKept(session, call)))
  }

  mutating func keptLogoutAnswered(_ error: ContextError?, _ call: Call, _ turn: inout Turn) {
    if let error {
      lastError = error
      publish(&turn)
    }
    turn.add(.answer(call, .success(nil)))
  }
}
