import Foundation

/// An event in the life of a session.
enum SessionEvent<User: SessionUser>: Sendable {
  /// The number of a call that waits for an answer.
  typealias Call = Int

  // MARK: Start
  case restored(Restoration<User>, Call)

  // MARK: Requests
  case login(Call)
  case start(User, Call, replacing: Bool)
  case refresh(Call, isForced: Bool)
  case valid(Call)
  case update(@Sendable (inout User) throws -> Void, Call)
  case logout(Call)

  // MARK: Answers of the delegate, with the epoch and the flight of the request
  case decided(refresh: Bool, epoch: Int)
  case loginAnswered(Result<User, ContextError>, epoch: Int)
  case refreshAnswered(RefreshAnswer<User>, epoch: Int, flight: Int)
  case logoutAnswered(ContextError?, epoch: Int)

  // MARK: Answers of the archive
  case written(StoredSession<User>, SessionWrite<User>)
  case notWritten(ContextError, SessionWrite<User>)
  /// Nothing was written, because another process has begun or ended a session, or taken over its renewal.
  case superseded(Restoration<User>, SessionWrite<User>)

  // MARK: Other causes
  /// The alarm fired, or the process resumes after it was suspended.
  case wake(isResuming: Bool)
  /// The application has set a delegate, which may replace another one.
  case delegateSet
  /// Another process has changed the archive, which now has this content.
  case found(Restoration<User>)
}

extension SessionEvent {
  /// The user whose session the server has just issued, if the event is the server's answer.
  var arrivedUser: User? {
    switch self {
    case .loginAnswered(.success(let user), _): user
    case .refreshAnswered(.renewed(let renewal), _, _):
      // A delegate may return the session that it received.
      renewal.user.issued == renewal.attempt.session.user.issued ? nil : renewal.user
    default: nil
    }
  }
}

/// The current user according to the archive.
enum Restoration<User: SessionUser>: Sendable {
  /// No user is logged in.
  case noUser(revision: Int)
  /// A user is logged in.
  case user(StoredSession<User>)
  /// The archive or the user cannot be read.
  case failed(ContextError)
}

/// An archived user with the session.
struct StoredSession<User: SessionUser>: Sendable {
  var user: User
  /// The number of the session, which each login and logout of any process increments.
  var session: Int
  /// The number of renewals of the session, by all processes.
  var generation: Int
  /// The number of writes of the archive.
  var revision: Int
  /// The number of the environment that the archive belongs to; 0 without a scope.
  var environment = 0
}

/// The result of renewing a session.
enum RefreshAnswer<User: SessionUser>: Sendable {
  /// The server has renewed the session.
  case renewed(Renewal<User>)
  /// Another process was faster, and archived this session.
  case adopted(StoredSession<User>)
  /// The session has ended in another process, and this is the content of the archive.
  case elsewhere(Restoration<User>)
  /// The renewal failed and can be tried again.
  case failed(ContextError)
  /// The server refuses the session for good.
  case rejected(ServerFailure, RenewalAttempt<User>)
}

/// A change to write into the archive.
enum SessionWrite<User: SessionUser>: Sendable {
  case login(User, SessionEvent<User>.Call?)
  case renewal(Renewal<User>)
  case update(@Sendable (inout User) throws -> Void, of: StoredSession<User>, SessionEvent<User>.Call)
  /// The session ends because the user logs out.
  case logout(StoredSession<User>)
  /// The session ends because the server refused to renew it.
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

  /// The renewal that no other process may have taken over.
  var attempt: RenewalAttempt<User>? {
    switch self {
    case .renewal(let renewal): renewal.attempt
    case .end(let attempt): attempt
    case .login, .update, .logout: nil
    }
  }
}

/// An effect of an event.
enum SessionEffect<User: SessionUser>: Sendable {
  /// Shows the state to all subscribers.
  case publish
  /// Asks the delegate whether to renew.
  case decide(User, isStartup: Bool, epoch: Int)
  case authenticate(epoch: Int)
  case refresh(StoredSession<User>, epoch: Int, flight: Int)
  case deauthenticate(User, epoch: Int)
  /// Writes at once, and handles the result before anything else happens.
  case write(SessionWrite<User>)
  /// Sets the alarm, or removes it if the date is `nil`.
  case wake(at: Date?)
  case answer(SessionEvent<User>.Call, Result<User?, ContextError>)
}
