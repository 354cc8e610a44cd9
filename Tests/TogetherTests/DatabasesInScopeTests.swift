import AppGroups
import Containers
import Foundation
import Signals
import SignalsTesting
import Stores
import TestSupport
import Testing

@Suite("Live rows and queries in a root that is switched", .patient)
struct DatabasesInScopeTests {
  private let root: TemporaryDirectory
  private let app: AppContainer
  private let ids: [UUID]
  private let location: DatabaseLocation
  private static let schema = Schema(version: 1, models: [Entry.self])

  init() throws {
    root = try TemporaryDirectory()
    let app = try AppContainer(home: root.url.appending(path: "home", directoryHint: .isDirectory))
    self.app = app
    location = .file(app.home.appending(path: "list.sqlite", directoryHint: .notDirectory))
    ids = try [AppContainer.Environment.defaultID] + ["Work", "Play"].map { try app.create(name: $0).id }
  }

  private func open() throws -> Database { try Database(location, schema: Self.schema, scope: app.scope) }

  private struct Moment: Equatable, Sendable {
    let active, file, row: String
    let rows: [String]
    let count: Int
    /// A Boolean value that indicates whether the values belong to different environments.
    var isMixed: Bool { file != active || row != active || rows != [active, active] || count != 2 }
  }

  /// A file, a row and two queries that hold the identifier of the environment.
  private struct Values: Sendable {
    let file: AppGroupsFile<String>
    let row: LiveObject<Entry>
    let all: Property<Moment>

    init(_ app: AppContainer, _ database: Database) throws {
      file = try AppGroupsFile(name: "name.json", initialValue: "none", scope: app.scope)
      row = try database.live(Entry.self, id: 1)
      let rows = database.query(Entry.ordered { $0.id }).property(initial: [])
      let count = database.observe { transaction in try transaction.count(Entry.self) }
        .property(initial: 0)
      all = .derived(app.active, file.property, row.property, rows, count) { active, file, row, rows, count in
        Moment(
          active: active.id.uuidString, file: file, row: row?.environment ?? "none", rows: rows.map(\.environment),
          count: count)
      }
    }
  }

  private func fill(_ database: Database) throws {
    let file = try AppGroupsFile(name: "name.json", initialValue: "none", scope: app.scope)
    for id in ids.reversed() {
      try app.activate(id: id)
      try file.write(id.uuidString)
      try database.write { try $0.put([1, 2].map { Entry(id: $0, environment: id.uuidString) }) }
    }
  }

  @Test func `live rows and queries change with files and the active environment before activate returns`() throws {
    let database = try open()
    try fill(database)
    let values = try Values(app, database)
    #expect(!values.all.value.isMixed)
    let moments = values.all.recorded()
    let order = Recorder<String>()
    let subscription = values.row.sink { [app] in
      order.record("\($0?.environment == app.active.value.id.uuidString)")
    }
    for round in 1...50 {
      try app.activate(id: ids[round % 3])
      #expect(moments.elements.count == round + 1)
      #expect(moments.elements.last?.active == ids[round % 3].uuidString)
    }
    #expect(moments.elements.filter(\.isMixed) == [])
    #expect(Set(order.elements) == ["true"])
    subscription.cancel()
  }

  @Test func `live rows and queries are never mixed when other processes switch during writes`() async throws {
    let database = try open()
    try await onThread { [self] in try fill(database) }
    let values = try Values(app, database)
    let moments = values.all.recorded()
    let names = ids.map(\.uuidString).joined(separator: ",")
    let peers = try [PeerProcess(), PeerProcess()]
    for peer in peers { try await peer.send("env \(app.home.path)") }
    let count = Scale.count(25, torture: 1_000)
    async let first = peers[0].send("env-hammer \(names) \(count) 3")
    async let second = peers[1].send("env-hammer \(names) \(count) 5")
    try await onThread {
      for _ in 0..<count {
        // Equal rows, which are read again.
        try database.write { transaction in try transaction.put(try transaction.all(Entry.self)) }
      }
    }
    _ = try await (first, second)
    try await app.activate(id: ids[1])
    #expect(moments.elements.filter(\.isMixed) == [])
    #expect(moments.elements.last?.active == ids[1].uuidString)
  }

  @Test func `live rows and queries become empty in the same change if a database cannot be read`() throws {
    try app.activate(id: ids[1])
    guard case .file(let url) = location else { return }
    try Data(repeating: 65, count: 5_000).write(to: url)
    try app.activate(id: ids[0])
    let database = try open()
    try database.write { try $0.put([1, 2].map { Entry(id: $0, environment: "default") }) }
    let row = try database.live(Entry.self, id: 1)
    let query = database.query(Entry.ordered { $0.id })
    let rows = query.property(initial: [])
    let count = database.observe { transaction in try transaction.count(Entry.self) }
    let failures = (query.failures.recorded(), row.failures.recorded())
    let all = Property.derived(app.active, row.property, rows, count.property(initial: 0)) {
      "\($0.name): \($1?.environment ?? "no row"), \($2.count) rows, \($3)"
    }.recorded()
    try app.activate(id: ids[1])
    #expect(row.value == nil && rows.value.isEmpty)
    for status in [row.status.value, query.status.value, count.status.value] {
      guard case .stale(.notADatabase, _) = status else {
        Issue.record("It is \(status)")
        continue
      }
    }
    #expect(failures.0.elements.count == 1 && failures.1.elements.count == 1)
    try app.activate(id: ids[0])
    #expect(row.status.value == .current && query.status.value == .current)
    let found = "Default: default, 2 rows, 2"
    #expect(all.elements == [found, "Work: no row, 0 rows, 0", found])
  }
}
