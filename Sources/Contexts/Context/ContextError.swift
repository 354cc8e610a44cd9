import FileSignals
public import Foundation
import Stores

/// An error in an operation on a session.
///
/// Regardless of the error, ``StandardAppContext/status`` shows the session as it is. No error prints the words of a
/// server: see ``ServerFailure``.
@nonexhaustive
public enum ContextError: Error, Hashable, Sendable {
  /// `setup` has not been called, so it is not known whether there is a user.
  case notSetUp

  /// A user is already logged in.
  case alreadyAuthenticated(userID: String)

  /// No user is logged in, and the operation needs one.
  case notAuthenticated

  /// A logout found no user.
  ///
  /// The user may have been logged out in the meantime, such as by another process.
  case alreadyLoggedOut

  /// No delegate was set, or it has been released.
  case noDelegate(operation: String)

  /// The delegate could not log a user in.
  case authenticationFailed(ServerFailure)

  /// The session could not be renewed this time.
  ///
  /// The renewal is tried again.
  case refreshFailed(ServerFailure)

  /// Another process began to renew the session, and has not finished within ``SessionPolicy/lockTimeout``.
  ///
  /// It may be stopped, and may have used the token. The renewal is tried again later.
  case refreshBlocked(processID: Int32)

  /// The session that the server has just issued has already expired, by this much, according to this device's clock.
  ///
  /// The session is kept in the state ``AuthState/presession``, and the renewal is tried again.
  case expiredOnArrival(by: Duration)

  /// The server has refused the session for good, and the user is logged out.
  case rejected(ServerFailure)

  /// The server could not be notified of a logout.
  ///
  /// The user is logged out all the same.
  case deauthenticationFailed(ServerFailure)

  /// A change would have given the session to another user.
  case differentUser(expected: String, found: String)

  /// The session was ended during the call, by a logout or another login.
  case sessionEnded

  /// Another process has logged the user out, or has logged another user in.
  case endedElsewhere

  /// No user with this identity has ever logged in, or all data of the user was removed.
  case unknownUser(userID: String)

  /// The user is known, but has no session that could be reopened.
  ///
  /// The user has logged out, the server has refused the session, or it was not kept.
  case noSession(userID: String)

  /// The policy would retry without a pause, never wait for another process, or does not allow the call.
  case invalidPolicy(reason: String)

  /// The active environment was switched before the call ended.
  ///
  /// A result that came after the switch was dropped. The session of the environment that is active now is not
  /// affected.
  case environmentSwitched

  /// The contents of the directory are switched between environments, so a session in it needs a scope.
  ///
  /// - Parameters:
  ///   - path: The path to open.
  ///   - root: The root directory of the `AppContainer` that switches it.
  case switchedDirectory(path: String, root: String)

  /// A session in a scope names a place outside the scope, which all environments would share.
  ///
  /// - Parameters:
  ///   - place: The path, or the type of a store of secrets that is not in files.
  ///   - root: The root directory of the scope.
  case outsideScope(place: String, root: String)

  /// The configured archive is empty, and the sessions of the root are in another archive.
  ///
  /// - Parameters:
  ///   - path: The other archive.
  ///   - configured: The archive that ``ContextConfiguration/archiveLocation`` names.
  case otherArchive(path: String, configured: String)

  /// The archive, or the record of renewals beside it, could not be read or written.
  ///
  /// It is unchanged.
  case archive(path: String, operation: String, reason: String)

  /// This process is suspended in the directory of the session; see `AppGroupsContainer`.
  case suspended(path: String, operation: String)

  /// A user could not be encoded, or not as an object, and was not archived.
  case unencodableUser(userID: String, reason: String)

  /// An archived user could not be decoded.
  ///
  /// It stays in the archive.
  case undecodableUser(userID: String, version: Int, reason: String)

  /// An archived user has another model version, and was not migrated.
  ///
  /// It stays in the archive.
  case notMigrated(userID: String, from: Int, to: Int, reason: String)

  /// A secret could not be read, written or removed.
  case secret(SecretStoreError)
}

extension ContextError: CustomStringConvertible, LocalizedError {
  /// A description of the failure and its remedy.
  public var description: String {
    switch self {
    case .notSetUp:
      "The archive has not been read yet. Call setup(authDelegate:) first."
    case .alreadyAuthenticated(let userID):
      "The user \(userID.debugDescription) is already logged in. Log out before you log in again."
    case .notAuthenticated:
      "No user is logged in. Log in first."
    case .alreadyLoggedOut:
      "Can't log out: no user is logged in. Nothing has changed, so you can ignore this error. To avoid it, check user "
        + "before you call logout()."
    case .noDelegate(let operation):
      "Can't \(operation): no delegate is set, or it has been released. Keep a strong reference to the delegate, and "
        + "pass it to setup(authDelegate:)."
    case .authenticationFailed(let failure):
      "The login failed: \(failure)."
    case .refreshFailed(let failure):
      "The session could not be renewed: \(failure). The renewal will be retried."
    case .refreshBlocked(let processID):
      "The session could not be renewed: process \(processID) began to renew it and has not finished. If that process "
        + "is suspended, resume or end it. The renewal will be retried."
    case .expiredOnArrival(let difference):
      "The session that the server just issued expired \(difference.components.seconds) seconds ago according to this "
        + "device's clock. Correct the clock, or return the server's time from SessionUser.issued."
    case .rejected(let failure):
      "The server no longer accepts the session: \(failure). Log in again."
    case .deauthenticationFailed(let failure):
      "The user is logged out, but the server could not be notified: \(failure)."
    case .differentUser(let expected, let found):
      "Can't change the session's user from \(expected.debugDescription) to \(found.debugDescription). Log out first."
    case .sessionEnded:
      "The session ended during the call, so the result was discarded. Check the status before you call again."
    case .endedElsewhere:
      "Another process logged the user out, or logged in another user."
    case .unknownUser(let userID):
      "The user \(userID.debugDescription) is unknown: no data of this user is stored. Use an identity from "
        + "historyUsers, spelled exactly as it is there."
    case .noSession(let userID):
      "Can't reopen the session of the user \(userID.debugDescription): it has ended, or was not kept. Log in with "
        + "triggerLogin()."
    case .invalidPolicy(let reason):
      "Can't use this SessionPolicy: \(clause(reason))."
    case .environmentSwitched:
      "The active environment was switched during the call, so the result was discarded. Check the status, and call "
        + "again for the environment that is active now."
    case .switchedDirectory(let path, let root):
      "Can't open a session in \(path) without a scope: an AppContainer switches the contents of \(root) between "
        + "environments, and the session would not follow. Use StandardAppContext(scope:) with the container's scope, "
        + "choose a directory outside that root, or exclude its directory from switching."
    case .outsideScope(let place, let root):
      "Can't use \(place) for sessions in the scope of \(root): all environments would share it. Choose a location "
        + "below that root, or omit it from the configuration to use the default."
    case .otherArchive(let path, let configured):
      "Can't use the empty archive \(configured): the sessions of this root are archived in \(path). Name that archive "
        + "in ContextConfiguration.archiveLocation, or delete it to log all users out."
    case .archive(let path, let operation, let reason):
      "Could not \(operation) the archive \(path): \(clause(reason))."
    case .suspended(let path, let operation):
      "Can't \(operation) the session in \(path): this process is suspended in its container. Try again after resume() "
        + "of the AppGroupsContainer."
    case .unencodableUser(let userID, let reason):
      "The user \(userID.debugDescription) was not archived, because it could not be encoded: \(clause(reason))."
    case .undecodableUser(let userID, let version, let reason):
      "The archived user \(userID.debugDescription) of version \(version) could not be decoded: "
        + "\(clause(reason)). The archive is unchanged."
    case .notMigrated(let userID, let from, let to, let reason):
      "The archived user \(userID.debugDescription) could not be migrated from version \(from) to \(to): "
        + "\(clause(reason)). The archive is unchanged."
    case .secret(let error):
      error.description
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}

extension ContextError {
  /// Returns a Boolean value that indicates whether an operation failed because this process is suspended.
  static func isAboutSuspension(_ error: any Error) -> Bool {
    switch error {
    case DurableFileError.suspended, DatabaseError.suspended, ContextError.suspended: true
    default: false
    }
  }
}
