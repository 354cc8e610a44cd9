import Foundation
import Signals
import Stores
import TestSupport
import Testing

@testable import Contexts

@Suite("User identities and their databases")
struct UserIdentityTests {
  let root: Root
  let versions = StoreVersions(cacheVersion: 1, persistenceVersion: 1, models: [Item.self])
  let composed = "zo\u{EB}"
  let decomposed = "zoe\u{308}"

  init() throws {
    root = try Root()
  }

  private func context(_ delegate: TestDelegate) async throws -> StandardAppContext<Account> {
    let context = try root.context(versions: versions)
    try await context.setup(authDelegate: delegate)
    return context
  }

  private func put(_ text: String, into context: AppContext<Account>) async throws {
    for kind in [Store.Kind.persistence, .cache] {
      try await context.store.database(kind).write { try $0.put(Item(id: 1, text: text)) }
    }
  }

  private func texts(_ context: AppContext<Account>) async throws -> [[String]] {
    var texts: [[String]] = []
    for kind in [Store.Kind.persistence, .cache] {
      texts.append(try await context.store.database(kind).read { try $0.all(Item.self).map(\.text) })
    }
    return texts
  }

  @Test
  func `an identity that a server returns in decomposed form keeps its databases`() async throws {
    let (composed, decomposed) = (composed, decomposed)
    let delegate = TestDelegate(
      trusts: true, login: { Account(id: composed) },
      renew: { Account(id: decomposed, name: $0.name, token: $0.token + "+") })
    do {
      let context = try await context(delegate)
      try await context.triggerLogin()
      try await put("hers", into: context.current.value)
      try await context.refreshAuthentication()
      #expect(context.historyUsers.value.count <= 1)
    }
    let context = try await context(delegate)
    #expect(context.user.value?.token == "t0+")
    #expect(try await texts(context.current.value) == [["hers"], ["hers"]])
    try await context.logout()
    try await context.purge(userID: composed)
    #expect(try FileManager.default.contentsOfDirectory(atPath: context.root.appending(path: "users").path) == [])
    #expect(try FileManager.default.contentsOfDirectory(atPath: context.root.appending(path: "caches").path) == [])
  }

  @Test
  func `databases in a directory named after the decomposed identity are found by either form`() async throws {
    let directory = root.directory.url.appending(path: "users/zoe%cc%88")
    do {
      let database = try Database(
        .file(try folder(directory).appending(path: "persistence.sqlite")), schema: versions.persistence)
      try await database.write { try $0.put(Item(id: 1, text: "old")) }
    }
    let context = try await context(TestDelegate(trusts: true))
    for id in [decomposed, composed] {
      try await context.startAppContext(with: Account(id: id), replacing: true)
      let store = context.current.value.store
      #expect(store.persistenceDirectory.path == directory.path)
      #expect(try await store.persistence.read { try $0.all(Item.self).map(\.text) } == ["old"])
    }
  }

  private func folder(_ url: URL) throws -> URL {
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }

  @Test
  func `a user with the standard context's identity has separate databases`() async throws {
    let context = try await context(TestDelegate(trusts: true))
    let id = StandardAppContext<Account>.standardID
    try await put("nobody's", into: context.standard)
    try await context.startAppContext(with: Account(id: id))
    #expect(try await texts(context.current.value) == [[], []])
    try await put("hers", into: context.current.value)
    #expect(try await texts(context.standard) == [["nobody's"], ["nobody's"]])
    try await context.logout()
    try await context.purge(userID: id)
    #expect(try await texts(context.standard) == [["nobody's"], ["nobody's"]])
    #expect(FileManager.default.fileExists(atPath: context.standard.store.persistenceDirectory.path))
    try await context.startAppContext(with: Account(id: id))
    #expect(try await texts(context.current.value) == [[], []])
  }

  @Test
  func `the standard context keeps its databases through logins, logouts and restarts`() async throws {
    let delegate = TestDelegate(trusts: true)
    do {
      let context = try await context(delegate)
      #expect(context.current.value == context.standard)
      try await put("nobody's", into: context.current.value)
      try await context.standard.store.memory.write { try $0.put(Item(id: 1, text: "in memory")) }
      try await context.triggerLogin()
      #expect(try await texts(context.current.value) == [[], []])
      #expect(try await texts(context.standard) == [["nobody's"], ["nobody's"]], "it stays open beside the user's")
      try await context.logout()
      #expect(context.current.value == context.standard)
      #expect(context.standard.isStandard)
      #expect(context.standard.authState.value == .unauthenticated)
      #expect(try await context.standard.store.memory.read { try $0.all(Item.self).map(\.text) } == ["in memory"])
    }
    let context = try await context(delegate)
    #expect(try await texts(context.standard) == [["nobody's"], ["nobody's"]])
  }

  @Test
  func `the standard context cannot be logged out`() async throws {
    let delegate = TestDelegate(trusts: true)
    let context = try await context(delegate)
    try await put("nobody's", into: context.standard)
    await #expect(throws: ContextError.alreadyLoggedOut) { try await context.logout() }
    let advice = ContextError.alreadyLoggedOut.localizedDescription
    #expect(advice.contains("no user is logged in") && !advice.contains("Log in"), "a login is no remedy")
    #expect(delegate.calls.elements == [])
    #expect(context.lastError.value == nil)
    #expect(context.authState.value == .unauthenticated)
    #expect(try await texts(context.standard) == [["nobody's"], ["nobody's"]])
  }
}
