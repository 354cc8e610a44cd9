import Dispatch
import FileSignals
import Foundation

/// The server as the delegate sees it, which one process of a root asks for renewal at a time.
struct DelegateServer<User: UserProtocol>: SessionServer {
  let controller: AuthController<User>
  let vault: SessionVault<User>
  /// What is locked while a session is renewed; `nil` if there are no other processes.
  let refreshLockURL: URL?

  func shouldRefresh(_ user: User, isStartup: Bool) -> Bool? {
    controller.delegate?.shouldRefreshAuthentication(with: user, isStartup: isStartup)
  }

  func authenticate(_ answer: @escaping @Sendable (Result<User, ContextError>) -> Void) {
    Task {
      guard let delegate = controller.delegate else { return answer(.failure(.noDelegate(operation: "log in"))) }
      do {
        answer(.success(try await delegate.authenticate()))
      } catch {
        answer(.failure(.authenticationFailed(reason: "\(error)")))
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
        answer(.deauthenticationFailed(reason: "\(error)"))
      }
    }
  }

  func refresh(
    _ session: StoredSession<User>,
    _ answer: @escaping @Sendable (RefreshAnswer<User>, _ done: @escaping @Sendable () -> Void) -> Void
  ) {
    Task {
      guard let refreshLockURL else { return answer(await renew(session.user)) {} }
      let held: HeldLock
      do {
        held = try await HeldLock(on: refreshLockURL)
      } catch {
        let failure = ContextError.archive(path: refreshLockURL.path, operation: "lock", reason: "\(error)")
        return answer(.failed(failure)) {}
      }
      let result = await renew(session, current: await look())
      // Only when the new session is archived may the next process ask.
      answer(result) { held.release() }
    }
  }

  /// What is archived by now, read where it does not block a thread that tasks run on.
  private func look() async -> Restoration<User> {
    await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .userInitiated).async { continuation.resume(returning: vault.look()) }
    }
  }

  private func renew(_ session: StoredSession<User>, current: Restoration<User>) async -> RefreshAnswer<User> {
    switch current {
    case .failed(let error): return .failed(error)
    case .nobody: return .elsewhere(current)
    case .user(let found):
      if found.session != session.session || found.user.id != session.user.id { return .elsewhere(current) }
      if found.generation != session.generation { return .adopted(found) }
      return await renew(found.user)
    }
  }

  private func renew(_ user: User) async -> RefreshAnswer<User> {
    guard let delegate = controller.delegate else { return .failed(.noDelegate(operation: "renew the session")) }
    do {
      return .renewed(Renewal(user: try await delegate.refreshAuthentication(with: user), base: user))
    } catch let rejection as AuthRejection {
      return .rejected(reason: rejection.reason)
    } catch {
      return .failed(.refreshFailed(reason: "\(error)"))
    }
  }
}
