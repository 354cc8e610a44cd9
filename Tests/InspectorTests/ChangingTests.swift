import AppGroups
import Containers
import Foundation
import Inspector
import Signals
import Stores
import TestSupport
import Testing
import Tweaks

/// Changes that an inspector makes.
@Suite struct ChangingTests {
  struct Settings: Codable, Sendable, Equatable {
    var theme = "light"
    var size = 12
    var password = "hunter2"
  }

  private func settings(_ directory: InspectedDirectory) throws -> AppGroupsFile<Settings> {
    try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: directory.container)
  }

  private func edit(_ path: String, _ value: InspectedValue, _ inspector: Inspector) -> InspectorRequest {
    inspector.request("file/settings.json", path, value)
  }

  @Test func `one place of a value is changed, and the app sees it`() async throws {
    let directory = try InspectedDirectory()
    let file = try settings(directory)
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let dry = try await inspector.perform(edit("/theme", "dark", inspector), dryRun: true)
    #expect(dry.dryRun && !dry.done)
    #expect(dry.differences?.map(\.new) == ["dark"])
    #expect(file.value.theme == "light")
    let outcome = try await inspector.perform(edit("/theme", "dark", inspector))
    #expect(outcome.message == #"Set Files/settings.json: theme: "light" → "dark"."#)
    #expect(outcome.version == inspector.value["file/settings.json"]?.version)
    // The hidden part keeps its value.
    #expect(try await file.update { $0 } == Settings(theme: "dark", size: 12))
  }

  @Test func `a whole value keeps its hidden parts`() async throws {
    let directory = try InspectedDirectory()
    let file = try settings(directory)
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let value: InspectedValue = ["theme": "dark", "size": 20, "password": .redacted]
    _ = try await inspector.perform(inspector.request("file/settings.json", nil, value, action: .setValue))
    #expect(try await file.update { $0 } == Settings(theme: "dark", size: 20))
  }

  @Test func `a value that changed in the meantime is a conflict`() async throws {
    let directory = try InspectedDirectory()
    let file = try settings(directory)
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let request = edit("/theme", "dark", inspector)
    try await file.update { $0.size = 13 }
    let error = try await inspector.refusal(of: request)
    guard case .conflict(_, let path, _, let theirs, let yours) = error else { throw error }
    #expect(path == "Files/settings.json")
    #expect(theirs?["size"] == 13)
    #expect(yours?["theme"] == "dark")
    #expect(!"\(theirs as Any) \(yours as Any)".contains("hunter2"))
    #expect(file.value.theme == "light")
  }

  @Test(arguments: [
    ("/theme", InspectedValue.integer(1)), ("/size", .string("big")), ("/other", .string("x")),
    ("", .object(["theme": "dark"])), ("", .integer(7)),
  ])
  func `another shape is refused`(path: String, value: InspectedValue) async throws {
    let directory = try InspectedDirectory()
    let file = try settings(directory)
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    var request = edit(path, value, inspector)
    if path.isEmpty { request.action = .setValue }
    let error = try await inspector.refusal(of: request)
    #expect(error.code == "shape", "\(error)")
    #expect(file.value == Settings())
  }

  @Test func `an inspector for reading changes nothing`() async throws {
    let directory = try InspectedDirectory()
    let file = try settings(directory)
    let inspector = try Inspector(directory: directory.url)
    await #expect(throws: InspectorError.readOnly(operation: "Set settings.json at /theme")) {
      try await inspector.perform(edit("/theme", "dark", inspector))
    }
    #expect(file.value == Settings())
  }

  @Test func `an override of a flag reaches another process, and only values of its type are accepted`() async throws {
    let directory = try InspectedDirectory()
    let peer = try PeerProcess()
    _ = try await peer.send("tweaks \(directory.url.path)")
    _ = try await peer.send("tweak-set shop limit 5")
    _ = try await peer.send("tweak-observe shop limit")
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    var request = InspectorRequest(.setTweak, "tweak/shop/limit")
    request.text = "many"
    #expect(try await inspector.refusal(of: request).cause.contains("is not an Int"))
    request.text = "7"
    let outcome = try await inspector.perform(request)
    #expect(outcome.message.hasPrefix("Set shop/limit to 7 in Files/"))
    #expect(outcome.message.hasSuffix("; it was 5."))
    #expect(outcome.undo?.text == "5")
    #expect(inspector.value["tweak/shop/limit"]?.value == 7)
    _ = try await peer.events.first("the flag") { $0 == "tweak 7" }
    let reset = try await inspector.perform(InspectorRequest(.resetTweak, "tweak/shop/limit"))
    #expect(reset.message.hasPrefix("Reset shop/limit"))
    try await peer.kill()
  }

  @Test func `environments are created, switched, renamed and deleted`() async throws {
    let directory = try InspectedDirectory()
    let app = try AppContainer(home: directory.url)
    let note = try AppGroupsFile(name: "note.json", initialValue: "default", scope: app.scope)
    _ = try app.create(name: "First")
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    var create = InspectorRequest(.createContainer, "container/")
    create.name = "Work"
    #expect(try await inspector.perform(create).message.hasPrefix("Created the environment Work"))
    var switching = InspectorRequest(.switchContainer, "container/")
    switching.id = "Work"
    let outcome = try await inspector.perform(switching)
    #expect(app.active.value.name == "Work")
    // A value in an environment is changed in its scope.
    _ = try await inspector.perform(inspector.request("file/note.json", nil, "work", action: .setValue))
    #expect(try await note.update { $0 } == "work")
    let undo = try #require(outcome.undo)
    _ = try await inspector.perform(undo)
    #expect(app.active.value.isDefault)
    #expect(try await note.update { $0 } == "default")
    var rename = InspectorRequest(.renameContainer, "container/")
    (rename.id, rename.name) = ("Work", "Test")
    _ = try await inspector.perform(rename)
    var delete = InspectorRequest(.deleteContainer, "container/")
    delete.id = "Test"
    _ = try await inspector.perform(delete)
    guard case .container(let details)? = inspector.value["container/"]?.typedDetails else { throw CommandFailure() }
    #expect(details.environments.map(\.name) == ["Default", "First"])
  }

  @Test func `an environment is exported and imported, and all are reset`() async throws {
    let directory = try InspectedDirectory()
    let archives = try TemporaryDirectory()
    let app = try AppContainer(home: directory.url)
    _ = try app.create(name: "Work")
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    var export = InspectorRequest(.exportContainer, "container/")
    (export.id, export.path) = ("Work", archives.url.appending(path: "work").path)
    _ = try await inspector.perform(export)
    var importing = InspectorRequest(.importContainer, "container/")
    (importing.path, importing.name) = (export.path, "Copy")
    let dry = try await inspector.perform(importing, dryRun: true)
    #expect(dry.message.hasPrefix("Would import an environment from /"))
    #expect(app.environments.value.map(\.name) == ["Default", "Work"])
    _ = try await inspector.perform(importing)
    guard case .container(let details)? = inspector.value["container/"]?.typedDetails else { throw CommandFailure() }
    #expect(details.environments.map(\.name) == ["Default", "Work", "Copy"])
    importing.path = "work"
    let relative = importing
    await #expect(throws: InspectorError.self) { try await inspector.perform(relative) }
    let outcome = try await inspector.perform(InspectorRequest(.resetContainers, "container/"))
    #expect(outcome.message == "Deleted 2 environments; the default one is active.")
    #expect(app.environments.value.map(\.name) == ["Default"])
  }

  @Test func `a dead consumer is removed, and a running one is not`() async throws {
    let directory = try InspectedDirectory()
    let log = try AppGroupsLog<String>(name: "inbox", container: directory.container)
    try log.append("one")
    let subscription = try log.events(for: "indexer").sink { _ in }
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    _ = try await inspector.wait { $0.consumer("indexer", of: "log/inbox")?.state == .caughtUp }
    var request = InspectorRequest(.removeConsumer, "log/inbox")
    request.consumer = "indexer"
    #expect(try await inspector.refusal(of: request).cause == "a process runs as this consumer")
    subscription.cancel()
    _ = try await inspector.wait { $0.consumer("indexer", of: "log/inbox")?.running == false }
    let outcome = try await inspector.perform(request)
    #expect(outcome.message == "Removed the consumer indexer of the log inbox.")
    #expect(inspector.value.consumer("indexer", of: "log/inbox")?.cursor ?? "0" == "0")
    #expect(try await inspector.perform(InspectorRequest(.trimLog, "log/inbox")).done)
  }

  private struct NoPaper: Error, CustomStringConvertible {
    var description: String { "no paper" }
  }

  @Test func `a failed job of a work queue is shown with its error, retried and cancelled`() async throws {
    let directory = try InspectedDirectory()
    let database = try Database(.file(directory.url.appending(path: "spool.sqlite")))
    let pages = WorkQueue<String>("pages", in: database, retries: .constant(.zero, limit: 0))
    let id = try await pages.add("secret letter")
    try await pages.add("another")
    for page in try pages.claim() { try page.fail(NoPaper()) }
    let running = try pages.claim()
    let inspector = try Inspector(directory: directory.url, isWritable: true)
    let queue = try #require(try await inspector.queue { $0.counts == ["failed": 1, "running": 1] })
    #expect(queue.jobs.map(\.state) == ["running", "failed"])
    #expect(queue.jobs.map(\.error) == [nil, "no paper"])
    #expect(queue.jobs.map { $0.process != nil } == [true, false])
    let retry = InspectorRequest.retryJob(id, of: "pages", in: "database/spool.sqlite")
    #expect(try await inspector.perform(retry, dryRun: true).message == "Would retry the job 1 of the queue pages.")
    #expect(try await inspector.perform(retry).message == "Retried the job 1 of the queue pages.")
    #expect(try await inspector.refusal(of: retry).cause == "the job is neither failed nor delayed")
    #expect(try await inspector.queue { $0.counts == ["waiting": 1, "running": 1] } != nil)
    _ = try await inspector.perform(.cancelJob(running[0].id, of: "pages", in: "database/spool.sqlite"))
    #expect(throws: DatabaseError.self) { try running[0].finish() }
    let unknown = InspectorRequest.retryJob(id, of: "letters", in: "database/spool.sqlite")
    await #expect(throws: InspectorError.self) { try await inspector.perform(unknown) }
    try database.close()
  }
}

extension Inspector {
  /// Waits for the queue of the database `spool.sqlite` to satisfy a condition.
  fileprivate func queue(
    where isWanted: @escaping @Sendable (InspectedDatabase.Queue) -> Bool
  ) async throws -> InspectedDatabase.Queue? {
    let snapshot = try await wait { $0.queue.map(isWanted) ?? false }
    return snapshot.queue
  }
}

extension InspectorSnapshot {
  fileprivate var queue: InspectedDatabase.Queue? {
    guard case .database(let details)? = self["database/spool.sqlite"]?.typedDetails else { return nil }
    return details.queues?.first
  }
}
