import Contexts
import Foundation
import Signals
import Stores
import TestSupport

/// A user with the environment of the login.
struct ScopedAccount: SessionUser, Equatable {
  let id: String
  var environment: String
  var token = 0
}

/// A row with the environment of its user.
struct Entry: StoreModel, Equatable {
  static let table = TableSpec("entry")
  var id: Int
  var environment: String
}

/// A server whose answers to logins and renewals a test can delay.
final class ScopedServer: AuthControllerDelegate {
  let renewals = MutableProperty(0)
  let trusts: Bool
  private let login: @Sendable () async throws -> ScopedAccount
  private let pause: @Sendable () async throws -> Void

  init(
    trusts: Bool = true, pause: @escaping @Sendable () async throws -> Void = {},
    login: @escaping @Sendable () async throws -> ScopedAccount = { throw AuthRejection(reason: "nobody") }
  ) {
    self.trusts = trusts
    self.login = login
    self.pause = pause
  }

  func authenticate() async throws -> ScopedAccount { try await login() }

  func shouldRefreshAuthentication(with user: ScopedAccount, isStartup: Bool) -> Bool { !trusts }

  func refreshAuthentication(with user: ScopedAccount) async throws -> ScopedAccount {
    renewals.modify { $0 += 1 }
    try await pause()
    var user = user
    user.token += 1
    return user
  }

  func deauthenticate(_ user: ScopedAccount) async throws {}
}
