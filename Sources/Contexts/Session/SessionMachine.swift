import Foundation

/// A session, as a value: what each event makes of it, and what is to be done then.
///
/// It does nothing itself and knows no time but what it is told, so that every path can be tried. Its rules:
///
/// - Whatever is asked of the server belongs to an epoch, and each login and each logout begins a new one. An answer of
///   an epoch that is over changes nothing.
/// - Nothing becomes visible before it is archived.
/// - Each call is answered exactly once.
/// - One request for renewal is under way at a time; who asks meanwhile gets its answer.
struct SessionMachine<User: SessionUser>: Sendable {
  typealias Event = SessionEvent<User>
  typealias Effect = SessionEffect<User>
  typealias Call = SessionEvent<User>.Call

  let policy: SessionPolicy

  var state = AuthState.restoring
  var activity = AuthActivity.idle
  var lastError: ContextError?

  /// The session as archived; there is one if the state is ``AuthState/presession`` or ``AuthState/authenticated``.
  var stored: StoredSession<User>?

  /// Counts logins and logouts; what was asked in another epoch is of no interest any more.
  var epoch = 0

  /// Counts requests for renewal.
  var flight = 0

  /// How many of them have failed in a row.
  var failures = 0

  /// A renewal that could not be written, with a token that the server gives only once.
  var unwritten: Renewal<User>?

  /// The session that was left here, though the archive could not be told: it is not entered again.
  var leftSession: Int?

  /// A Boolean value that indicates whether a renewal was given up because there was no delegate.
  var lacksDelegate = false

  /// A Boolean value that indicates whether a delegate was set since the renewal that is under way began.
  var hasNewDelegate = false

  /// The newest revision of the archive that is known.
  var revision = 0

  var loginCalls: [Call] = []
  var refreshCalls: [Call] = []
  /// Those who want another renewal after the one that is under way.
  var forcedCalls: [Call] = []
  var logoutCalls: [Call] = []

  /// When to renew, and when to try again.
  var refreshDate: Date?
  var retryDate: Date?

  init(policy: SessionPolicy) {
    self.policy = policy
  }

  /// What is to be done for an event, in this order.
  ///
  /// - Parameters:
  ///   - event: What has happened.
  ///   - now: What the wall clock shows.
  ///   - chance: A number from 0 to 1, for what is varied at random.
  /// - Returns: What to do.
  mutating func handle(_ event: Event, now: Date, chance: Double) -> [Effect] {
    var turn = Turn(now: now, chance: chance)
    switch event {
    case .restored(let restoration, let call): restored(restoration, call, &turn)
    case .decided(let refresh, let epoch): decided(refresh, epoch, &turn)
    case .login(let call): login(call, &turn)
    case .start(let user, let call, let replacing): start(user, call, replacing, &turn)
    case .loginAnswered(let result, let epoch): loginAnswered(result, epoch, &turn)
    case .refresh(let call, let isForced): refresh(call, isForced, &turn)
    case .valid(let call): valid(call, &turn)
    case .refreshAnswered(let answer, let epoch, let flight): refreshAnswered(answer, epoch, flight, &turn)
    case .update(let body, let call): update(body, call, &turn)
    case .logout(let call): logout(call, &turn)
    case .logoutAnswered(let error, let epoch): logoutAnswered(error, epoch, &turn)
    case .written(let new, let write): written(new, write, &turn)
    case .notWritten(let error, let write): notWritten(error, write, &turn)
    case .superseded(let restoration, let write): superseded(restoration, write, &turn)
    case .wake(let isResuming): wake(isResuming, &turn)
    case .delegateSet: delegateSet(&turn)
    case .found(let restoration): found(restoration, &turn)
    }
    return turn.effects
  }

  /// One event: when it happens, and what follows.
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

  // MARK: What several events have in common

  /// The moment at which something has to be done.
  private var wakeDate: Date? {
    guard let user = stored?.user else { return nil }
    let expiration = state == .authenticated ? user.expiration : nil
    return [retryDate, refreshDate, expiration].compactMap { $0 }.min()
  }

  /// Shows the state, and sees to it that the next moment is not missed.
  mutating func publish(_ turn: inout Turn) {
    turn.add(.publish)
    turn.add(.wake(at: wakeDate))
  }

  /// Takes an archived session for the current one.
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

  /// Forgets what was to be renewed, and when.
  mutating func forgetRenewals() {
    unwritten = nil
    failures = 0
    refreshDate = nil
    retryDate = nil
    lacksDelegate = false
  }

  /// Forgets the session, and all that was asked for it.
  mutating func leave(_ error: ContextError, _ turn: inout Turn) {
    epoch += 1
    state = .unauthenticated
    activity = .idle
    stored = nil
    forgetRenewals()
    publish(&turn)
    turn.answer(&loginCalls, .failure(error))
    turn.answer(&refreshCalls, .failure(error))
    turn.answer(&forcedCalls, .failure(error))
    turn.answer(&logoutCalls, .success(nil))
  }
}
