public import Foundation

/// The reason why something could not be done about a session.
///
/// Whatever is thrown, the session is as ``StandardAppContext/status`` says. No error prints what a server said: see
/// ``ServerFailure``.
public enum ContextError: Error, Hashable, Sendable {
  /// `setup` has not been called, so nobody knows whether there is a user.
  case notSetUp

  /// There is a user already.
  case alreadyAuthenticated(userID: String)

  /// There is no user.
  case notAuthenticated

  /// No delegate was set, or it has been released.
  case noDelegate(operation: String)

  /// The delegate could not log anybody in.
  case authenticationFailed(ServerFailure)

  /// The session could not be renewed this time; it is tried again.
  case refreshFailed(ServerFailure)

  /// Another process began to renew the session, and has not ended within ``SessionPolicy/lockTimeout``.
  ///
  /// It may be stopped, and may have used the token. The renewal is tried again later.
  case refreshBlocked(processID: Int32)

  /// The session that the server has just issued is over by this device's clock, by this much.
  ///
  /// The session is kept in the state ``AuthState/presession``, and the renewal is tried again.
  case expiredOnArrival(by: Duration)

  /// The server has refused the session for good, and the user is logged out.
  case rejected(ServerFailure)

  /// The server could not be told that the user has logged out, which happened all the same.
  case deauthenticationFailed(ServerFailure)

  /// A user was to become another one.
  case differentUser(expected: String, found: String)

  /// The session has ended meanwhile: by a logout, or by another login.
  case sessionEnded

  /// Another process has logged the user out, or another one in.
  case endedElsewhere

  /// No user with this identity has ever logged in, or everything of theirs was removed.
  case unknownUser(userID: String)

  /// The policy would ask the server without a pause, or never wait for another process.
  case invalidPolicy(reason: String)

  /// The active environment was switched before the call ended.
  ///
  /// A result that came after the switch was dropped. The session of the environment that is active now is not affected.
  case environmentSwitched

  /// The contents of a directory are switched between environments, so a session in it needs a scope.
  ///
  /// - Parameters:
  ///   - path: The place that was to be opened.
  ///   - root: The root directory of the `AppContainer` that switches it.
  case switchedDirectory(path: String, root: String)

  /// A session in a scope was to use a place outside of it, where the environments would share it.
  ///
  /// - Parameters:
  ///   - place: The path, or the type of a store of secrets that is not in files.
  ///   - root: The root directory of the scope.
  case outsideScope(place: String, root: String)

  /// The configured archive is empty, and the root has another one, in which its sessions are.
  ///
  /// - Parameters:
  ///   - path: The other archive.
  ///   - configured: The archive that ``ContextConfiguration/archiveLocation`` names.
  case otherArchive(path: String, configured: String)

  /// The archive could not be read or written; it is as it was.
  case archive(path: String, operation: String, reason: String)

  /// A user could not be encoded, or not as an object, and was not archived.
  case unencodableUser(userID: String, reason: String)

  /// An archived user could not be decoded; it stays in the archive.
  case undecodableUser(userID: String, version: Int, reason: String)

  /// An archived user is of another version of the model, and was not migrated; it stays in the archive.
  case notMigrated(userID: String, from: Int, to: Int, reason: String)

  /// A secret could not be read, written or removed.
  case secret(SecretStoreError)
}

extension ContextError: CustomStringConvertible, LocalizedError {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .notSetUp:
      "The archive has not been read yet. Call setup(authDelegate:) first."
    case .alreadyAuthenticated(let userID):
      "The user \(userID.debugDescription) is logged in. Log out first, or replace the user on purpose."
    case .notAuthenticated:
      "Nobody is logged in. Log in first."
    case .noDelegate(let operation):
      "There is nobody to \(operation): the delegate is not set, or has been released. Keep a reference to it, and hand it "
        + "to setup(authDelegate:)."
    case .authenticationFailed(let failure):
      "Nobody was logged in: \(failure)."
    case .refreshFailed(let failure):
      "The session could not be renewed, and is tried again later: \(failure)."
    case .refreshBlocked(let processID):
      "The session is not renewed, because the process \(processID) is renewing it and does not come to an end. Continue "
        + "or end that process if it is stopped. The renewal is tried again later."
    case .expiredOnArrival(let difference):
      "The session that the server has just issued was over \(difference.components.seconds) seconds ago by this device's "
        + "clock. Set the clock, or return the server's time from SessionUser.issued."
    case .rejected(let failure):
      "The session is over, because the server does not accept it any more: \(failure). Log in again."
    case .deauthenticationFailed(let failure):
      "The user is logged out, but the server could not be told: \(failure)."
    case .differentUser(let expected, let found):
      "The user \(expected.debugDescription) cannot become \(found.debugDescription). Log out first."
    case .sessionEnded:
      "The session has ended meanwhile, and the answer was dropped."
    case .endedElsewhere:
      "Another process has ended the session."
    case .unknownUser(let userID):
      "There is nothing of a user \(userID.debugDescription) to remove. Use an identity of historyUsers, as it is spelt there."
    case .invalidPolicy(let reason):
      "Can't open sessions with this SessionPolicy: \(reason)"
    case .environmentSwitched:
      "The active environment was switched before the call ended, so its result was dropped. Look at the status, and call "
        + "again for the environment that is active now."
    case .switchedDirectory(let path, let root):
      "Can't open a session in \(path) without a scope: an AppContainer switches the contents of \(root) between "
        + "environments, and the session would not follow. Use StandardAppContext(scope:) with the container's scope, "
        + "choose a directory outside of that root, or exclude its directory from switching."
    case .outsideScope(let place, let root):
      "Can't use \(place) for sessions in the scope of \(root): all environments would share it. Choose a place below that "
        + "root, or leave it out of the configuration for the default."
    case .otherArchive(let path, let configured):
      "Can't use the empty archive \(configured): the sessions of this root are archived in \(path). Name that archive in "
        + "ContextConfiguration.archiveLocation, or remove it to log everybody out."
    case .archive(let path, let operation, let reason):
      "Could not \(operation) the archive \(path): \(reason)"
    case .unencodableUser(let userID, let reason):
      "The user \(userID.debugDescription) could not be encoded, and was not archived: \(reason)"
    case .undecodableUser(let userID, let version, let reason):
      "The archived user \(userID.debugDescription), of version \(version), could not be decoded and stays as it is: \(reason)"
    case .notMigrated(let userID, let from, let to, let reason):
      "The archived user \(userID.debugDescription) was not migrated from version \(from) to \(to) and stays as it is: "
        + reason
    case .secret(let error):
      error.description
    }
  }

  /// The same as ``description``.
  public var errorDescription: String? { description }
}
