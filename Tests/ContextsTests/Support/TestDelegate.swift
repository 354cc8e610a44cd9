import Contexts
import Foundation
import Signals
import Stores
import TestSupport

/// A delegate with answers from a test, which records its calls.
final class TestDelegate: AuthControllerDelegate {
  let calls = Recorder<String>()
  let login: @Sendable () async throws -> Account
  let renew: @Sendable (Account) async throws -> Account
  let leave: @Sendable (Account) async throws -> Void
  let trusts: Bool

  init(
    trusts: Bool = false,
    login: @escaping @Sendable () async throws -> Account = { Account() },
    renew: @escaping @Sendable (Account) async throws -> Account = { account in
      var account = account
      account.token += "+"
      return account
    },
    leave: @escaping @Sendable (Account) async throws -> Void = { _ in }
  ) {
    self.trusts = trusts
    self.login = login
    self.renew = renew
    self.leave = leave
  }

  func authenticate() async throws -> Account {
    calls.record("login")
    return try await login()
  }

  func shouldRefreshAuthentication(with user: Account, isStartup: Bool) -> Bool {
    calls.record("should \(isStartup)")
    return !trusts
  }

  func refreshAuthentication(with user: Account) async throws -> Account {
    calls.record("renew \(user.token)")
    return try await renew(user)
  }

  func deauthenticate(_ user: Account) async throws {
    calls.record("leave \(user.token)")
    try await leave(user)
  }
}

/// A root directory for one test.
struct Root {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Opens a copy of the files that an earlier version of the package wrote.
  init(_ stored: StoredFormat) throws {
    directory = try stored.copy()
  }

  func context(
    file: Bool = false, versions: StoreVersions = StoreVersions(), time: SessionTime = .system,
    secrets: (any SecretStore)? = nil
  ) throws -> StandardAppContext<Account> {
    try StandardAppContext(
      root: directory.url,
      configuration: ContextConfiguration(
        archiveLocation: file ? .file(directory.file("session.json")) : .database, secrets: secrets),
      storeVersions: versions, time: time)
  }
}
