import Foundation
import Signals
import Stores
import TestSupport
import Testing

@testable import Contexts

/// Faults of earlier systems that must not recur.
@Suite("Hazards of sessions")
struct SessionHazardTests {
  let root: Root

  init() throws {
    root = try Root()
  }

  private func loggedIn(_ account: Account = Account(), file: Bool = false) async throws {
    let context = try root.context(file: file)
    let delegate = TestDelegate(login: { account })
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
  }

  @Test
  func `a delegate needs nothing but a login`() async throws {
    do {
      let context = try root.context()
      let delegate = Turnstile()
      try await context.setup(authDelegate: delegate)
      try await context.triggerLogin()
      #expect(try await context.refreshAuthentication() == context.user.value)
      try await context.logout()
      #expect(context.lastError.value == nil)
      try await context.startAppContext(with: Account(expiration: Date(timeIntervalSinceNow: 3_600)))
    }
    let context = try root.context()
    let delegate = Turnstile()
    try await context.setup(authDelegate: delegate)
    try await context.authState.firstValue("a restored session is valid until it expires") { $0 == .authenticated }
    try await context.logout()
    try await context.startAppContext(with: Account(expiration: Date(timeIntervalSinceNow: -1)))
    try await context.authState.firstValue("the end of the session, which nothing renews") { $0 == .unauthenticated }
  }

  @Test(arguments: [false, true])
  func `the renewed user is archived, not the previous one`(_ file: Bool) async throws {
    try await loggedIn(file: file)
    do {
      let context = try root.context(file: file)
      let delegate = TestDelegate(trusts: true)
      try await context.setup(authDelegate: delegate)
      try await context.refreshAuthentication()
      try await context.update { $0.name = "Countess" }
    }
    let context = try root.context(file: file)
    let delegate = TestDelegate(trusts: true)
    let user = try await context.setup(authDelegate: delegate)
    #expect(user == Account(name: "Countess", token: "t0+"))
  }

  @Test
  func `a session that needs no renewal becomes authenticated`() async throws {
    try await loggedIn()
    let context = try root.context()
    let states = context.authState.recorded()
    let delegate = TestDelegate(trusts: true)
    try await context.setup(authDelegate: delegate)
    try await states.wait(for: .authenticated)
    #expect(states.elements == [.restoring, .presession, .authenticated])
    #expect(delegate.calls.elements == ["should true"])
  }

  @Test
  func `a failed renewal at launch is reported and retried`() async throws {
    try await loggedIn()
    let clock = TestClock()
    let context = try root.context(time: SessionTime(clock: clock, startingAt: .beginning))
    let attempts = MutableProperty(0)
    let delegate = TestDelegate(renew: { account in
      let attempt = attempts.modify { count in
        count += 1
        return count
      }
      if attempt < 3 { throw URLError(.notConnectedToInternet) }
      return account
    })
    try await context.setup(authDelegate: delegate)
    for attempt in 1...2 {
      try await context.status.firstValue("the failure") { $0.lastError != nil && $0.activity == .idle }
      #expect(context.authState.value == .presession)
      await clock.waitUntilScheduled()
      await clock.advance(by: .seconds(attempt * 2))
      try await delegate.calls.wait(for: "the next try") { $0.count { $0.hasPrefix("renew") } > attempt }
    }
    try await context.authState.firstValue("the session") { $0 == .authenticated }
    #expect(context.lastError.value == nil)
  }

  @Test
  func `an archive in a file is restored, and one that cannot be written fails the login`() async throws {
    try await loggedIn(file: true)
    let context = try root.context(file: true)
    let delegate = TestDelegate(trusts: true)
    #expect(try await context.setup(authDelegate: delegate)?.id == "ada")
    try await context.logout()
    let archive = root.directory.file("session.json")
    try FileManager.default.removeItem(at: archive)
    try FileManager.default.createDirectory(at: archive, withIntermediateDirectories: true)
    await #expect(throws: ContextError.self) { try await context.triggerLogin() }
    #expect(context.authState.value == .unauthenticated)
  }

  @Test(arguments: [false, true])
  func `a user of an older model is migrated once, from the archived data`(_ file: Bool) async throws {
    struct Old: SessionUser {
      let id: String
      var nick: String
    }
    do {
      let context = try StandardAppContext<Old>(
        root: root.directory.url,
        configuration: ContextConfiguration(
          archiveLocation: file ? .file(root.directory.file("session.json")) : .database))
      try await context.setup(authDelegate: NobodysDelegate<Old>())
      try await context.startAppContext(with: Old(id: "ada", nick: "a"))
    }
    for start in 1...2 {
      let context = try StandardAppContext<Newer>(
        root: root.directory.url,
        configuration: ContextConfiguration(
          archiveLocation: file ? .file(root.directory.file("session.json")) : .database))
      let migrations = MutableProperty(0)
      let user = try await context.setup(authDelegate: NobodysDelegate<Newer>()) { data, version in
        migrations.modify { $0 += 1 }
        let old = try JSONDecoder().decode(Old.self, from: data)
        return Newer(id: old.id, name: "\(old.nick) of \(version)")
      }
      #expect(user == Newer(id: "ada", name: "a of 1"))
      #expect(migrations.value == (start == 1 ? 1 : 0))
    }
  }

  @Test
  func `a second setup replaces the delegate, and keeps the migration`() async throws {
    let context = try StandardAppContext<Newer>(root: root.directory.url)
    let record = ArchivedRecord(id: "ada", version: 1, payload: "{\"id\":\"ada\",\"nick\":\"a\"}")
    try context.engine.vault.archive.write(ArchiveContents(revision: 1, users: [record]))
    try await context.setup(authDelegate: NobodysDelegate<Newer>()) { _, _ in Newer(id: "ada", name: "migrated") }
    try await context.setup(authDelegate: NobodysDelegate<Newer>())
    #expect(try context.engine.vault.users().map { try $0.user.get()?.name } == ["migrated"])
  }

  @Test
  func `a migration that returns no user keeps the archived bytes, and is reported`() async throws {
    let context = try StandardAppContext<Newer>(root: root.directory.url)
    let vault = context.engine.vault
    let record = ArchivedRecord(id: "ada", version: 1, payload: "{\"id\":\"ada\",\"nick\":\"a\"}")
    try vault.archive.write(ArchiveContents(revision: 1, session: 1, generation: 1, currentID: "ada", users: [record]))
    #expect(try await context.setup(authDelegate: NobodysDelegate<Newer>()) { _, _ in nil } == nil)
    #expect(context.authState.value == .unauthenticated)
    guard case .notMigrated("ada", 1, 2, _) = context.lastError.value else {
      Issue.record("\(String(describing: context.lastError.value))")
      return
    }
    #expect(try vault.archive.read().users == [record])
    // A new login of the user keeps them, too.
    try await context.startAppContext(with: Newer(id: "ada", name: "new"))
    #expect(try vault.archive.read().kept == [record])
  }

  @Test
  func `cleaning the history finishes, and keeps the current user`() async throws {
    try await loggedIn(Account(id: "grace"))
    let context = try root.context()
    let delegate = TestDelegate(trusts: true)
    try await context.setup(authDelegate: delegate)
    try await context.startAppContext(with: Account(id: "ada"), replacing: true)
    try await context.historyUsers.firstValue("both") { $0.map(\.id) == ["grace", "ada"] }
    #expect(try await context.cleanHistoryUserList() == ["grace"])
    #expect(context.historyUsers.value.map(\.id) == ["ada"])
    #expect(context.historyUsers.value.map(\.isCurrent) == [true])
    try await context.logout()
    #expect(try await context.cleanHistoryUserList() == ["ada"])
  }

  @Test
  func `the history is known after a restart, whether or not a user is logged in`() async throws {
    try await loggedIn(Account(id: "grace"))
    let delegate = TestDelegate(trusts: true)
    do {
      let context = try root.context()
      try await context.setup(authDelegate: delegate)
      #expect(context.historyUsers.value.map(\.id) == ["grace"])
      try await context.logout()
    }
    let context = try root.context()
    try await context.setup(authDelegate: delegate)
    #expect(context.historyUsers.value.map(\.id) == ["grace"])
    #expect(context.historyUsers.value.map(\.isCurrent) == [false])
  }

  @Test
  func `structs can be users, without a registry of class names`() async throws {
    try await loggedIn()
    let context = try root.context()
    let delegate = TestDelegate(trusts: true)
    #expect(try await context.setup(authDelegate: delegate) == Account())
  }

  @Test
  func `no user is replaced by accident, or shown before being archived`() async throws {
    let context = try root.context()
    let delegate = TestDelegate()
    try await context.setup(authDelegate: delegate)
    let vault = context.engine.vault
    let archived = Recorder<String?>()
    let subscription = context.current.changes.sink { _ in
      do { archived.record(try vault.archive.read().currentID) } catch { archived.record("\(error)") }
    }
    try await context.startAppContext(with: Account())
    #expect(archived.elements == ["ada"])
    await #expect(throws: ContextError.alreadyAuthenticated(userID: "ada")) {
      try await context.startAppContext(with: Account(id: "grace"))
    }
    await #expect(throws: ContextError.alreadyAuthenticated(userID: "ada")) { try await context.triggerLogin() }
    #expect(context.current.value.id == "ada")
    subscription.cancel()
  }

  @Test
  func `the state of the current context follows every switch`() async throws {
    let context = try root.context()
    let delegate = TestDelegate()
    let states = context.authState.recorded()
    let ids = context.current.map(\.id).recorded()
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    let first = context.current.value
    try await context.logout()
    try await context.startAppContext(with: Account(id: "grace"))
    #expect(
      states.elements == [.restoring, .unauthenticated, .authenticated, .unauthenticated, .authenticated])
    #expect(ids.elements == ["__standard__", "ada", "__standard__", "grace"])
    #expect(first.authState.value == .unauthenticated)
    #expect(throws: DatabaseError.self) { try first.store.memory }
  }

  @Test
  func `the current user and context can be read and changed from any thread`() async throws {
    let context = try root.context()
    let delegate = TestDelegate()
    try await context.setup(authDelegate: delegate)
    try await context.triggerLogin()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await context.update { $0.name += "\(number % 10)" }
          _ = try await context.validUser()
          _ = context.current.value.authState.value
        }
      }
      try await group.waitForAll()
    }
    #expect(context.user.value?.name.count == 23, "no change is lost")
  }

  @Test
  func `a restored user has the databases of the declared schema`() async throws {
    let versions = StoreVersions(cacheVersion: 3, persistenceVersion: 1, models: [Item.self])
    try await loggedIn()
    let context = try root.context(versions: versions)
    let delegate = TestDelegate(trusts: true)
    try await context.setup(authDelegate: delegate)
    try await context.current.value.store.cache.write { try $0.put(Item(id: 1, text: "a")) }
    #expect(try await context.current.value.store.cache.read { try $0.count(Item.self) } == 1)
  }

  @Test
  func `without a delegate, login and renewal throw, and a logout reports the error`() async throws {
    let context = try root.context()
    try await context.setup(authDelegate: TestDelegate())
    await #expect(throws: ContextError.noDelegate(operation: "log in")) { try await context.triggerLogin() }
    try await context.startAppContext(with: Account())
    await #expect(throws: ContextError.noDelegate(operation: "renew the session")) {
      try await context.refreshAuthentication()
    }
    try await context.logout()
    #expect(context.lastError.value == .noDelegate(operation: "log out"))
    #expect(context.authState.value == .unauthenticated)
  }
}

struct Newer: SessionUser, Equatable {
  static var modelVersion: Int { 2 }
  let id: String
  var name: String
}

struct Item: StoreModel, Equatable {
  static let table = TableSpec("item")
  var id: Int
  var text: String
}

/// A delegate of an app that has nothing but a login.
private final class Turnstile: AuthControllerDelegate {
  func authenticate() async throws -> Account { Account() }
}

/// A delegate that trusts every user.
final class NobodysDelegate<User: SessionUser>: AuthControllerDelegate {
  func authenticate() async throws -> User { throw AuthRejection(reason: "nobody") }
  func shouldRefreshAuthentication(with user: User, isStartup: Bool) -> Bool { false }
  func refreshAuthentication(with user: User) async throws -> User { user }
  func deauthenticate(_ user: User) async throws {}
}
