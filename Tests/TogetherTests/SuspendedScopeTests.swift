import AppGroups
import CLibrary
import Containers
import Contexts
import FileSignals
import Foundation
import Signals
import SignalsTesting
import Stores
import TestSupport
import Testing

@Suite("Environments, sessions and databases in a suspended container", .patient)
struct SuspendedScopeTests {
  struct Row: StoreModel, Equatable {
    static let table = TableSpec("counter")
    var id: Int
    var n: Int
  }

  struct Visitor: SessionUser, Equatable {
    let id: String
    var token = 0
  }

  /// A server that answers a renewal when its gate is open.
  final class Server: AuthControllerDelegate {
    let gate = Gate()
    let isAsked = Gate()

    func authenticate() async throws -> Visitor { throw AuthRejection(reason: "nobody") }
    func shouldRefreshAuthentication(with user: Visitor, isStartup: Bool) -> Bool { false }
    func deauthenticate(_ user: Visitor) async throws {}

    func refreshAuthentication(with user: Visitor) async throws -> Visitor {
      isAsked.open()
      try await gate.pass()
      return Visitor(id: user.id, token: user.token + 1)
    }
  }

  let folder: TemporaryDirectory
  let container: AppGroupsContainer

  init() throws {
    folder = try TemporaryDirectory()
    container = try AppGroupsContainer(directory: folder.url)
  }

  private func locks() throws -> [String] {
    try LockTable.files(in: container.containerURL, lockedBy: getpid())
  }

  @Test func `environments are not switched, and a switch by another process is followed later`() async throws {
    let app = try AppContainer(home: folder.url)
    let work = try await onThread { try app.create(name: "Work") }
    let file = try AppGroupsFile(name: "text.json", initialValue: "none", scope: app.scope)
    let url = app.home.appending(path: "rows.sqlite", directoryHint: .notDirectory)
    let database = try Database(
      .file(url), schema: Schema(version: 1, models: [Row.self]), busyTimeout: .seconds(60), scope: app.scope)
    let rows = database.query(Row.ordered { $0.id }).property(initial: [])
    let values = rows.map { $0.map(\.n) }.recorded()
    try await database.write { try $0.put(Row(id: 1, n: 1)) }
    try await file.write("default")

    try await container.suspend()
    #expect(try locks() == [])
    await #expect(throws: AppContainerError.self) { try await app.activate(id: work.id) }
    #expect(throws: AppGroupsFileError.suspended(file.url, operation: "write")) { try file.write("refused") }
    await #expect(throws: DatabaseError.suspended(path: url.path, operation: "read")) {
      try await database.read { try $0.all(Row.self) }
    }
    let peer = try PeerProcess()
    try await peer.send("env \(folder.url.path)")
    try await peer.send("env-activate \(work.id.uuidString)")
    #expect(app.active.value.id != work.id)

    try await container.resume()
    #expect(app.active.value.id == work.id)
    #expect(file.value == "none")
    #expect(try await database.read { try $0.all(Row.self) } == [])
    try await values.wait(for: "the rows of the other environment") { $0.last == [] }
    try await app.activate(id: AppContainer.Environment.defaultID)
    #expect(file.value == "default")
    #expect(try await database.read { try $0.all(Row.self) } == [Row(id: 1, n: 1)])
  }

  @Test func `a renewal under way ends before its process is suspended, and later ones are refused`() async throws {
    let context = try StandardAppContext<Visitor>(root: folder.url)
    let server = Server()
    try await context.setup(authDelegate: server)
    try await context.startAppContext(with: Visitor(id: "Ada"))
    async let renewed = context.refreshAuthentication()
    try await server.isAsked.pass()
    async let suspension: Void = container.suspend(within: .seconds(120))
    while !container.isSuspended { await Task.yield() }
    server.gate.open()
    #expect(try await renewed.token == 1)
    try await suspension
    #expect(try locks() == [])

    await #expect(throws: ContextError.self) { try await context.refreshAuthentication() }
    await #expect(throws: ContextError.self) { try await context.update { $0.token = 7 } }
    try await container.resume()
    // The refused renewal is tried again, and may have ended before this one begins.
    let token = try await context.refreshAuthentication().token
    #expect((2...3).contains(token))
    #expect(context.user.value?.token == token)
  }

  @Test func `a database is closed, and sends the commits of other processes when it is opened again`() async throws {
    let file = folder.file("counter.sqlite")
    let peer = try PeerProcess()
    try await peer.send("store-open \(file.path)")
    let database = try Database(.file(file))
    let count = database.changes.recorded()
    let rows = database.query(Row.ordered { $0.id }).property(initial: [])
    let values = rows.map { $0.map(\.n) }.recorded()
    try await values.wait(for: "the first row") { $0.last == [0] }
    try await container.suspend()
    #expect(try locks() == [])
    await #expect(throws: DatabaseError.suspended(path: file.path, operation: "write")) {
      try await database.write { try $0.execute("UPDATE counter SET n = 100") }
    }
    #expect(throws: DatabaseError.suspended(path: file.path, operation: "open")) { try Database(.file(file)) }
    try await peer.send("store-count 5")
    #expect(values.elements.last == [0])
    try await container.resume()
    try await values.wait(for: "the commits of the other process") { $0.last == [5] }
    try await count.wait(for: "a change") { $0.contains { $0.origin == .foreign } }
    try await database.write { try $0.execute("UPDATE counter SET n = 100") }
    try await values.wait(for: "the own commit") { $0.last == [100] }
  }

  @Test func `a database that cannot be opened again is reported, and the next call of resume() opens it`() async throws
  {
    let (file, aside) = (folder.file("counter.sqlite"), folder.file("aside.sqlite"))
    let database = try Database(.file(file))
    try await database.write { try $0.execute("CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER)") }
    try await database.write { try $0.execute("INSERT INTO counter (n) VALUES (1)") }
    try await container.suspend()
    try FileManager.default.moveItem(at: file, to: aside)
    await #expect(throws: SuspensionError.self) { try await container.resume() }
    let removed = DatabaseError.fileRemoved(path: file.path)
    #expect(database.status.value == .closed(removed))
    await #expect(throws: removed) { try await database.write { try $0.execute("DELETE FROM counter") } }
    await #expect(throws: removed) { try await database.read { try $0.value("SELECT n FROM counter") } }
    try FileManager.default.moveItem(at: aside, to: file)
    try await container.resume()
    #expect(database.status.value == .open)
    try await database.write { try $0.execute("UPDATE counter SET n = n + 1") }
    #expect(try await database.read { try $0.value("SELECT n FROM counter") } == .integer(2))
  }

  @Test func `a shared database releases its author's name, and reports that another process has taken it`()
    async throws
  {
    let file = folder.file("list.sqlite")
    let database = try Database(.file(file))
    try await database.write { try $0.execute("CREATE TABLE counter (id INTEGER PRIMARY KEY, n INTEGER)") }
    let share = try DatabaseShare(database, container: container, author: "app")
    let incoming = share.incoming.recorded()
    try await container.suspend()
    // The name is a locked file, which is gone while no share has the name.
    let name = folder.file("list.sqlite-share/app.author")
    try Data().write(to: name)
    let peer = try PeerProcess()
    #expect(try await peer.send("lock exclusive \(name.path)") == "true")
    await #expect(throws: SuspensionError.self) { try await container.resume() }
    await #expect(throws: DatabaseError.suspended(path: file.path, operation: "write")) {
      try await database.write { try $0.execute("INSERT INTO counter (n) VALUES (1)") }
    }
    try await peer.send("unlock")
    try await container.resume()
    try await database.write { try $0.execute("INSERT INTO counter (n) VALUES (1)") }
    #expect(incoming.elements.isEmpty)
    share.close()
  }
}
