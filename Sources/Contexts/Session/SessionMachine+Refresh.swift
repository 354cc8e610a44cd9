import Foundation
import Signals

extension SessionMachine {
  // MARK: Requests

  mutating func refresh(_ call: Call, _ isForced: Bool, _ turn: inout Turn) {
    guard mayBeRefreshed(call, &turn) else { return }
    if activity == .refreshing, isForced {
      forcedCalls.append(call)
    } else {
      refreshCalls.append(call)
      if activity != .refreshing { beginRefresh(&turn) }
    }
  }

  /// Handles a request for a user with a valid session.
  mutating func valid(_ call: Call, _ turn: inout Turn) {
    guard mayBeRefreshed(call, &turn), let stored else { return }
    if state == .authenticated, !stored.user.isExpired(at: turn.now) {
      return turn.add(.answer(call, .success(stored.user)))
    }
    refresh(call, false, &turn)
  }

  private func mayBeRefreshed(_ call: Call, _ turn: inout Turn) -> Bool {
    if state == .restoring {
      turn.add(.answer(call, .failure(.notSetUp)))
    } else if stored == nil {
      turn.add(.answer(call, .failure(.notAuthenticated)))
    } else {
      return true
    }
    return false
  }

  mutating func beginRefresh(_ turn: inout Turn) {
    guard let stored else { return }
    retryDate = nil
    refreshDate = nil
    if let unwritten { return turn.add(.write(.renewal(unwritten))) }
    flight += 1
    (lacksDelegate, hasNewDelegate) = (false, false)
    activity = .refreshing
    publish(&turn)
    turn.add(.refresh(stored, epoch: epoch, flight: flight))
  }

  // MARK: Answers

  mutating func refreshAnswered(
    _ answer: RefreshAnswer<User>, _ epoch: Int, _ flight: Int, _ turn: inout Turn
  ) {
    guard epoch == self.epoch else { return lateAnswer(answer, &turn) }
    guard flight == self.flight, activity == .refreshing, let stored else { return }
    switch answer {
    case .renewed(let renewal):
      guard renewal.user.id == stored.user.id else {
        return end(.differentUser(expected: stored.user.id, found: renewal.user.id), renewal.attempt, &turn)
      }
      turn.add(.write(.renewal(renewal)))
    // A newer one may have been found, or stored here, since it was read.
    case .adopted(let new): renewed(stored.revision > new.revision ? stored : new, isFresh: false, &turn)
    case .elsewhere(let restoration):
      activity = .idle
      replace(by: restoration, &turn)
    case .failed(let error): refreshFailed(error, &turn)
    case .rejected(let failure, let attempt): end(.rejected(failure), attempt, &turn)
    }
  }

  /// Ends a session that the server no longer accepts.
  private mutating func end(_ error: ContextError, _ attempt: RenewalAttempt<User>, _ turn: inout Turn) {
    lastError = error
    turn.add(.write(.end(attempt)))
  }

  /// Adopts a session that was renewed and archived, here or in another process.
  ///
  /// - Parameters:
  ///   - new: The session.
  ///   - isFresh: A Boolean value that indicates whether the server has just issued it.
  ///   - turn: The turn.
  mutating func renewed(_ new: StoredSession<User>, isFresh: Bool, _ turn: inout Turn) {
    let failures = failures
    activity = .idle
    lastError = nil
    enter(new, &turn)
    if state == .presession {
      if isFresh { lastError = arrivalError(of: new.user, turn) }
      // If a server issues expired sessions, do not ask it again at once.
      self.failures = failures
      retryLater(&turn)
    }
    publish(&turn)
    answerRefresh(.success(new.user), &turn)
  }

  /// Returns the error for a session that had already expired when the server issued it.
  func arrivalError(of user: User, _ turn: Turn) -> ContextError? {
    guard let expiration = user.expiration, user.isExpired(at: turn.now) else { return nil }
    // A century for a damaged date, which no duration can hold.
    return .expiredOnArrival(by: .seconds(min(turn.now.timeIntervalSince(expiration), 3e9)))
  }

  mutating func refreshFailed(_ error: ContextError, _ turn: inout Turn) {
    var isWithoutDelegate = false
    if case .noDelegate = error { isWithoutDelegate = true }
    if isWithoutDelegate, hasNewDelegate { return beginRefresh(&turn) }
    activity = .idle
    lastError = error
    if let stored, stored.user.isExpired(at: turn.now) { state = .presession }
    lacksDelegate = isWithoutDelegate
    // Without a delegate, a retry would be pointless.
    if isWithoutDelegate { retryDate = nil } else { retryLater(&turn) }
    publish(&turn)
    answerRefresh(.failure(error), &turn)
  }

  private mutating func answerRefresh(_ result: Result<User?, ContextError>, _ turn: inout Turn) {
    turn.answer(&refreshCalls, result)
    swap(&refreshCalls, &forcedCalls)
    if !refreshCalls.isEmpty { beginRefresh(&turn) }
  }

  private mutating func retryLater(_ turn: inout Turn) {
    failures += 1
    refreshDate = nil
    let pause = policy.retry.pause(after: failures, chance: turn.chance)
    retryDate = pause.map { turn.now.addingTimeInterval($0.inSeconds) }
  }

  // MARK: Time

  /// Handles a new delegate: begins the renewal that was given up because there was none.
  mutating func delegateSet(_ turn: inout Turn) {
    if activity == .refreshing { hasNewDelegate = true }
    if lacksDelegate, activity == .idle { beginRefresh(&turn) }
  }

  mutating func wake(_ isResuming: Bool, _ turn: inout Turn) {
    guard let stored else { return }
    if state == .authenticated, stored.user.isExpired(at: turn.now) {
      state = .presession
      publish(&turn)
      if activity == .idle, retryDate == nil { return beginRefresh(&turn) }
    }
    guard activity == .idle else { return }
    if let retryDate, retryDate <= turn.now { return beginRefresh(&turn) }
    if isResuming, state == .presession || retryDate != nil || lacksDelegate { return beginRefresh(&turn) }
    if let refreshDate, refreshDate <= turn.now {
      self.refreshDate = nil
      return turn.add(.decide(stored.user, isStartup: false, epoch: epoch))
    }
    publish(&turn)
  }
}
