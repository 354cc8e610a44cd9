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
  /// Logs in a user whose session was kept.
  case reopen(userID: String, Call)
  case refresh(Call, isForced: Bool)
  case valid(Call)
  case update(@Sendable (inout User) throws -> Void, Call)
  case logout(Call)
  /// Logs the user out, and keeps the session.
  case setAside(Call)
  /// A request for the user who was shown when it was made, whom another one may have replaced since.
  indirect case bound(SessionEvent<User>, to: StoredSession<User>?)

  // MARK: Answers of the delegate, with the epoch and the flight of the request
  case decided(refresh: Bool, epoch: Int)
  case loginAnswered(Result<User, ContextError>, epoch: Int)
  case refreshAnswered(RefreshAnswer<User>, epoch: Int, flight: Int)
  case logoutAnswered(ContextError?, epoch: Int)
  /// The server was notified of the end of a kept session.
  case keptLogoutAnswered(ContextError?, Call)

  // MARK: Answers of the archive
  case written(StoredSession<User>, SessionWrite<User>)
  case notWritten(ContextError, SessionWrite<User>)
  /// A write about a user who has been replaced is archived, or no longer matters.
  ///
  /// The archive now has this content. The user is the one whose kept session has ended.
  case settled(Restoration<User>, SessionWrite<User>, User?)
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

  /// The revision of the archive after a write, if the write may have changed it.
  var archivedRevision: Int? {
    switch self {
    case .written(let session, _): session.revision
    case .found(let restoration), .superseded(let restoration, _), .settled(let restoration, _, _):
      restoration.revision
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

  /// The revision of the archive, if it was read.
  var revision: Int? {
    switch self {
    case .noUser(let revision): revision
    case .user(let session): session.revision
    case .failed: nil
    }
  }
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
  /// A kept session goes on.
  case reopen(String, SessionEvent<User>.Call)
  case renewal(Renewal<User>)
  case update(@Sendable (inout User) throws -> Void, of: StoredSession<User>, SessionEvent<User>.Call)
  /// The user leaves, and the session is kept.
  case setAside(StoredSession<User>)
  /// The session ends because the user logs out.
  case logout(StoredSession<User>)
  /// The kept session of a user ends, whom another one has replaced since the logout began.
  case endKept(StoredSession<User>, SessionEvent<User>.Call)
  /// The session ends because the server refused to renew it.
  case end(RenewalAttempt<User>)
  /// The session of a logged-out user was renewed.
  case late(Renewal<User>)
  /// The server has refused the session of a logged-out user.
  case lateEnd(RenewalAttempt<User>)
}

extension SessionWrite {
  /// The session that must still be the current one.
  var session: StoredSession<User>? {
    switch self {
    case .login, .reopen, .endKept: nil
    case .update(_, let old, _), .logout(let old), .setAside(let old): old
    case .renewal, .end, .late, .lateEnd: attempt?.session
    }
  }

  /// The renewal that no other process may have taken over.
  var attempt: RenewalAttempt<User>? {
    switch self {
    case .end(let attempt), .lateEnd(let attempt): attempt
    default: renewal?.attempt
    }
  }

  /// The renewal to archive.
  var renewal: Renewal<User>? {
    switch self {
    case .renewal(let renewal), .late(let renewal): renewal
    default: nil
    }
  }

  /// A Boolean value that indicates whether the write is about a user who has been replaced here.
  var isLate: Bool {
    switch self {
    case .late, .lateEnd: true
    default: false
    }
  }

  /// A Boolean value that indicates whether the application names the user who begins a session.
  var isRequestedLogin: Bool {
    switch self {
    case .login(_, let call): call != nil
    case .reopen: true
    default: false
    }
  }
}

/// The answers of the server that could not be archived so far.
struct UnwrittenAnswers<User: SessionUser>: Sendable {
  /// A renewal of the current session.
  var current: Renewal<User>?
  /// The answers for users who have been replaced, by their identities.
  var late: [String: SessionWrite<User>] = [:]
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
  /// Notifies the server of the end of a kept session, while another user may be logged in.
  case deauthenticateKept(User, SessionEvent<User>.Call)
  /// Writes at once, and handles the result before anything else happens.
  case write(SessionWrite<User>)
  /// Sets the alarm, or removes it if the date is `nil`.
  case wake(at: Date?)
  case answer(SessionEvent<User>.Call, Result<User?, ContextError>)
}
