import AppGroups
import CLibrary
import Containers
import Contexts
import FileSignals
import Foundation
import Signals
import Stores
import TestSupport
import Testing
import Tweaks

@Suite("Failures in one place")
struct FailurePlaceTests {
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private func damage(_ url: URL) throws { try DurableFile.write(Data("{".utf8), to: url) }

  private func makeBrokenDatabase(at url: URL) throws {
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(repeating: 65, count: 5_000).write(to: url)
  }

  @Test func `a container has the failures of everything in it, each with what it concerns`() async throws {
    let container = try AppGroupsContainer(directory: directory.url)
    let reports = container.failures.recorded()
    let file = try AppGroupsFile(name: "count.json", initialValue: 1, container: container)
    try damage(file.url)
    try await reports.first("the file") { $0.source == "AppGroupsFile" && $0.subject == file.url.path }
    let suite = try AppGroupsSuite(name: "settings.json", container: container)
    try await suite.set("loud", forKey: "volume")
    #expect(suite.preference("volume", default: 5).value == 5)
    let value = try await reports.first("the value") { $0.source == "AppGroupsSuite" && $0.subject == suite.url.path }
    guard case .undecodableValue(_, key: "volume", _, _) = value.error as? AppGroupsFileError else {
      Issue.record("It is \(value)")
      return
    }
    // A database has no argument for a container.
    let url = directory.file("data.sqlite")
    let database = try Database(.file(url))
    let query = database.observe { try $0.value("SELECT count(*) FROM missing") == nil }
    let values = query.recorded()
    try await reports.first("the query") { $0.source == "LiveQuery" && $0.subject == url.path }
    withExtendedLifetime(values) {}
    // What was opened elsewhere does not belong to the container, and a value of the same container sees the same.
    let other = try TemporaryDirectory()
    let otherFile = try AppGroupsFile(url: other.file("count.json"), initialValue: 1, isCreating: true)
    try damage(otherFile.url)
    try await otherFile.status.firstValue("the damage") { $0.failure != nil }
    let late = try AppGroupsContainer(directory: directory.url).failures.recorded()
    #expect(reports.elements.map(\.subject) == [file.url.path, suite.url.path, url.path])
    #expect(late.elements.map(\.subject) == reports.elements.map(\.subject))
  }

  @Test func `a file that was opened through a link belongs to its container`() async throws {
    let container = try AppGroupsContainer(directory: directory.makeFolder("group"))
    let link = directory.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: container.containerURL)
    let reports = container.failures.recorded()
    let url = link.appending(path: "count.json", directoryHint: .notDirectory)
    let file = try AppGroupsFile(url: url, initialValue: 1, isCreating: true)
    try damage(url)
    try await reports.first("the file") { $0.subject == file.url.path }
  }

  @Test func `a manager of flags passes failures on, and does not report them again`() async throws {
    let container = try AppGroupsContainer(directory: directory.url)
    let url = directory.file("flags.json")
    try damage(url)
    let reports = FailureReport.all.filter { [path = url.path] in "\($0)".contains(path) }.recorded()
    let inContainer = container.failures.recorded()
    let file = try FileTweakProvider(url: url, isOptional: true)
    let manager = TweakManager(providers: [TweakManager(providers: [file], name: "inner")], name: "outer")
    let failures = manager.failures.recorded()
    #expect(manager.value(feature: "shop", variable: "limit", default: 5) == 5)
    try await inContainer.first("the failure") { $0.source == "FileTweakProvider" && $0.subject == url.path }
    #expect(!failures.elements.isEmpty)
    #expect(reports.elements.map(\.source) == ["FileTweakProvider"])
  }

  @Test func `an optional file may be missing, and what the program closes has not failed`() async throws {
    let container = try AppGroupsContainer(directory: directory.url)
    let reports = container.failures.recorded()
    let url = directory.file("flags.json")
    try await DurableFile.write(Data("{}".utf8), to: url)
    let flags = try FileTweakProvider(url: url, isOptional: true)
    try FileManager.default.removeItem(at: url)
    try await flags.status.firstValue("the removal") { $0 == .missing }
    let database = try Database(.file(directory.file("data.sqlite")))
    let query = database.observe { try $0.value("SELECT 1") == nil }
    let failures = query.failures.recorded()
    let values = query.recorded()
    try database.close()
    try await failures.first("the end") { if case .closed = $0 { true } else { false } }
    withExtendedLifetime(values) {}
    #expect(reports.elements.isEmpty)
  }

  @Test func `an unreadable record of an environment is a failure of the container`() async throws {
    let app = try AppContainer(home: directory.url)
    let work = try app.create(name: "Work")
    let reports = (app.failures.recorded(), app.scope.failures.recorded())
    let folder = directory.url.appending(path: ".containers", directoryHint: .isDirectory)
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    let record = try #require(
      files?.first { $0.path.contains(work.id.uuidString) && $0.pathExtension == "json" },
      "\(String(describing: files))")
    try damage(record)
    _ = try app.create(name: "Play")
    let report = try await reports.0.first("the record") { $0.source == "AppContainer" }
    #expect(report.subject == app.home.path && report.error is AppContainerError)
    #expect(reports.1.elements.map(\.description) == reports.0.elements.map(\.description))
    _ = try app.create(name: "More")
    #expect(reports.0.elements.count == 1)
  }

  @Test func `a context has the failures of its session and of its databases`() async throws {
    struct ServerDown: Error {}
    let root = try directory.makeFolder("context")
    do {
      let (context, server) = (try StandardAppContext<ScopedAccount>(root: root), ScopedServer())
      try await context.setup(authDelegate: server)
      try await context.startAppContext(with: ScopedAccount(id: "ada", environment: ""))
    }
    let context = try StandardAppContext<ScopedAccount>(root: root)
    let reports = context.failures.recorded()
    let server = ScopedServer(trusts: false, pause: { throw ServerDown() })
    try await context.setup(authDelegate: server)
    let report = try await reports.first("the renewal") { $0.source == "StandardAppContext" }
    #expect(report.subject == root.path && report.error is ContextError)
    let store = context.current.value.store
    try makeBrokenDatabase(
      at: store.persistenceDirectory.appending(path: "persistence.sqlite", directoryHint: .notDirectory))
    let values = context.query(Entry.ordered { $0.id }).recorded()
    try await reports.first("the query") { $0.source == "LiveQuery" && $0.error is DatabaseError }
    withExtendedLifetime((values, server)) {}
  }
}
