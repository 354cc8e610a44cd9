import Foundation

/// What happens to a session.
enum SessionEvent<User: SessionUser>: Sendable {
  /// Somebody waits to be answered.
  typealias Call = Int

  // MARK: At the start
  case restored(Restoration<User>, Call)

  // MARK: What is asked for
  case login(Call)
  case start(User, Call, replacing: Bool)
  case refresh(Call, isForced: Bool)
  case valid(Call)
  case update(@Sendable (inout User) throws -> Void, Call)
  case logout(Call)

  // MARK: What the delegate answers, in which epoch it was asked, and for which flight
  case decided(refresh: Bool, epoch: Int)
  case loginAnswered(Result<User, ContextError>, epoch: Int)
  case refreshAnswered(RefreshAnswer<User>, epoch: Int, flight: Int)
  case logoutAnswered(ContextError?, epoch: Int)

  // MARK: What the archive answers
  case written(StoredSession<User>, SessionWrite<User>)
  case notWritten(ContextError, SessionWrite<User>)
  /// Nothing was written, because another process has begun or ended a session meanwhile, or taken over its renewal.
  case superseded(Restoration<User>, SessionWrite<User>)

  // MARK: What comes by itself
  /// The alarm rang, or the process goes on after it was suspended.
  case wake(isResuming: Bool)
  /// The application has set a delegate, the first or another one.
  case delegateSet
  /// What is in the archive, which another process has changed.
  case found(Restoration<User>)
}

extension SessionEvent {
  /// The user whose session the server has just issued, if the event is its answer.
  var arrivedUser: User? {
    switch self {
    case .loginAnswered(.success(let user), _): user
    case .refreshAnswered(.renewed(let renewal), _, _):
      // A delegate may return the session that it was given.
      renewal.user.issued == renewal.attempt.session.user.issued ? nil : renewal.user
    default: nil
    }
  }
}

/// What is in the archive about the current user.
enum Restoration<User: SessionUser>: Sendable {
  /// Nobody is logged in.
  case nobody(revision: Int)
  /// Somebody is.
  case user(StoredSession<User>)
  /// It cannot be told.
  case failed(ContextError)
}

/// A user as archived.
struct StoredSession<User: SessionUser>: Sendable {
  var user: User
  /// Which login it belongs to: a number that each login and each logout of any process raises.
  var session: Int
  /// How often the session has been renewed, by whomever.
  var generation: Int
  /// How often the archive has been written.
  var revision: Int
  /// The number of the environment whose archive has it; 0 without a scope.
  var environment = 0
}

/// What came of renewing a session.
enum RefreshAnswer<User: SessionUser>: Sendable {
  /// The server's answer.
  case renewed(Renewal<User>)
  /// Another process was faster, and this is what it has archived.
  case adopted(StoredSession<User>)
  /// The session has ended elsewhere; this is what is archived.
  case elsewhere(Restoration<User>)
  /// It did not work this time.
  case failed(ContextError)
  /// It will not work any more.
  case rejected(ServerFailure, RenewalAttempt<User>)
}

/// What is to be written into the archive.
enum SessionWrite<User: SessionUser>: Sendable {
  case login(User, SessionEvent<User>.Call?)
  case renewal(Renewal<User>)
  case update(@Sendable (inout User) throws -> Void, of: StoredSession<User>, SessionEvent<User>.Call)
  /// The session is over, because the user asked for it.
  case logout(StoredSession<User>)
  /// The session is over, because the server said so when it was to be renewed.
  case end(RenewalAttempt<User>)
}

extension SessionWrite {
  /// The session that must still be the current one.
  var session: StoredSession<User>? {
    switch self {
    case .login: nil
    case .update(_, let old, _), .logout(let old): old
    case .renewal, .end: attempt?.session
    }
  }

  /// The renewal that must not have been taken over.
  var attempt: RenewalAttempt<User>? {
    switch self {
    case .renewal(let renewal): renewal.attempt
    case .end(let attempt): attempt
    case .login, .update, .logout: nil
    }
  }
}

/// What follows from an event.
enum SessionEffect<User: SessionUser>: Sendable {
  /// Shows the state to everybody.
  case publish
  /// Asks the delegate whether to renew.
  case decide(User, isStartup: Bool, epoch: Int)
  case authenticate(epoch: Int)
  case refresh(StoredSession<User>, epoch: Int, flight: Int)
  case deauthenticate(User, epoch: Int)
  /// Writes at once, and says what came of it before anything else happens.
  case write(SessionWrite<User>)
  /// Wakes at a moment, or not.
  case wake(at: Date?)
  case answer(SessionEvent<User>.Call, Result<User?, ContextError>)
}
