import AppGroups
import FileSignals
import Foundation
import Inspector
import Signals
import TestSupport
import Testing

/// An inspector of a directory that live processes use.
@Suite struct ProcessTests {
  @Test func `reading everything of live processes changes nothing on disk`() async throws {
    let directory = try InspectedDirectory()
    let (app, sync) = (try PeerProcess(), try PeerProcess())
    let path = directory.url.path
    for command in [
      "container \(path)", "open note.json", "write note.json hello", "presence \(path) app", "announce here",
      "log \(path) inbox", "append one", "append two", "suite \(path) settings.json", "suite-set theme dark",
      "tweaks \(path)", "tweak-set shop limit 5", "share-database \(path)/items.sqlite \(path) app", "insert-items 3 x",
    ] {
      _ = try await app.send(command)
    }
    _ = try await sync.send("log \(path) inbox")
    _ = try await sync.send("follow-log indexer")
    _ = try await sync.send("share-database \(path)/items.sqlite \(path) sync")
    // The consumer saves its position after it has handled the events.
    let settled = try Inspector(directory: directory.url)
    _ = try await settled.wait { snapshot in
      snapshot.consumer("indexer", of: "log/inbox")?.state == .caughtUp
    }
    // A moment without writes is found by comparing two listings around a snapshot.
    var isEqual = false
    for _ in 0..<20 where !isEqual {
      let before = try directory.listing()
      let inspector = try Inspector(directory: directory.url)
      _ = await inspector.refresh()
      _ = try await inspector.events(of: "log/inbox")
      _ = try await inspector.rows(of: "item", in: "database/items.sqlite")
      #expect(inspector.value.problems.isEmpty)
      isEqual = try directory.listing() == before
    }
    #expect(isEqual)
    let snapshot = settled.value
    let kinds = Set(snapshot.resources.map(\.kind))
    #expect(kinds.isSuperset(of: [.file, .suite, .log, .presence, .database, .tweak]))
    #expect(snapshot["file/note.json"]?.value?["text"] == "hello")
    #expect(snapshot["tweak/shop/limit"]?.value == 5)
    try await app.kill()
    try await sync.kill()
  }

  @Test func `a consumer whose process died is dead, and its lag grows`() async throws {
    let directory = try InspectedDirectory()
    let peer = try PeerProcess()
    let path = directory.url.path
    let log = try AppGroupsLog<String>(name: "inbox", container: directory.container)
    try log.append("one")
    _ = try await peer.send("log \(path) inbox")
    _ = try await peer.send("follow-log indexer")
    let inspector = try Inspector(directory: directory.url)
    let live = try await inspector.wait { $0.consumer("indexer", of: "log/inbox")?.state == .caughtUp }
    #expect(live.consumer("indexer", of: "log/inbox")?.running == true)
    try await peer.kill()
    try log.append("two")
    let dead = try await inspector.wait { $0.consumer("indexer", of: "log/inbox")?.state == .dead }
    #expect(dead.consumer("indexer", of: "log/inbox")?.lag == 1)
  }

  #if os(Linux)
    @Test func `a lock names its holder, and goes when the holder dies`() async throws {
      let directory = try InspectedDirectory()
      _ = try AppGroupsFile(name: "note.json", initialValue: 1, container: directory.container)
      let peer = try PeerProcess()
      _ = try await peer.send("hold \(directory.file("Files/note.json").path)")
      let inspector = try Inspector(directory: directory.url)
      let held = try await inspector.wait { $0["lock/Files/.shared/note.json.lock"] != nil }
      guard case .lock(let lock)? = held["lock/Files/.shared/note.json.lock"]?.typedDetails else {
        throw CommandFailure()
      }
      #expect(lock.purpose == "writing note.json")
      #expect(lock.mode == "write")
      #expect(lock.holders.map(\.pid) == [peer.identifier])
      #expect(held.processes.contains { $0.pid == peer.identifier && $0.holds > 0 })
      guard case .file(let file)? = held["file/note.json"]?.typedDetails else { throw CommandFailure() }
      #expect(file.holder?.pid == peer.identifier)
      var changes = inspector.changes.values.makeAsyncIterator()
      try await peer.kill()
      _ = try await inspector.wait { $0["lock/Files/.shared/note.json.lock"] == nil }
      while let change = await changes.next() {
        guard change.kind == .lock, change.operation == .delete else { continue }
        #expect(change.summary == "released by exit: writing note.json")
        break
      }
    }
  #endif

  @Test func `the inspector never holds a lock of the directory`() async throws {
    let directory = try InspectedDirectory()
    let log = try AppGroupsLog<String>(name: "inbox", container: directory.container)
    try log.append("one")
    _ = try AppGroupsFile(name: "note.json", initialValue: 1, container: directory.container)
    let inspector = try Inspector(directory: directory.url)
    let mine = ProcessInfo.processInfo.processIdentifier
    let before = try LockTable.files(in: directory.url, lockedBy: mine)
    for _ in 0..<50 { await inspector.refresh() }
    #expect(try LockTable.files(in: directory.url, lockedBy: mine) == before)
  }

  @Test(arguments: [
    (["container .", "open note.json"], ["because mail write note.json hello"], "file/note.json"),
    (["suite . settings.json"], ["because mail suite-set theme dark"], "suite/settings.json"),
    (["tweaks ."], ["because mail tweak-set shop limit 5"], "tweak/shop/limit"),
    (["share-database ./items.sqlite . app"], ["because mail insert-items 1 x"], "database/items.sqlite"),
    (["env ./app"], ["because mail env-new second"], "container/app"),
    (["context-open ./user database", "context-setup"], ["because mail context-login kim"], "session/user"),
    (["context-open ./user file", "context-setup"], ["because mail context-login kim"], "session/user/session.json"),
  ])
  func `a change says which process made it, and why`(
    begin: [String], change: [String], id: String
  ) async throws {
    let directory = try InspectedDirectory()
    let peer = try PeerProcess()
    for folder in ["app", "user"] {
      try FileManager.default.createDirectory(at: directory.file(folder), withIntermediateDirectories: true)
    }
    func send(_ command: String) async throws {
      let words = command.split(separator: " ").map { word in
        word == "." || word.hasPrefix("./") ? directory.url.path + word.dropFirst() : String(word)
      }
      try await peer.send(words.joined(separator: " "))
    }
    for command in begin { try await send(command) }
    let inspector = try Inspector(directory: directory.url)
    let changes = inspector.changes.recorded()
    for command in change { try await send(command) }
    let made = try await changes.first("the change") { [id] in
      $0.resource.hasPrefix(id) || id.hasPrefix("suite") && $0.resource == "file/settings.json"
    }
    #expect(made.process == "Peer-\(peer.identifier)" && made.cause == "mail")
    let shown = try #require(await inspector.refresh()[made.resource])
    #expect(shown.process == "Peer-\(peer.identifier)" && shown.cause == "mail")
    try await peer.kill()
  }

  @Test func `commits of another process appear with their author`() async throws {
    let directory = try InspectedDirectory()
    let peer = try PeerProcess()
    let path = directory.url.path
    _ = try await peer.send("share-database \(path)/items.sqlite \(path) app")
    let inspector = try Inspector(directory: directory.url)
    var changes = inspector.changes.values.makeAsyncIterator()
    _ = try await peer.send("insert-items 2 x")
    let snapshot = try await inspector.wait {
      if case .database(let details)? = $0["database/items.sqlite"]?.typedDetails {
        details.history?.last == "2"
      } else {
        false
      }
    }
    guard case .database(let details)? = snapshot["database/items.sqlite"]?.typedDetails else { throw CommandFailure() }
    #expect(details.history?.entries.map(\.author) == ["app", "app"])
    #expect(details.history?.entries.map(\.inserted) == [1, 1])
    var seen: [InspectorChange] = []
    while seen.count < 2, let change = await changes.next() {
      if change.kind == .database { seen.append(change) }
    }
    #expect(seen.map(\.author) == ["app", "app"])
    #expect(seen.first?.summary == "item: 1 inserted")
    try await peer.kill()
  }
}
