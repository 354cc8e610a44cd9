import AppGroups
import Foundation
import Inspector
import Signals
import Stores
import TestSupport
import Testing
import Tweaks

/// The kinds of resources in one process, and that reading changes nothing.
@Suite struct SnapshotTests {
  struct Settings: Codable, Sendable, Equatable {
    var theme = "light"
    var size = 12
  }

  @Test func `a shared value appears with its value and follows each change`() async throws {
    let directory = try InspectedDirectory()
    let file = try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: directory.container)
    let inspector = try Inspector(directory: directory.url)
    let first = try #require(inspector.value["file/settings.json"])
    #expect(first.value == ["theme": "light", "size": 12])
    #expect(first.status == .ok)
    #expect(first.path == "Files/settings.json")

    var changes = inspector.changes.values.makeAsyncIterator()
    try await file.write(Settings(theme: "dark", size: 12))
    let snapshot = try await inspector.wait { $0["file/settings.json"]?.value?["theme"] == "dark" }
    #expect(snapshot["file/settings.json"]?.version != first.version)
    let change = try #require(await changes.next())
    #expect(change.resource == "file/settings.json")
    #expect(change.operation == .update)
    #expect(change.summary == #"theme: "light" → "dark""#)
    #expect(change.differences?.map(\.path) == ["/theme"])
  }

  @Test func `the version of an envelope is shown apart from the value`() throws {
    let directory = try InspectedDirectory()
    _ = try AppGroupsFile(
      name: "note.json", initialValue: Settings(), container: directory.container,
      format: .versioned(FileVersions(Settings.self)))
    let resource = try #require(try Inspector(directory: directory.url).value["file/note.json"])
    #expect(resource.value?["theme"] == "light")
    guard case .file(let details) = resource.typedDetails else { throw CommandFailure() }
    #expect(details.envelope == "1")
    #expect(details.keys == ["size", "theme"])
  }

  @Test func `a damaged file, a binary one and a new one have the status that fits`() async throws {
    let directory = try InspectedDirectory()
    _ = try AppGroupsFile(name: "good.json", initialValue: 1, container: directory.container)
    try Data("{\"a\": ".utf8).write(to: directory.file("Files/bad.json"))
    try Data([0, 255, 254]).write(to: directory.file("Files/bytes"))
    let inspector = try Inspector(directory: directory.url)
    #expect(inspector.value["file/bad.json"]?.status == .damaged)
    #expect(inspector.value["file/bad.json"]?.problem?.contains("line 1") == true)
    #expect(inspector.value["file/bytes"]?.status == .binary)
    #expect(inspector.value["file/bytes"]?.value == nil)
    try Data("7".utf8).write(to: directory.file("Files/bad.json"), options: .atomic)
    _ = try await inspector.wait { $0["file/bad.json"]?.value == 7 }
    try FileManager.default.removeItem(at: directory.file("Files/bytes"))
    _ = try await inspector.wait { $0["file/bytes"] == nil }
  }

  @Test func `a sealed file and a sealed suite show the name of their key and nothing else`() async throws {
    let directory = try InspectedDirectory()
    let seal = FileSeal("2026", key: "secret", seal: TestCipher.seal, open: TestCipher.open)
    let file = try AppGroupsFile(
      name: "note", initialValue: "confidential", container: directory.container, format: .json.sealed(by: seal))
    let suite = try AppGroupsSuite(name: "suite.json", container: directory.container, seal: seal)
    try await suite.set("confidential", forKey: "word")
    let inspector = try Inspector(directory: directory.url)
    for name in ["note", "suite.json"] {
      let resource = try #require(inspector.value["file/\(name)"])
      #expect(resource.status == .binary)
      #expect(resource.value == nil)
      #expect(resource.problem == #"It is sealed with the key "2026"."#)
      guard case .file(let details) = resource.typedDetails else { throw CommandFailure() }
      #expect(!details.editable)
    }
    try await file.write("another")
    #expect(file.value == "another")
  }

  @Test func `a log shows its producers, its consumers and their lag`() async throws {
    let directory = try InspectedDirectory()
    let log = try AppGroupsLog<String>(name: "inbox", container: directory.container)
    try log.append(contentsOf: ["one", "two", "three"])
    let inspector = try Inspector(directory: directory.url)
    guard case .log(let before)? = inspector.value["log/inbox"]?.typedDetails else { throw CommandFailure() }
    #expect(before.end == "3")
    #expect(before.events == "3")
    #expect(before.producers.map(\.active) == [true])
    #expect(before.producers.map(\.pid) == [ProcessInfo.processInfo.processIdentifier])

    // Recorded from now on: after five seconds without progress, a consumer that is behind is shown as stalled.
    let snapshots = inspector.recorded()
    let events = try log.events(for: "indexer", acknowledgement: .explicit)
    let subscription = events.sink { entry in if ["one", "two"].contains(entry.event) { events.acknowledge(entry) } }
    try await events.saveProgress()
    let snapshot = try await snapshots.first("a consumer that is behind") { snapshot in
      let consumer = snapshot.consumer("indexer", of: "log/inbox")
      return consumer?.lag == 1 && consumer?.state == .behind
    }
    let consumer = try #require(snapshot.consumer("indexer", of: "log/inbox"))
    #expect(consumer.state == .behind)
    #expect(consumer.cursor == "2")
    #expect(consumer.end == "3")
    #expect(consumer.running)
    #expect((consumer.oldest ?? -1) >= 0)

    try log.append("four")
    let later = try await inspector.wait { $0.consumer("indexer", of: "log/inbox")?.lag == 2 }
    #expect(later.consumer("indexer", of: "log/inbox")?.cursors.map(\.lag) == [2])
    subscription.cancel()
    let recent = try await inspector.events(of: "log/inbox", limit: 2)
    #expect(recent.map(\.value) == ["three", "four"])
  }

  @Test func `a cursor beyond the end is an error and not a negative lag`() throws {
    let directory = try InspectedDirectory()
    let log = try AppGroupsLog<String>(name: "inbox", container: directory.container)
    try log.append("one")
    let cursors = directory.file("Logs/inbox/.consumers/reader.cursor")
    let position = "{\"segment\":1,\"offset\":9999,\"sequence\":50,\"isBroken\":false}"
    try Data("{\"positions\":{\"\(log.producer.uuidString)\":\(position)}}".utf8).write(to: cursors)
    let inspector = try Inspector(directory: directory.url)
    let consumer = try #require(inspector.value.consumer("reader", of: "log/inbox"))
    #expect(consumer.state == .unknown)
    #expect(consumer.lag == nil)
    #expect(consumer.error?.contains("50") == true)
  }

  @Test func `a presence lists those who are present`() async throws {
    let directory = try InspectedDirectory()
    let presence = try AppGroupsPresence<String>(name: "app", container: directory.container)
    let token = try presence.announce("editing")
    let inspector = try Inspector(directory: directory.url)
    guard case .presence(let details)? = inspector.value["presence/app"]?.typedDetails else { throw CommandFailure() }
    #expect(details.members.map(\.value) == ["editing"])
    #expect(inspector.value.processes.map(\.pid).contains(ProcessInfo.processInfo.processIdentifier))
    token.withdraw()
    _ = try await inspector.wait {
      if case .presence(let details)? = $0["presence/app"]?.typedDetails { details.members.isEmpty } else { false }
    }
  }

  @Test func `a database shows its tables, and pages of rows`() async throws {
    let directory = try InspectedDirectory()
    let database = try Database(.file(directory.file("notes.sqlite")))
    try await database.write { transaction in
      try transaction.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT, password TEXT)")
      for number in 1...5 { try transaction.execute("INSERT INTO note VALUES (?, ?, 'hunter2')", number, "n\(number)") }
    }
    let inspector = try Inspector(directory: directory.url)
    #expect(inspector.value.problems.isEmpty)
    guard case .database(let details)? = inspector.value["database/notes.sqlite"]?.typedDetails else {
      throw CommandFailure()
    }
    #expect(details.tables.map(\.name) == ["note"])
    #expect(details.tables.map(\.rows) == [5])
    #expect(!details.shared)
    let first = try await inspector.rows(of: "note", in: "database/notes.sqlite", limit: 3)
    #expect(first.rows.map { $0[0] } == [1, 2, 3])
    #expect(first.rows.allSatisfy { $0[2] == .redacted })
    let second = try await inspector.rows(of: "note", in: "database/notes.sqlite", after: first.next, limit: 3)
    #expect(second.rows.map { $0[1] } == ["n4", "n5"])
    #expect(second.next == nil)
    try await database.write { try $0.execute("DELETE FROM note WHERE id = 1") }
    _ = try await inspector.wait {
      if case .database(let details)? = $0["database/notes.sqlite"]?.typedDetails {
        details.tables[0].rows == 4
      } else {
        false
      }
    }
  }

  @Test func `flags have a trace, and overrides are marked`() async throws {
    let directory = try InspectedDirectory()
    let suite = try AppGroupsSuite(name: "flags.json", container: directory.container)
    let provider = SuiteTweakProvider(suite: suite)
    try provider.set(20, feature: "shop", variable: "limit")
    let shop = #"{"shop": {"limit": {"Title": "Limit", "Value": 10}, "new": {"Title": "New shop", "Value": false}}}"#
    try Data(shop.utf8).write(to: directory.file("Files/Shop.tweaks.json"))
    let inspector = try Inspector(directory: directory.url)
    let limit = try #require(inspector.value["tweak/shop/limit"])
    #expect(limit.value == 20)
    guard case .tweak(let details) = limit.typedDetails else { throw CommandFailure() }
    #expect(details.title == "Limit")
    #expect(details.type == "int")
    #expect(details.overridden)
    #expect(details.trace.map(\.provider) == ["Files/flags.json", "Files/Shop.tweaks.json"])
    #expect(details.trace.map(\.text) == ["20", "10"])
    #expect(details.trace.map(\.winner) == [true, false])
    #expect(inspector.value["tweak/shop/new"]?.value == false)
    try provider.deleteValue(feature: "shop", variable: "limit")
    _ = try await inspector.wait { $0["tweak/shop/limit"]?.value == 10 }
  }

  @Test func `the JSON of a snapshot decodes to a value with the same JSON`() throws {
    let directory = try InspectedDirectory()
    _ = try AppGroupsFile(name: "big.json", initialValue: Int.max, container: directory.container)
    let log = try AppGroupsLog<String>(name: "inbox", container: directory.container)
    try log.append("one")
    _ = try Database(.file(directory.file("notes.sqlite")))
    let snapshot = try Inspector(directory: directory.url).value
    let json = try InspectorJSON.encode(snapshot)
    let again = try InspectorJSON.decode(InspectedValue.self, from: json)
    let resources = again["resources"]?.array ?? []
    #expect(resources.first { $0["id"] == "file/big.json" }?["value"] == .integer(.max))
    #expect(resources.map { $0["id"]?.string } == snapshot.resources.map(\.id))
    #expect(try InspectorJSON.encode(again) == json)
    #expect(String(decoding: json, as: UTF8.self).contains(#""$number":"9223372036854775807""#))
  }

  @Test func `a directory that does not exist is an error`() throws {
    let directory = try InspectedDirectory()
    let missing = directory.file("nowhere")
    #expect(throws: InspectorError.missingDirectory(missing)) { try Inspector(directory: missing) }
  }
}

/// A resource that is not of the expected kind.
struct CommandFailure: Error {}

extension InspectorSnapshot {
  func consumer(_ name: String, of log: String) -> InspectedLog.Consumer? {
    guard case .log(let details)? = self[log]?.typedDetails else { return nil }
    return details.consumers.first { $0.name == name }
  }
}
