import AppGroups
import Foundation
import Signals
import Stores
import TestSupport
import Testing

@testable import Contexts

@Suite("Users whose sessions are kept", .patient)
struct KnownUserTests {
  let root: Root
  let delegate = TestDelegate(trusts: true)
  let grace = Account(id: "grace", name: "Grace", token: "g0")

  init() throws {
    root = try Root()
  }

  private func open(_ location: String = "database", keeps: Bool = true) async throws -> StandardAppContext<Account> {
    let context = try StandardAppContext<Account>(
      root: root.directory.url,
      configuration: ContextConfiguration(
        archiveLocation: location == "file" ? .file(root.directory.file("session.json")) : .database,
        policy: SessionPolicy(keepsSessions: keeps)))
    try await context.setup(authDelegate: delegate)
    return context
  }

  private func secretCount() throws -> Int {
    try FileSecretStore(directory: root.directory.file("secrets")).keys().count
  }

  @Test(arguments: ["database", "file"])
  func `a known user is reopened without a login, with the token, also after a start`(_ location: String) async throws {
    do {
      let context = try await open(location)
      try await context.triggerLogin()
      try await context.startAppContext(with: grace, replacing: true)
      #expect(try secretCount() == 2)
      let ada = try await context.reopen(userID: "ada")
      #expect(ada.id == "ada" && context.user.value == Account())
      #expect(try await context.validUser().token == "t0")
      try await context.logout(keepingSession: true)
      #expect(context.user.value == nil && context.lastError.value == nil)
    }
    let context = try await open(location)
    #expect(context.user.value == nil, "a user who has left is not restored")
    #expect(context.historyUsers.value.map(\.id) == ["ada", "grace"])
    #expect(context.historyUsers.value.allSatisfy { $0.hasSession && !$0.isCurrent })
    try await context.reopen(userID: "grace")
    #expect(try await context.validUser() == grace)
    try await context.reopen(userID: "ada")
    #expect(try await context.validUser() == Account())
    #expect(delegate.calls.elements.count { $0 == "login" } == 1)
    #expect(delegate.calls.elements.allSatisfy { !$0.hasPrefix("leave") }, "the server was not notified")
  }

  @Test
  func `an ended, unknown or current user is a typed error, and nothing changes`() async throws {
    let context = try await open()
    try await context.startAppContext(with: grace)
    try await context.logout()
    try await context.triggerLogin()
    let history = try await context.historyUsers.firstValue("both users") { $0.count == 2 }
    #expect(history.map(\.hasSession) == [false, true])
    await #expect(throws: ContextError.noSession(userID: "grace")) { try await context.reopen(userID: "grace") }
    await #expect(throws: ContextError.unknownUser(userID: "eve")) { try await context.reopen(userID: "eve") }
    await #expect(throws: ContextError.alreadyAuthenticated(userID: "ada")) { try await context.reopen(userID: "ada") }
    #expect(context.user.value == Account() && context.authState.value == .authenticated)
    let unopened = try StandardAppContext<Account>(root: root.directory.url)
    await #expect(throws: ContextError.notSetUp) { try await unopened.reopen(userID: "ada") }
  }

  @Test
  func `without the policy, a replaced user has no session, and nobody can leave without a logout`() async throws {
    let context = try await open(keeps: false)
    try await context.triggerLogin()
    let error = ContextError.invalidPolicy(
      reason: "logout(keepingSession: true) needs a policy whose keepsSessions is true")
    await #expect(throws: error) { try await context.logout(keepingSession: true) }
    #expect(context.user.value == Account())
    try await context.startAppContext(with: grace, replacing: true)
    #expect(try secretCount() == 1)
    await #expect(throws: ContextError.noSession(userID: "ada")) { try await context.reopen(userID: "ada") }
  }

  @Test(arguments: ["database", "file"])
  func `the logout or removal of a kept user leaves no token behind`(_ location: String) async throws {
    let context = try await open(location)
    try await context.startAppContext(with: Account(token: OpenServer.token))
    try await context.startAppContext(with: grace, replacing: true)
    #expect(try !DirectoryBytes.files(below: root.directory.url, containing: OpenServer.token).isEmpty)
    try await context.reopen(userID: "ada")
    try await context.logout()
    #expect(try DirectoryBytes.files(below: root.directory.url, containing: OpenServer.token) == [])
    #expect(try secretCount() == 1, "Grace's session is kept")
    try await context.purge(userID: "grace")
    #expect(try secretCount() == 0)
  }

  @Test
  func `a user without a secret is kept and reopened, but not a remembered one`() async throws {
    struct Plain: SessionUser, Equatable {
      let id: String
      var token: String
      var remembered: Plain? { Plain(id: id, token: "") }
    }
    let context = try StandardAppContext<Plain>(
      root: root.directory.url, configuration: ContextConfiguration(policy: SessionPolicy(keepsSessions: true)))
    try await context.setup(authDelegate: NobodysDelegate<Plain>())
    try await context.startAppContext(with: Plain(id: "ada", token: "t"))
    try await context.startAppContext(with: Plain(id: "grace", token: "g"), replacing: true)
    try await context.reopen(userID: "ada")
    #expect(context.user.value == Plain(id: "ada", token: "t"))
    await #expect(throws: Never.self) { try await context.logout() }
    await #expect(throws: ContextError.noSession(userID: "ada")) { try await context.reopen(userID: "ada") }
    try await context.reopen(userID: "grace")
    #expect(context.user.value?.token == "g")
  }

  @Test
  func `each user has the same databases again`() async throws {
    let context = try await open()
    try await context.triggerLogin()
    let directory = context.current.value.store.persistenceDirectory
    try await context.startAppContext(with: grace, replacing: true)
    #expect(context.current.value.store.persistenceDirectory != directory)
    let reopened = try await context.reopen(userID: "ada")
    #expect(reopened.store.persistenceDirectory == directory)
  }

  @Test
  func `the caches of a container's sessions are where the system may remove them, and come back empty`() async throws {
    let container = try AppGroupsContainer(directory: root.directory.url)
    let versions = StoreVersions(cacheVersion: 1, persistenceVersion: 1, models: [Item.self])
    for round in 1...2 {
      let context = try StandardAppContext<Account>(container: container, storeVersions: versions)
      try await context.setup(authDelegate: delegate)
      if round == 1 { try await context.triggerLogin() }
      let store = context.current.value.store
      #expect(store.cacheDirectory.path.hasPrefix(container.cachesURL.path + "/Session/"))
      #expect(try await store.cache.read { try $0.all(Item.self) }.isEmpty)
      for database in [try store.cache, try store.persistence] {
        try await database.write { try $0.put(Item(id: round, text: "a")) }
      }
      #expect(try await store.persistence.read { try $0.all(Item.self) }.count == round)
      store.close()
      try FileManager.default.removeItem(at: container.cachesURL)
    }
  }
}
