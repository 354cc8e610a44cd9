import AppGroups
import Containers
import Contexts
import Foundation
import Signals
import SignalsTesting
import Stores
import TestSupport
import Testing

@Suite("Sessions in a root that is switched", .patient)
struct SessionsInScopeTests {
  private let root: TemporaryDirectory
  private let app: AppContainer
  private let first = AppContainer.Environment.defaultID
  private let second: UUID
  /// The delegates, retained because contexts hold them weakly.
  private let servers = Recorder<ScopedServer>()
  private let versions = StoreVersions(cacheVersion: 1, persistenceVersion: 1, models: [Entry.self])

  init() throws {
    root = try TemporaryDirectory()
    app = try AppContainer(home: root.url.appending(path: "home", directoryHint: .isDirectory))
    second = try app.create(name: "Work").id
  }

  private func context(_ server: ScopedServer) async throws -> StandardAppContext<ScopedAccount> {
    servers.record(server)
    let context = try StandardAppContext<ScopedAccount>(scope: app.scope, storeVersions: versions)
    try await context.setup(authDelegate: server)
    return context
  }

  /// Returns a context with a user in each of two environments, the first of which is active.
  private func signedIn(
    _ server: ScopedServer, as ids: [String] = ["ada", "grace"]
  ) async throws -> StandardAppContext<ScopedAccount> {
    let context = try await context(server)
    for (environment, id) in zip([second, first], ids.reversed()) {
      try await app.activate(id: environment)
      try await context.startAppContext(with: ScopedAccount(id: id, environment: environment.uuidString))
    }
    return context
  }

  private struct Moment: Equatable, Sendable {
    let userID, environment, active: String
    var isMixed: Bool { environment != "" && environment != active }
  }

  private func moments(of context: StandardAppContext<ScopedAccount>) -> Property<Moment> {
    .derived(context.status, context.user, context.current, app.active) { status, user, current, active in
      // A context of another user than the status counts as mixed, too.
      let isOneUser = status.user == user && (user?.id ?? StandardAppContext<ScopedAccount>.standardID) == current.id
      return Moment(
        userID: user?.id ?? "", environment: isOneUser ? status.user?.environment ?? "" : "mixed",
        active: active.id.uuidString)
    }
  }

  @Test func `a switch restores the archived session of the new environment in the same change`() async throws {
    let server = ScopedServer()
    let context = try await context(server)
    try await context.startAppContext(with: ScopedAccount(id: "ada", environment: first.uuidString, token: 5))
    let moments = moments(of: context).recorded()
    try await app.activate(id: second)
    #expect(context.authState.value == .unauthenticated)
    #expect(context.current.value.isStandard && context.historyUsers.value.isEmpty)
    try await context.startAppContext(with: ScopedAccount(id: "grace", environment: second.uuidString, token: 7))
    try await app.activate(id: first)
    #expect(context.user.value == ScopedAccount(id: "ada", environment: first.uuidString, token: 5))
    #expect(context.historyUsers.value.map(\.id) == ["ada"])
    try await context.authState.firstValue("a trusted session") { $0 == .authenticated }
    try await app.activate(id: second)
    #expect(context.user.value?.token == 7)
    #expect(moments.elements.filter(\.isMixed) == [])
    // A new context in this environment finds the same session.
    let other = try await self.context(server)
    #expect(other.user.value == context.user.value)
  }

  @Test(arguments: [["ada", "grace"], ["ada", "ada"]])
  func `no user of another environment is ever visible during concurrent renewals and writes`(
    _ names: [String]
  ) async throws {
    let server = ScopedServer(pause: { for _ in 0..<20 { await Task.yield() } })
    let context = try await signedIn(server, as: names)
    let moments = moments(of: context).recorded()
    let isOver = MutableProperty(false)
    let written = Recorder<Entry>()
    let unexpected = Recorder<String>()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        while !isOver.value {
          do {
            try await context.refreshAuthentication(force: true)
          } catch ContextError.environmentSwitched {
            // The answer arrived too late.
          } catch {
            unexpected.record("\(error)")
          }
        }
      }
      group.addTask {
        try await onThread {
          var number = 0
          while !isOver.value {
            let current = context.current.value
            guard let environment = current.user.value?.environment else { continue }
            number += 1
            let entry = Entry(id: number, environment: environment)
            do {
              try current.store.persistence.write { try $0.put(entry) }
              written.record(entry)
            } catch DatabaseError.switched {
              // The context was replaced by the switch.
            } catch {
              unexpected.record("\(error)")
            }
          }
        }
      }
      defer { isOver.value = true }
      for round in 1...Scale.count(50, torture: 1_000) {
        let count = server.renewals.value
        try await server.renewals.firstValue("a renewal under way") { $0 > count }
        try await app.activate(id: round % 2 == 1 ? second : first)
      }
      isOver.value = true
      try await group.waitForAll()
    }
    #expect(unexpected.elements == [])
    #expect(moments.elements.filter(\.isMixed) == [])
    for id in [second, first] {
      try await app.activate(id: id)
      let entries = try await context.current.value.store.persistence.read { try $0.all(Entry.self) }
      #expect(entries.allSatisfy { $0.environment == id.uuidString })
      #expect(Set(entries.map(\.id)) == Set(written.elements.filter { $0.environment == id.uuidString }.map(\.id)))
    }
  }

  @Test func `a login answered after the switch changes nothing`() async throws {
    let (gate, answered) = (Gate(), MutableProperty(false))
    let name = first.uuidString
    let context = try await context(
      ScopedServer(login: {
        try await gate.pass()
        answered.value = true
        return ScopedAccount(id: "ada", environment: name)
      }))
    let login = Task { try await context.triggerLogin() }
    try await context.activity.firstValue("the login") { $0 == .authenticating }
    try await app.activate(id: second)
    await #expect(throws: ContextError.environmentSwitched) { try await login.value }
    #expect(context.activity.value == .idle && context.lastError.value == nil)
    gate.open()
    try await answered.firstValue("the answer") { $0 }
    try await context.startAppContext(with: ScopedAccount(id: "grace", environment: second.uuidString))
    // The history is read again after each write.
    try await context.historyUsers.firstValue("grace alone") { $0.map(\.id) == ["grace"] }
    try await app.activate(id: first)
    #expect(context.authState.value == .unauthenticated && context.historyUsers.value.isEmpty)
  }

  @Test func `databases of an old context throw, even for the same user in the new environment`() async throws {
    let context = try await signedIn(ScopedServer(), as: ["ada", "ada"])
    let old = context.current.value
    let database = try old.store.persistence
    try await database.write { try $0.put(Entry(id: 1, environment: "first")) }
    let memory = try old.store.memory
    let standard = context.standard
    try await app.activate(id: second)
    #expect(old.authState.value == .unauthenticated)
    #expect(context.current.value != old && context.current.value.id == old.id)
    let path = old.store.persistenceDirectory.appending(path: "persistence.sqlite").path
    await #expect(throws: DatabaseError.switched(path: path)) {
      try await database.write { try $0.put(Entry(id: 2, environment: "late")) }
    }
    #expect(throws: DatabaseError.self) { try memory.read { try $0.count(Entry.self) } }
    for kind in Store.Kind.allCases where kind != .memory {
      #expect(throws: DatabaseError.self) { try old.store.database(kind).read { try $0.count(Entry.self) } }
      #expect(throws: DatabaseError.self) { try standard.store.database(kind) }
    }
    let new = try context.current.value.store.persistence
    #expect(try await new.read { try $0.count(Entry.self) } == 0)
    try await new.write { try $0.put(Entry(id: 3, environment: "second")) }
    try await context.standard.store.persistence.write { try $0.put(Entry(id: 4, environment: "nobody's")) }
    try await app.activate(id: first)
    let kept = try await context.current.value.store.persistence.read { try $0.all(Entry.self) }
    #expect(kept == [Entry(id: 1, environment: "first")])
    #expect(try await context.standard.store.persistence.read { try $0.count(Entry.self) } == 0)
  }

  @Test func `queries and rows of the current context change together with the environment`() async throws {
    let context = try await signedIn(ScopedServer())
    for id in [second, first] {
      try await app.activate(id: id)
      try await context.current.value.store.persistence.write {
        try $0.put(Entry(id: 1, environment: id.uuidString))
      }
    }
    let query = context.query(Entry.ordered { $0.id })
    let failures = query.failures.recorded()
    let rows = query.property(initial: [])
    let row = context.live(Entry.self, id: 1).property(initial: nil)
    let moments = Property.derived(app.active, context.user, rows, row) { active, user, rows, row in
      [active.id.uuidString, user?.environment] + rows.map(\.environment) + [row?.environment]
    }.recorded()
    for round in 1...50 {
      try await app.activate(id: round % 2 == 1 ? second : first)
      #expect(moments.elements.count == round + 1)
    }
    #expect(moments.elements.allSatisfy { $0.count == 4 && Set($0).count == 1 })
    #expect(failures.elements.isEmpty && query.status.value == .current)
  }

  @Test func `queries of the current context follow another process's switch in one change`() async throws {
    let context = try await signedIn(ScopedServer())
    for id in [second, first] {
      try await app.activate(id: id)
      try await context.current.value.store.persistence.write {
        try $0.put(Entry(id: 1, environment: id.uuidString))
      }
    }
    let rows = context.query(Entry.ordered { $0.id }).property(initial: [])
    let moments = Property.derived(app.active, context.user, rows) { active, user, rows in
      [active.id.uuidString, user?.environment] + rows.map(\.environment)
    }.recorded()
    let peer = try PeerProcess()
    try await peer.send("env \(app.home.path)")
    try await peer.send("env-hammer \(first),\(second) \(Scale.count(25, torture: 500)) 3")
    try await peer.send("env-activate \(second)")
    try await app.activate(id: second)
    #expect(moments.elements.allSatisfy { $0.count == 3 && Set($0).count == 1 })
    #expect(moments.elements.last?.first == second.uuidString)
  }

  @Test func `queries have no rows in an environment with an unreadable database, and report the failure`() async throws
  {
    let context = try await signedIn(ScopedServer())
    try await context.current.value.store.persistence.write { try $0.put(Entry(id: 1, environment: first.uuidString)) }
    try await app.activate(id: second)
    let file = context.current.value.store.persistenceDirectory
      .appending(path: "persistence.sqlite", directoryHint: .notDirectory)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(repeating: 65, count: 5_000).write(to: file)
    try await app.activate(id: first)
    let query = context.query(Entry.ordered { $0.id })
    let failures = query.failures.recorded()
    let moments = Property.derived(app.active, query.property(initial: [])) { "\($0.name) \($1.count)" }.recorded()
    try await app.activate(id: second)
    guard case .stale(.notADatabase, _) = query.status.value else {
      Issue.record("It is \(query.status.value)")
      return
    }
    #expect(failures.elements.count == 1)
    try await app.activate(id: first)
    #expect(query.status.value == .current)
    #expect(moments.elements == ["Default 1", "Work 0", "Default 1"])
  }

  @Test func `a rejected switch leaves the session and its renewal unchanged`() async throws {
    let gate = Gate()
    let context = try await signedIn(ScopedServer(pause: { try await gate.pass() }))
    let current = context.current.value
    let renewal = Task { try await context.refreshAuthentication() }
    try await context.activity.firstValue("the renewal") { $0 == .refreshing }
    let database = try current.store.persistence
    let app = app
    let second = second
    try await onThread {
      // A transaction of the switching thread prevents the switch.
      try database.read { _ in
        _ = #expect(throws: AppContainerError.self) { try app.activate(id: second) }
      }
    }
    gate.open()
    #expect(try await renewal.value.token == 1)
    #expect(context.current.value == current)
    try await database.write { try $0.put(Entry(id: 1, environment: "first")) }
  }

  @Test func `a session in a switched directory without the scope is rejected with the remedy`() throws {
    for place in [app.home, app.home.appending(path: "Session")] {
      let error = #expect(throws: ContextError.self) { try StandardAppContext<ScopedAccount>(root: place) }
      guard case .switchedDirectory(_, let root) = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      #expect(root == app.home.path)
      #expect("\(error.map { "\($0)" } ?? "")".contains("StandardAppContext(scope:)"))
    }
  }

  @Test func `locations that all environments would share are rejected in a scope`() throws {
    let outside = root.file("outside")
    let configurations = [
      ContextConfiguration(archiveLocation: .file(outside)), ContextConfiguration(cacheDirectory: outside),
      ContextConfiguration(secrets: FileSecretStore(directory: outside)),
      ContextConfiguration(secrets: MemorySecretStore()),
    ]
    for configuration in configurations {
      let error = #expect(throws: ContextError.self) {
        try StandardAppContext<ScopedAccount>(scope: app.scope, configuration: configuration)
      }
      guard case .outsideScope = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test func `a session directory of an earlier version is adopted in a scope`() async throws {
    for stored in StoredFormat.all("session-database") {
      let copy = try stored.copy()
      let place = app.home.appending(path: "Session \(stored.generation)", directoryHint: .isDirectory)
      try FileManager.default.copyItem(at: copy.url, to: place)
      let context = try StandardAppContext<StoredAccount>(
        scope: app.scope, directory: "Session \(stored.generation)")
      let server = StoredServer()
      #expect(try await context.setup(authDelegate: server)?.id == "Ada/1")
      try await app.activate(id: second)
      #expect(context.user.value == nil)
      try await app.activate(id: first)
      #expect(context.user.value?.id == "Ada/1")
    }
  }

  @Test func `a session follows another process's switch, and other processes follow this one's`() async throws {
    let server = root.file("server.json").path
    let peer = try PeerProcess()
    try await peer.send("context-scope \(app.home.path) \(server)")
    try await peer.send("context-setup")
    #expect(try await peer.send("context-login ada").hasPrefix("authenticated ada 1"))
    try await app.activate(id: second)
    try await peer.send("context-await unauthenticated 0")
    #expect(try await peer.send("context-login grace").hasPrefix("authenticated grace 2"))
    try await peer.send("context-put 1 grace")
    try await app.activate(id: first)
    try await peer.send("context-await authenticated 1")
    try await peer.send("context-put 2 ada")
    // A second process switches, and the first one and this one follow.
    let context = try await context(ScopedServer())
    let switching = try PeerProcess()
    try await switching.send("env \(app.home.path)")
    try await context.startAppContext(
      with: ScopedAccount(id: "ada", environment: first.uuidString), replacing: true)
    let moments = moments(of: context).recorded()
    try await switching.send("env-activate \(second)")
    try await context.user.firstValue("nobody") { $0 == nil }
    try await switching.send("env-hammer \(first),\(second) \(Scale.count(20, torture: 500)) 3")
    try await switching.send("env-activate \(first)")
    // It is already active, and this process catches up before the call returns.
    try await app.activate(id: first)
    #expect(moments.elements.filter(\.isMixed) == [])
    #expect(context.user.value?.id == "ada")
  }
}

/// A user type that decodes the archived users of `Tests/Fixtures/Formats`.
private struct StoredAccount: SessionUser {
  let id: String
  var name: String
}

private final class StoredServer: AuthControllerDelegate {
  func authenticate() async throws -> StoredAccount { throw AuthRejection(reason: "nobody") }
  func shouldRefreshAuthentication(with user: StoredAccount, isStartup: Bool) -> Bool { false }
  func refreshAuthentication(with user: StoredAccount) async throws -> StoredAccount { user }
  func deauthenticate(_ user: StoredAccount) async throws {}
}
