import Foundation
import Signals

@testable import Contexts

/// A server whose answers a script sends, even late ones.
final class ScriptedServer: SessionServer {
  enum Request: Sendable {
    case login(@Sendable (Result<Account, ContextError>) -> Void)
    case refresh(StoredSession<Account>, @Sendable (RefreshAnswer<Account>, @escaping @Sendable () -> Void) -> Void)
    case logout(@Sendable (ContextError?) -> Void)

    var kind: String {
      switch self {
      case .login: "login"
      case .refresh: "refresh"
      case .logout: "logout"
      }
    }
  }

  private let lock = Lock()
  private nonisolated(unsafe) var all: [Request] = []  // Sound: guarded by the lock, like the next one.
  private nonisolated(unsafe) var isTrusting: Bool? = false

  var requests: [Request] { lock.withLock { all } }

  /// A Boolean value that indicates whether sessions need no renewal, or `nil` without a delegate.
  var trusts: Bool? {
    get { lock.withLock { isTrusting } }
    set { lock.withLock { isTrusting = newValue } }
  }

  func shouldRefresh(_ user: Account, isStartup: Bool) -> Bool? { trusts.map { !$0 } }

  func authenticate(_ answer: @escaping @Sendable (Result<Account, ContextError>) -> Void) {
    lock.withLock { all.append(.login(answer)) }
  }

  func refresh(
    _ session: StoredSession<Account>,
    _ answer: @escaping @Sendable (RefreshAnswer<Account>, @escaping @Sendable () -> Void) -> Void
  ) {
    lock.withLock { all.append(.refresh(session, answer)) }
  }

  func deauthenticate(_ user: Account, _ answer: @escaping @Sendable (ContextError?) -> Void) {
    lock.withLock { all.append(.logout(answer)) }
  }
}
