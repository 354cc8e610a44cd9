import Dispatch
import Foundation
import Signals
import Stores
import TestSupport
import Testing

@testable import Contexts

@Suite("Databases of users", .patient)
struct UserStoreTests {
  let root: Root
  let versions = StoreVersions(cacheVersion: 1, persistenceVersion: 1, models: [Item.self])

  init() throws {
    root = try Root()
  }

  private func signedIn(
    _ id: String = "ada", versions: StoreVersions? = nil
  ) async throws -> StandardAppContext<Account> {
    let context = try root.context(versions: versions ?? self.versions)
    try await context.setup(authDelegate: NobodysDelegate<Account>())
    if context.current.value.isStandard { try await context.startAppContext(with: Account(id: id)) }
    return context
  }

  @Test
  func `a new schema version migrates persistent data, and empties only the cache`() async throws {
    do {
      let store = try await signedIn().current.value.store
      for database in [try store.persistence, try store.cache] {
        try await database.write { try $0.put(Item(id: 1, text: "a")) }
      }
    }
    var newer = StoreVersions(cacheVersion: 2, persistenceVersion: 2, models: [Item.self])
    newer.persistence = Schema(version: 2, models: [Item.self]) {
      MigrationStep(to: 2) { try $0.execute("UPDATE item SET text = 'migrated'") }
    }
    let store = try await signedIn(versions: newer).current.value.store
    #expect(try await store.persistence.read { try $0.all(Item.self) } == [Item(id: 1, text: "migrated")])
    #expect(try await store.cache.read { try $0.all(Item.self) }.isEmpty)
  }

  @Test
  func `caches are stored and purged in the given directory`() async throws {
    let place = try TemporaryDirectory()
    let caches = place.url.appending(path: "Caches")
    let context = try StandardAppContext<Account>(
      root: root.directory.url, configuration: ContextConfiguration(cacheDirectory: caches), storeVersions: versions)
    try await context.setup(authDelegate: NobodysDelegate<Account>())
    try await context.startAppContext(with: Account(id: "ada"))
    let store = context.current.value.store
    #expect(store.cacheDirectory.path == caches.appending(path: "ada").path)
    for database in [try store.persistence, try store.cache] {
      try await database.write { try $0.put(Item(id: 1, text: "a")) }
    }
    let manager = FileManager.default
    #expect(manager.fileExists(atPath: caches.appending(path: "ada/cache.sqlite").path))
    #expect(!manager.fileExists(atPath: root.directory.file("caches").path))
    #expect(manager.fileExists(atPath: store.persistenceDirectory.appending(path: "persistence.sqlite").path))
    #expect(store.persistenceDirectory.path.hasPrefix(context.root.path + "/"))
    try await context.logout()
    try await context.purge(userID: "ada")
    #expect(try manager.contentsOfDirectory(atPath: caches.path).isEmpty)
    #expect(!manager.fileExists(atPath: store.persistenceDirectory.path))
  }

  @Test
  func `in-memory data lives as long as the session, even without references`() async throws {
    let context = try await signedIn()
    try await context.current.value.store.memory.write { try $0.put(Item(id: 1, text: "a")) }
    #expect(try await context.current.value.store.memory.read { try $0.count(Item.self) } == 1)
    try await context.logout()
    try await context.startAppContext(with: Account())
    #expect(try await context.current.value.store.memory.read { try $0.count(Item.self) } == 0)
  }

  @Test
  func `a write inside a write throws, and neither is committed`() async throws {
    let database = try await signedIn().current.value.store.persistence
    await #expect(throws: DatabaseError.self) {
      try await database.write { transaction in
        try transaction.put(Item(id: 1, text: "a"))
        try database.write { try $0.put(Item(id: 2, text: "b")) }
      }
    }
    #expect(try await database.read { try $0.count(Item.self) } == 0)
  }

  @Test(arguments: ["../../x", "a/b", "..", "Ada", String(repeating: "long", count: 500), "\0"])
  func `databases of any identity lie in the root, separate from all others`(_ id: String) async throws {
    let context = try await signedIn(id)
    let store = context.current.value.store
    try await store.persistence.write { try $0.put(Item(id: 1, text: id)) }
    let path = store.persistenceDirectory.standardizedFileURL.path
    #expect(path.hasPrefix(context.root.appending(path: "users").path + "/"))
    try await context.startAppContext(with: Account(id: id.lowercased() + "."), replacing: true)
    #expect(try await context.current.value.store.persistence.read { try $0.count(Item.self) } == 0)
    try await context.startAppContext(with: Account(id: id), replacing: true)
    #expect(try await context.current.value.store.persistence.read { try $0.all(Item.self) } == [Item(id: 1, text: id)])
  }

  @Test
  func `a query and a row follow the current context`() async throws {
    let context = try await signedIn()
    let ada = try context.current.value.store.persistence
    try await ada.write { try $0.put(Item(id: 1, text: "ada's")) }
    let texts = context.query(Item.ordered { $0.id }).map { $0.map(\.text) }.recorded()
    let row = context.live(Item.self, id: 1).map { $0?.text }.recorded()
    try await texts.wait(for: ["ada's"])
    try await context.startAppContext(with: Account(id: "grace"), replacing: true)
    try await texts.wait(for: "grace's list") { $0.last == [] }
    try await context.current.value.store.persistence.write { try $0.put(Item(id: 1, text: "grace's")) }
    try await texts.wait(for: ["grace's"])
    try await row.wait(for: "grace's row") { $0 == ["ada's", nil, "grace's"] }
    try await context.logout()
    try await row.wait(for: "nobody's row") { $0.last == .some(nil) }
    await #expect(throws: DatabaseError.closed(path: ada.locationPath)) {
      try await ada.write { try $0.put(Item(id: 2, text: "late")) }
    }
  }

  @Test
  func `a query never shows a former user's rows, even if the next user's cannot be read`() async throws {
    let context = try await signedIn()
    try await context.current.value.store.persistence.write { try $0.put(Item(id: 1, text: "ada's")) }
    let query = context.query(Item.ordered { $0.id })
    let row = context.live(Item.self, id: 1)
    let (texts, failures) = (query.map { $0.map(\.text) }.recorded(), query.failures.recorded())
    let values = row.map { $0?.text }.recorded()
    try await texts.wait(for: ["ada's"])
    let file = context.root.appending(path: "users/grace/persistence.sqlite", directoryHint: .notDirectory)
    let manager = FileManager.default
    try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(repeating: 65, count: 5000).write(to: file)
    try await context.startAppContext(with: Account(id: "grace"), replacing: true)
    try await texts.wait(for: "an empty list") { $0.last == [] }
    try await values.wait(for: "no row") { $0.last == .some(nil) }
    let failure = try await failures.first { _ in true }
    #expect(query.status.value.failure == failure && row.status.value.failure == failure)
    // The read is retried, although nothing reports the repair.
    try manager.removeItem(at: file)
    try await query.status.firstValue { $0 == .current }
    try await context.current.value.store.persistence.write { try $0.put(Item(id: 1, text: "grace's")) }
    try await texts.wait(for: ["grace's"])
    try await values.wait(for: "grace's row") { $0.last == "grace's" }
  }

  @Test
  func `a query follows a switch while another subscriber is busy`() async throws {
    let context = try await signedIn()
    let ada = try context.current.value.store.persistence
    try await ada.write { try $0.put(Item(id: 1, text: "ada's")) }
    let texts = Recorder<[String]>()
    let query = context.query(Item.ordered { $0.id })
    let failures = query.failures.recorded()
    let subscription = query.sink { texts.record($0.map(\.text)) }
    try await texts.wait(for: ["ada's"])
    let (isBusy, end) = (Recorder<Bool>(), DispatchSemaphore(value: 0))
    let thread = Thread {
      // The first value is delivered on this thread, and a concurrent switch leaves its notification to it.
      let busy = context.current.sink { _ in
        if isBusy.elements.isEmpty {
          isBusy.record(true)
          end.wait()
        }
      }
      withExtendedLifetime(busy) {}
    }
    thread.start()
    try await isBusy.wait(for: true)
    try await context.startAppContext(with: Account(id: "grace"), replacing: true)
    await #expect(throws: DatabaseError.self) { try await ada.write { try $0.put(Item(id: 2, text: "late")) } }
    end.signal()
    try await texts.wait(for: "grace's list") { $0.last == [] }
    try await context.current.value.store.persistence.write { try $0.put(Item(id: 1, text: "grace's")) }
    try await texts.wait(for: ["grace's"])
    #expect(failures.elements.isEmpty && query.status.value == .current)
    subscription.cancel()
  }

  @Test
  func `a user logged in by another process is not purged, but one who is logging out is`()
    async throws
  {
    let context = try root.context(versions: versions)
    let gate = Gate()
    let delegate = TestDelegate(trusts: true, leave: { _ in try await gate.pass() })
    try await context.setup(authDelegate: delegate)
    // Simulates a login by another process, of which this context was not notified yet.
    guard case .written = context.engine.vault.perform(.login(Account(), nil), after: 0) else {
      Issue.record("It was not archived")
      return
    }
    await #expect(throws: ContextError.alreadyAuthenticated(userID: "ada")) { try await context.purge(userID: "ada") }
    context.resume()
    try await context.user.firstValue("the other's login") { $0?.id == "ada" }
    let store = context.current.value.store
    try await store.persistence.write { try $0.put(Item(id: 1, text: "a")) }
    await #expect(throws: ContextError.alreadyAuthenticated(userID: "ada")) { try await context.purge(userID: "ada") }
    let logout = Task { try await context.logout() }
    try await context.current.firstValue("the logout") { $0.isStandard }
    #expect(context.activity.value == .deauthenticating)
    #expect(try await context.cleanHistoryUserList(purgingStores: true) == ["ada"])
    #expect(!FileManager.default.fileExists(atPath: store.persistenceDirectory.path))
    gate.open()
    try await logout.value
  }

  @Test
  func `purging an unknown user is an error, because the identity may be misspelled`() async throws {
    let context = try await signedIn()
    _ = try context.current.value.store.persistence
    try await context.logout()
    for id in ["Ada", StandardAppContext<Account>.standardID] {
      await #expect(throws: ContextError.unknownUser(userID: id)) { try await context.purge(userID: id) }
    }
    // A user with only databases or only an identity is known.
    #expect(try await context.cleanHistoryUserList() == ["ada"])
    try await context.purge(userID: "ada")
    try await context.startAppContext(with: Account(id: "grace"))
    try await context.logout()
    try await context.purge(userID: "grace")
    await #expect(throws: ContextError.unknownUser(userID: "grace")) { try await context.purge(userID: "grace") }
  }

  @Test
  func `purging removes a user's databases, but never those of the current user`() async throws {
    let context = try await signedIn()
    let store = context.current.value.store
    _ = try store.persistence
    await #expect(throws: ContextError.alreadyAuthenticated(userID: "ada")) { try await context.purge(userID: "ada") }
    try await context.logout()
    let path = store.persistenceDirectory.path
    #expect(FileManager.default.fileExists(atPath: path), "a logout keeps what is the user's")
    try await context.purge(userID: "ada")
    #expect(!FileManager.default.fileExists(atPath: store.persistenceDirectory.path))
    #expect(context.historyUsers.value.isEmpty)
  }

  @Test
  func `a user whose databases cannot be removed stays in the archive until the next purge`() async throws {
    struct Stuck: Error {}
    let context = try await signedIn()
    try await context.logout()
    let vault = context.engine.vault
    #expect(throws: ContextError.self) {
      try vault.removeUsers(after: 0, choose: { archived, _ in archived }, purge: { _ in throw Stuck() })
    }
    #expect(try vault.users().map(\.id) == ["ada"])
    #expect(try await context.cleanHistoryUserList(purgingStores: true) == ["ada"])
  }
}

extension Database {
  fileprivate var locationPath: String {
    switch location {
    case .file(let url): url.path
    case .memory: ":memory:"
    }
  }
}
