import AppGroups
import FileSignals
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import Stores

private struct Entry: StoreModel {
  static let table = TableSpec("entry")
  var id: Int
}

@Suite("A cache that another process has rebuilt", .patient)
struct RebuiltCacheTests {
  private let directory: TemporaryDirectory
  private var url: URL { directory.file("cache.sqlite") }
  private let schema = Schema(version: 1, models: [Entry.self])

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func open(_ policy: DatabasePolicy = .cache, scope: Scope? = nil) throws -> Database {
    try Database(.file(url), schema: schema, policy: policy, scope: scope)
  }

  /// Overwrites the beginning of the file, as a faulty disk or program does, and opens it, which rebuilds it.
  private func rebuild() throws -> Database {
    let file = try FileHandle(forWritingTo: url)
    try file.write(contentsOf: Data(repeating: 0x55, count: 4096))
    try file.close()
    let log = try FileHandle(forWritingTo: URL(filePath: url.path + "-wal"))
    try log.truncate(atOffset: 0)
    try log.close()
    let database = try open()
    guard case .rebuilt = database.schemaOutcome else {
      Issue.record("it was \(String(describing: database.schemaOutcome))")
      return database
    }
    return database
  }

  private func peer() async throws -> PeerProcess {
    let peer = try PeerProcess()
    try await peer.send("cache-open \(url.path)")
    try await peer.send("cache-put 1")
    #expect(try await peer.send("cache-count") == "1")
    return peer
  }

  /// Removes the file, as a system that needs space does.
  private func remove() throws {
    for end in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: url.path + end) {
      try FileManager.default.removeItem(atPath: url.path + end)
    }
  }

  @Test func `a claim in the removed file does not end the job that has its number in the next one`() throws {
    let database = try open()
    let queue = WorkQueue<String>("letters", in: database)
    try queue.add("old")
    let old = try #require(try queue.claim().first)
    try remove()
    try queue.add("new")
    let new = try #require(try queue.claim().first)
    #expect(old.id == new.id && old.attempt == new.attempt && new.value == "new")
    #expect(throws: DatabaseError.claimLost(queue: "letters", job: old.id, path: url.path)) { try old.finish() }
    try new.finish()
    #expect(try queue.claim().isEmpty)
  }

  @Test func `a claim that is released in the removed file does not return the job in the next one`() async throws {
    let database = try open()
    let queue = WorkQueue<String>("letters", in: database)
    try await queue.add("old")
    var old = try queue.claim().first
    try remove()
    try await queue.add("new")
    let new = try #require(try queue.claim().first)
    #expect(old?.id == new.id)
    old = nil
    while queue.engine.state.withLock({ !$0.released.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
    try await onThread { queue.engine.queue.sync {} }
    try new.finish()
    #expect(try queue.claim().isEmpty)
  }

  @Test(arguments: [true, false])
  func `a cache that is removed while its container is suspended is created again`(byPeer: Bool) async throws {
    let container = try AppGroupsContainer(directory: directory.url)
    let database = try open()
    try await database.write { try $0.put(Entry(id: 1)) }
    try await container.suspend()
    try remove()
    let peer = byPeer ? try await peer() : nil
    try await container.resume()
    #expect(database.status.value == .open)
    #expect(try await database.read { try $0.all(Entry.self).map(\.id) } == (byPeer ? [1] : []))
    try await database.write { try $0.put(Entry(id: 2)) }
    if let peer { #expect(try await peer.send("cache-count") == "2") }
  }

  @Test func `writes of another process go to the new file`() async throws {
    let peer = try await peer()
    let database = try rebuild()
    try await peer.send("cache-put 2")
    #expect(try await database.read { try $0.all(Entry.self).map(\.id) } == [2])
    #expect(try await peer.send("cache-count") == "1")
  }

  @Test func `reads of another process see the new file`() async throws {
    let peer = try await peer()
    let database = try rebuild()
    try await database.write {
      try $0.put(Entry(id: 7)); try $0.put(Entry(id: 8))
    }
    #expect(try await peer.send("cache-count") == "2")
  }

  @Test func `live queries of another process follow the new file without a call`() async throws {
    let peer = try await peer()
    try await peer.send("cache-follow")
    try await peer.events.wait(for: "count 1")
    let database = try rebuild()
    try await peer.events.wait(for: "count 0")
    for id in 1...3 {
      try await database.write { try $0.put(Entry(id: id)) }
      try await peer.events.wait(for: "count \(id)")
    }
  }

  @Test func `a removed cache is created again by the next write, and other databases refuse`() throws {
    for (policy, name) in [(DatabasePolicy.cache, "cache"), (.persistence, "persistence")] {
      let url = directory.file("\(name)-removed.sqlite")
      let database = try Database(.file(url), schema: schema, policy: policy)
      try database.write { try $0.put(Entry(id: 1)) }
      for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: url.path + suffix) }
      let error = databaseError { try database.write { try $0.put(Entry(id: 2)) } }
      #expect(error == (policy == .cache ? nil : .fileRemoved(path: url.path)))
      if policy == .cache { #expect(try database.read { try $0.all(Entry.self).map(\.id) } == [2]) }
    }
  }

  @Test func `stores of one scope follow, and a later switch closes the cache as before`() async throws {
    let root = try directory.makeFolder("live")
    let scope = Scope(root: root)
    let versions = StoreVersions(cache: schema)
    func store() -> Store {
      Store(persistenceDirectory: root, cacheDirectory: root, versions: versions, scope: scope)
    }
    let (store, other) = (store(), store())
    let counts = Recorder<Int>()
    let subscription = try store.cache.observe { try $0.count(Entry.self) }.sink { counts.record($0) }
    try await store.cache.write { try $0.put(Entry(id: 1)) }
    let file = try FileHandle(forWritingTo: root.appending(path: "cache.sqlite"))
    try file.write(contentsOf: Data(repeating: 0x55, count: 4096))
    try file.close()
    let log = try FileHandle(forWritingTo: root.appending(path: "cache.sqlite-wal"))
    try log.truncate(atOffset: 0)
    try log.close()
    let rebuilt = try other.cache
    guard case .rebuilt = rebuilt.schemaOutcome else { Issue.record("it was not rebuilt"); return }
    try await counts.wait { $0.last == 0 }
    for id in 1...3 { try await rebuilt.write { try $0.put(Entry(id: id)) } }
    try await counts.wait { $0.last == 3 }
    try await store.cache.write { try $0.put(Entry(id: 4)) }
    #expect(try await rebuilt.read { try $0.count(Entry.self) } == 4)
    subscription.cancel()
  }
}
