import FileSignals
import Foundation

/// The server that the delegate represents.
///
/// One process of a root at a time asks it to renew the session of a user.
struct DelegateServer<User: SessionUser>: SessionServer {
  let controller: AuthController<User>
  let vault: SessionVault<User>
  let policy: SessionPolicy

  func shouldRefresh(_ user: User, isStartup: Bool) -> Bool? {
    controller.delegate?.shouldRefreshAuthentication(with: user, isStartup: isStartup)
  }

  func authenticate(_ answer: @escaping @Sendable (Result<User, ContextError>) -> Void) {
    Task {
      guard let delegate = controller.delegate else { return answer(.failure(.noDelegate(operation: "log in"))) }
      do {
        answer(.success(try await delegate.authenticate()))
      } catch {
        answer(.failure(.authenticationFailed(ServerFailure(error))))
      }
    }
  }

  func deauthenticate(_ user: User, _ answer: @escaping @Sendable (ContextError?) -> Void) {
    Task {
      guard let delegate = controller.delegate else { return answer(.noDelegate(operation: "log out")) }
      do {
        try await delegate.deauthenticate(user)
        answer(nil)
      } catch {
        answer(.deauthenticationFailed(ServerFailure(error)))
      }
    }
  }

  func refresh(
    _ session: StoredSession<User>,
    _ answer: @escaping @Sendable (RefreshAnswer<User>, _ end: @escaping @Sendable () -> Void) -> Void
  ) {
    Task {
      // Each user has a lock, so a slow renewal delays no other user.
      guard let refreshLockURL = vault.claims?.lockURL(of: session.user.id) else {
        return answer(await renew(RenewalAttempt(session: session, lock: nil))) {}
      }
      do {
        let (result, lock) = try await refresh(session, lockedBy: refreshLockURL)
        // The next process may ask only after the new session is archived.
        answer(result) { lock?.release() }
      } catch {
        if ContextError.isAboutSuspension(error) {
          return answer(.failed(.suspended(path: refreshLockURL.path, operation: "renew"))) {}
        }
        let failure = ContextError.archive(path: refreshLockURL.path, operation: "lock", reason: "\(error)")
        answer(.failed(await reason(for: failure, session, refreshLockURL))) {}
      }
    }
  }

  /// Returns the reason for a failure: the switch of environments, if one was in progress.
  private func reason(for failure: ContextError, _ session: StoredSession<User>, _ url: URL) async -> ContextError {
    guard vault.environments != nil else { return failure }
    let vault = vault.bound(to: session.environment)
    do {
      // Waits until no process switches environments.
      try await BlockingCalls.run(for: url) { try vault.locked {} }
      return failure
    } catch ContextError.environmentSwitched {
      return .environmentSwitched
    } catch {
      return failure
    }
  }

  /// Returns a Boolean value that indicates whether an attempt counts, unless it is known that another process has taken
  /// over the renewal.
  ///
  /// The answer may contain the only valid token. The archive repeats the check before it stores the answer.
  private func isPerhapsCurrent(_ attempt: RenewalAttempt<User>) -> Bool {
    tolerating(try attempt.isCurrent, else: true)
  }

  /// Renews a session under the lock, or finds the session that another process has renewed.
  ///
  /// - Returns: The answer, and the lock if it is held.
  private func refresh(
    _ session: StoredSession<User>, lockedBy url: URL
  ) async throws -> (RefreshAnswer<User>, RenewalLock?) {
    let vault = vault.bound(to: session.environment)
    while true {
      let known = try await BlockingCalls.run(for: url) { vault.knownClaim(of: session) }
      switch try await RenewalLock.acquire(on: url, within: policy.lockTimeout) {
      case .held(let lock):
        switch try await BlockingCalls.run(for: url, { vault.beginRenewal(of: session, under: lock) }) {
        case .answer(let answer): return (answer, lock)
        case .ask(let found):
          let attempt = RenewalAttempt(session: found, lock: lock)
          let answer = await renew(attempt)
          if isPerhapsCurrent(attempt) { return (answer, lock) }
          // The token of a kept session is used up, so the answer counts for the user who has been replaced.
          if try await BlockingCalls.run(for: url, { vault.hasSetAside(found) }) { return (answer, lock) }
        case .superseded: break
        }
        // Another process took the renewal over while this one was stopped. Its session counts, and this one's answer
        // does not.
        lock.release()
      case .busy(let place):
        let answer = try await BlockingCalls.run(for: url) {
          vault.takeOverRenewal(of: session, from: place, known: known, acceptsTokenReuse: policy.acceptsTokenReuse)
        }
        if let answer { return (answer, nil) }
      }
    }
  }

  private func renew(_ attempt: RenewalAttempt<User>) async -> RefreshAnswer<User> {
    guard let delegate = controller.delegate else { return .failed(.noDelegate(operation: "renew the session")) }
    do {
      let user = try await delegate.refreshAuthentication(with: attempt.session.user)
      return .renewed(Renewal(user: user, attempt: attempt))
    } catch let rejection as AuthRejection {
      return .rejected(ServerFailure(rejection), attempt)
    } catch {
      return .failed(.refreshFailed(ServerFailure(error)))
    }
  }
}

/// A server that answers an engine's requests later.
protocol SessionServer<User>: Sendable {
  associatedtype User: SessionUser

  /// Returns whether to renew, or `nil` if there is no delegate.
  func shouldRefresh(_ user: User, isStartup: Bool) -> Bool?
  func authenticate(_ answer: @escaping @Sendable (Result<User, ContextError>) -> Void)
  /// Renews a session.
  ///
  /// The caller calls `end` when the answer is archived, which lets other processes renew the session.
  func refresh(
    _ session: StoredSession<User>,
    _ answer: @escaping @Sendable (RefreshAnswer<User>, _ end: @escaping @Sendable () -> Void) -> Void)
  func deauthenticate(_ user: User, _ answer: @escaping @Sendable (ContextError?) -> Void)
}
