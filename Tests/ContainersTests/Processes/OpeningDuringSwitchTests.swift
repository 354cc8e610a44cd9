import AppGroups
import Foundation
import Signals
import Stores
import Synchronization
import TestSupport
import Testing

@testable import Containers

@Suite("Opening in a scope while another process switches", .eachLayout, .patient)
struct OpeningDuringSwitchTests {
  private let fixture: Fixture
  private let app: AppContainer
  private let ids: [UUID]
  private let names: String
  private var database: DatabaseLocation {
    .file(app.home.appending(path: "list.sqlite", directoryHint: .notDirectory))
  }

  /// Creates three environments, each with its name in a file and in a database.
  init() throws {
    fixture = try Fixture(filled: false)
    let app = try fixture.open()
    self.app = app
    ids = try [AppContainer.Environment.defaultID] + ["Work", "Play"].map { try app.create(name: $0).id }
    names = ids.map(\.uuidString).joined(separator: ",")
    for id in ids.reversed() {
      try app.activate(id: id)
      let file = try AppGroupsFile(name: "name.json", initialValue: "", scope: app.scope)
      try file.write(id.uuidString)
      let database = try Database(database, scope: app.scope)
      try database.write {
        try $0.execute("CREATE TABLE item (name TEXT)")
        for _ in 0..<50 { try $0.execute("INSERT INTO item VALUES (?)", id.uuidString) }
      }
      try database.close()
    }
  }

  /// Lets another process switch continuously, and calls a closure repeatedly at the same time.
  private func whileSwitching(_ count: Int, _ body: @escaping @Sendable () throws -> Void) async throws {
    let peer = try PeerProcess()
    try await peer.send("env \(fixture.root.path)")
    let isOver = Flag()
    let hammer = Task { [names] in
      defer { isOver.isSet.store(true, ordering: .relaxed) }
      try await peer.send("env-hammer \(names) \(count) 3")
    }
    try await onThread { repeat { try body() } while !isOver.isSet.load(ordering: .relaxed) }
    _ = try await hammer.value
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }

  @Test func `opening inside an update ends although a switch by another process waits for the update`() async throws {
    let (app, fixture) = (app, fixture)
    let file = try AppGroupsFile(name: "name.json", initialValue: "", scope: app.scope)
    let peer = try PeerProcess()
    try await peer.send("env \(fixture.root.path)")
    try await peer.send("env-file name.json")
    let next = try #require(ids.first { $0 != app.active.value.id })
    let switching = MutableProperty<Task<String, any Error>?>(nil)
    try await onThread {
      try file.update { _ in
        switching.value = Task { try await peer.send("env-activate \(next)") }
        // Until the other process has the lock of the root. It waits for this update then.
        func isLocked() throws -> Bool {
          try LockTable.files(in: fixture.root, lockedBy: peer.identifier).contains { $0.contains("state") }
        }
        while try !isLocked() { sched_yield() }
        #expect(throws: AppGroupsFileError.self) {
          try AppGroupsFile(name: "other.json", initialValue: 0, scope: app.scope)
        }
      }
    }
    _ = try await switching.value?.value
    #expect(try await app.active.firstValue("the switch") { $0.id == next }.id == next)
  }

  @Test func `a file always opens, with the value of one environment`() async throws {
    let (app, known) = (app, Set(ids.map(\.uuidString)))
    try await whileSwitching(Scale.count(60, torture: 2_000)) {
      let file = try AppGroupsFile(name: "name.json", initialValue: "", scope: app.scope)
      #expect(known.contains(file.value))
    }
  }

  @Test func `the first read after a switch does not look for the database's files again`() throws {
    let database = try Database(database, scope: app.scope)
    try app.activate(id: ids[1])
    // Another process begins the next switch.
    let elsewhere = fixture.directory.url.appending(path: "elsewhere", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: false)
    let files = ["list.sqlite", "list.sqlite-wal", "list.sqlite-shm"]
    for file in files where fixture.exists(file) {
      try FileManager.default.moveItem(at: fixture.url(file), to: elsewhere.appending(path: file))
    }
    let name = try database.read { try $0.value("SELECT DISTINCT name FROM item") }
    #expect(name == .text(ids[1].uuidString))
    for file in files where FileManager.default.fileExists(atPath: elsewhere.appending(path: file).path) {
      try FileManager.default.moveItem(at: elsewhere.appending(path: file), to: fixture.url(file))
    }
    try database.close()
  }

  @Test func `a database can always be shared, and its jobs added`() async throws {
    let (app, location) = (app, database)
    let container = try AppGroupsContainer(directory: app.home)
    try await whileSwitching(Scale.count(60, torture: 2_000)) {
      let database = try Database(location, maximumReaderCount: 2, scope: app.scope)
      let share = try DatabaseShare(database, container: container, author: "app", remembersPosition: false)
      try WorkQueue<Int>("jobs", in: database).add(1)
      share.close()
      try database.close()
    }
  }

  @Test func `a database always opens and reads, and never mixes environments`() async throws {
    let (app, location) = (app, database)
    try await whileSwitching(Scale.count(60, torture: 2_000)) {
      let database = try Database(location, maximumReaderCount: 2, scope: app.scope)
      let names = try database.read { try $0.rows("SELECT name, count(*) AS n FROM item GROUP BY name") }
      #expect(names.count == 1)
      #expect(try database.read { try $0.value("SELECT count(*) FROM item") } == .integer(50))
      try database.close()
    }
    for id in ids {
      try await app.activate(id: id)
      #expect(fixture.exists("list.sqlite"))
      let database = try Database(location, scope: app.scope)
      #expect(try await database.read { try $0.value("SELECT DISTINCT name FROM item") } == .text(id.uuidString))
      #expect(try await database.read { try $0.value("PRAGMA integrity_check") } == .text("ok"))
      try database.close()
    }
  }
}
