import Foundation

/// The state of a session as a value, which computes the effects of each event.
///
/// It performs no effects itself and reads no clock, so that tests can cover every path. Its rules:
///
/// - **Epochs.** Each request to the server belongs to an epoch. Each login and each logout begins a new one. An answer
///   of an earlier epoch changes nothing.
/// - **Archive first.** Nothing becomes visible before it is archived.
/// - **Answers.** Each call is answered exactly once.
/// - **Renewals.** One renewal is in progress at a time. Calls made during it receive its answer.
struct SessionMachine<User: SessionUser>: Sendable {
  typealias Event = SessionEvent<User>
  typealias Effect = SessionEffect<User>
  typealias Call = SessionEvent<User>.Call

  let policy: SessionPolicy

  var state = AuthState.restoring
  var activity = AuthActivity.idle
  var lastError: ContextError?

  /// The archived session, which exists in the states ``AuthState/presession`` and ``AuthState/authenticated``.
  var stored: StoredSession<User>?

  /// The number of logins and logouts.
  ///
  /// Answers of earlier epochs are dropped.
  var epoch = 0

  /// The number of requests for renewal.
  var flight = 0

  /// The number of renewals that have failed in a row.
  var failures = 0

  /// A renewal that could not be archived, with a token that the server gives only once.
  var unwritten: Renewal<User>?

  /// The answers for users who have left that could not be archived so far, by their identities.
  ///
  /// They are written again until that succeeds.
  var late: [String: LateAnswer<User>] = [:]

  /// The identity of the user of whose logout the server was notified last.
  var leaving: String?

  /// The session that was left here although the archive could not be written.
  ///
  /// It is not entered again. It is `nil` once this process has archived the end of that session.
  var leftSession: Int?

  /// A Boolean value that indicates whether a renewal was given up because there was no delegate.
  var lacksDelegate = false

  /// A Boolean value that indicates whether a delegate was set after the current renewal began.
  var hasNewDelegate = false

  /// The newest known revision of the archive.
  var revision = 0

  var loginCalls: [Call] = []
  var refreshCalls: [Call] = []
  /// The calls that want another renewal after the current one.
  var forcedCalls: [Call] = []
  var logoutCalls: [Call] = []

  /// The dates of the next renewal and the next retry.
  var refreshDate: Date?
  var retryDate: Date?

  /// Handles an event, and returns its effects in order.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: The time of the wall clock.
  ///   - chance: A random number from 0 to 1, for jitter.
  /// - Returns: The effects.
  mutating func handle(_ event: Event, now: Date, chance: Double) -> [Effect] {
    var turn = Turn(now: now, chance: chance)
    handle(event, &turn)
    return turn.effects
  }

  mutating func handle(_ event: Event, _ turn: inout Turn) {
    switch event {
    case .restored(let restoration, let call): restored(restoration, call, &turn)
    case .decided(let refresh, let epoch): decided(refresh, epoch, &turn)
    case .login(let call): login(call, &turn)
    case .start(let user, let call, let replacing): start(user, call, replacing, &turn)
    case .reopen(let userID, let call): reopen(userID, call, &turn)
    case .loginAnswered(let result, let epoch): loginAnswered(result, epoch, &turn)
    case .refresh(let call, let isForced): refresh(call, isForced, &turn)
    case .valid(let call): valid(call, &turn)
    case .refreshAnswered(let answer, let epoch, let flight): refreshAnswered(answer, epoch, flight, &turn)
    case .update(let body, let call): update(body, call, &turn)
    case .logout(let call): logout(call, &turn)
    case .setAside(let call): setAside(call, &turn)
    case .bound(let request, let session): handle(request, boundTo: session, &turn)
    case .logoutAnswered(let error, let epoch): logoutAnswered(error, epoch, &turn)
    case .keptLogoutAnswered(let error, let call): keptLogoutAnswered(error, call, &turn)
    case .written(let new, let write): written(new, write, &turn)
    case .notWritten(let error, let write): notWritten(error, write, &turn)
    case .settled(let restoration, let write, let user): settled(restoration, write, user, &turn)
    case .superseded(let restoration, let write): superseded(restoration, write, &turn)
    case .wake(let isResuming):
      wake(isResuming, &turn)
      // The writes come last, because they set the alarm again if they fail.
      writeLateAnswers(isResuming, &turn)
    case .delegateSet: delegateSet(&turn)
    case .found(let restoration): found(restoration, &turn)
    }
  }

  /// The handling of one event: its time and its effects.
  struct Turn {
    let now: Date
    let chance: Double
    var effects: [Effect] = []

    mutating func add(_ effect: Effect) {
      effects.append(effect)
    }

    mutating func answer(_ calls: inout [Call], _ result: Result<User?, ContextError>) {
      for call in calls { effects.append(.answer(call, result)) }
      calls = []
    }
  }

  // MARK: Common steps

  /// The next date at which the session needs attention.
  private var wakeDate: Date? {
    let expiration = state == .authenticated ? stored?.user.expiration : nil
    let dates = stored == nil ? [] : [retryDate, refreshDate, expiration]
    return (dates + late.values.map(\.retryDate)).compactMap(\.self).min()
  }

  /// Shows the state, and sets the alarm to the next date.
  mutating func publish(_ turn: inout Turn) {
    turn.add(.publish)
    turn.add(.wake(at: wakeDate))
  }

  /// Makes an archived session the current one.
  mutating func enter(_ new: StoredSession<User>, _ turn: inout Turn) {
    stored = new
    revision = max(revision, new.revision)
    forgetRenewals()
    if new.user.isExpired(at: turn.now) {
      state = .presession
      refreshDate = turn.now
    } else {
      state = .authenticated
      refreshDate = new.user.expiration.map { policy.refreshDate(of: $0, from: turn.now) }
    }
  }

  /// The answers that a write of the archive can include.
  var unwrittenAnswers: UnwrittenAnswers<User> {
    UnwrittenAnswers(current: unwritten, late: late.mapValues(\.write))
  }

  /// The users whose next token is in memory only, so that no other process may use the old one.
  var usersWithUnwrittenAnswers: Set<String> {
    Set(late.keys).union([unwritten?.attempt.session.user.id].compactMap(\.self))
  }

  /// Forgets pending renewals and their dates.
  mutating func forgetRenewals() {
    unwritten = nil
    failures = 0
    refreshDate = nil
    retryDate = nil
    lacksDelegate = false
  }

  /// Forgets the session, and answers all calls that wait for it.
  mutating func leave(_ error: ContextError, _ turn: inout Turn) {
    epoch += 1
    state = .unauthenticated
    activity = .idle
    stored = nil
    forgetRenewals()
    publish(&turn)
    endCalls(logins: .failure(error), error, &turn)
  }

  /// Answers all calls, because the session has changed.
  mutating func endCalls(logins: Result<User?, ContextError>, _ renewals: ContextError, _ turn: inout Turn) {
    turn.answer(&loginCalls, logins)
    turn.answer(&refreshCalls, .failure(renewals))
    turn.answer(&forcedCalls, .failure(renewals))
    turn.answer(&logoutCalls, .success(nil))
  }
}

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
