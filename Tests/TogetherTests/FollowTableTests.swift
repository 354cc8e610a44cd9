import AppGroups
import Containers
import Foundation
import Signals
import SignalsTesting
import Stores
import TestSupport
import Testing
import Tweaks

@Suite("Table of values that follow a switch", .timeLimit(.minutes(5)))
struct FollowTableTests {
  private let root: TemporaryDirectory
  private let app: AppContainer
  private let first: UUID
  private let second: UUID

  init() throws {
    root = try TemporaryDirectory()
    app = try AppContainer(home: root.url.appending(path: "home", directoryHint: .isDirectory))
    first = AppContainer.Environment.defaultID
    second = try app.create(name: "Work").id
  }

  /// The rows of the table with the tests of each.
  private static let tests: [String: [String]] = [
    "``/AppGroups/AppGroupsFile``, ``/AppGroups/AppGroupsSuite``": [
      "a file follows a switch to the new environment and back", "a suite follows a switch with all its values at once",
      "a file that closes on a switch reports it and keeps its last value",
    ],
    "``/AppGroups/AppGroupsLog``": [
      "events go to the log of the active environment, and stay in it",
      "a consumer stops in the old log and continues from its position in the new one",
      "a consumer follows switches by another process, and reports no failure",
      "every event is found once, in the environment in which it was appended",
    ],
    "``/Containers/CookieJar``": ["a jar follows switches of environments"],
    "`UserDefaults`": ["existing values belong to the default environment, and are hidden in others"],
    "`HTTPCookieStorage`": ["no cookie is visible in another environment, and each returns with all its attributes"],
    "``/Stores/Database``": ["a database shows the new contents in rows, queries and changes"],
    "``/Stores/LiveQuery``, ``/Stores/LiveObject``": [
      "live rows and queries change with files and the active environment before activate returns",
      "live rows and queries are never mixed when other processes switch during writes",
    ],
    "``/Stores/DatabaseShare``": ["a suspended share follows the switch when it resumes, and throws until then"],
    "``/Tweaks/TweakManager``": [
      "a flag from a suite changes together with files and the active environment",
      "flags from a file and from a shared value change together with the active environment",
      "flags in switched defaults follow each switch as a part of it",
      "flags from a database of the scope change together with the active environment",
    ],
    "``/Contexts/StandardAppContext``": [
      "a switch restores the archived session of the new environment in the same change",
      "a login answered after the switch changes nothing",
    ],
    "``/Stores/Store`` of an ``/Contexts/AppContext``": [
      "databases of an old context throw, even for the same user in the new environment"
    ],
    "``/Contexts/StandardAppContext/query(_:in:)``, ``/Contexts/StandardAppContext/live(_:id:in:)``": [
      "queries and rows of the current context change together with the environment"
    ],
    "``/AppGroups/AppGroupsPresence``": ["a presence lists the same processes in every environment"],
    "files that you open by their path": [
      "a file opened by its path stays with its environment until it is reopened"
    ],
    "unsaved state in memory": [
      "flush hooks and delegates can write in-memory state into the environment that is left"
    ],
  ]

  @Test func `every row has a test`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let article = folder.deletingLastPathComponent().appending(path: "Docs.docc/Articles/Environments.md")
    let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
    let rows = lines.drop { $0 != "| what | how it follows |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
      .map { $0.split(separator: "|")[0].trimmingCharacters(in: .whitespaces) }
    #expect(Set(rows) == Set(Self.tests.keys))
    var sources = ""
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      sources += try String(contentsOf: file, encoding: .utf8)
    }
    let missing = Self.tests.values.joined().filter { !sources.contains("func `\($0)`") }
    #expect(missing == [])
  }

  /// A custom provider that stores its tweaks in a table.
  private struct TableProvider: AskedTweakProvider {
    let name = "table"
    let database: Database
    let scopes: [Scope]

    func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
      do {
        return try database.read { transaction in
          try transaction.find(Entry.self, id: 1).map {
            Tweak(feature: feature, variable: variable, value: .string($0.environment))
          }
        }
      } catch let error as DatabaseError {
        throw .unusableStore(provider: name, reason: "\(error)")
      } catch {
        throw .notFound(TweakID(feature: feature, variable: variable))
      }
    }
  }

  @Test func `flags from a database of the scope change together with the active environment`()
    throws
  {
    let url = app.home.appending(path: "flags.sqlite", directoryHint: .notDirectory)
    let database = try Database(.file(url), schema: Schema(version: 1, models: [Entry.self]), scope: app.scope)
    for id in [second, first] {
      try app.activate(id: id)
      try database.write { try $0.put(Entry(id: 1, environment: id.uuidString)) }
    }
    let manager = TweakManager(providers: [TableProvider(database: database, scopes: [app.scope])])
    let flag = manager.property(for: TweakKey("general", "environment", default: "none"))
    let moments = Property.derived(flag, app.active) { [$0, $1.id.uuidString] }.recorded()
    for round in 1...6 { try app.activate(id: round % 2 == 1 ? second : first) }
    #expect(moments.elements.count == 7 && moments.elements.allSatisfy { $0[0] == $0[1] })
  }

  @Test func `a presence lists the same processes in every environment`() async throws {
    let group = try AppGroupsContainer(directory: app.home)
    let presence = try AppGroupsPresence<String>(name: "here", container: group)
    let peer = try PeerProcess()
    try await peer.send("presence \(app.home.path) here")
    try await peer.send("announce recording")
    try await presence.property.firstValue("the other process") { $0.map(\.value) == ["recording"] }
    let seen = presence.property.map { $0.map(\.value) }.recorded()
    for id in [second, first, second] { try await app.activate(id: id) }
    #expect(presence.value.map(\.value) == ["recording"])
    #expect(Set(seen.elements) == [["recording"]])
    #expect(try AppGroupsPresence<String>(name: "here", container: group).value.map(\.value) == ["recording"])
  }

  @Test func `a file opened by its path stays with its environment until it is reopened`() throws {
    let url = app.home.appending(path: "notes.txt", directoryHint: .notDirectory)
    try Data("first".utf8).write(to: url)
    let file = try FileHandle(forUpdating: url)
    try app.activate(id: second)
    #expect(!FileManager.default.fileExists(atPath: url.path))
    try file.seekToEnd()
    try file.write(contentsOf: Data(", and late".utf8))
    try Data("second".utf8).write(to: url)
    try app.activate(id: first)
    #expect(try String(contentsOf: url, encoding: .utf8) == "first, and late")
    try app.activate(id: second)
    #expect(try String(contentsOf: url, encoding: .utf8) == "second")
  }

  private final class Delegate: AppContainerDelegate {
    let url: URL

    init(url: URL) { self.url = url }

    func appContainer(
      _ container: AppContainer, willChangeTo new: AppContainer.Environment, from old: AppContainer.Environment
    ) throws {
      try Data(old.name.utf8).write(to: url)
    }
  }

  @Test func `flush hooks and delegates can write in-memory state into the environment that is left`() throws {
    let urls = ["hook.txt", "delegate.txt"].map { app.home.appending(path: $0, directoryHint: .notDirectory) }
    let (home, delegate) = (urls[0], Delegate(url: urls[1]))
    app.add(delegate)
    let hook = app.onFlush { [app] in try Data(app.active.value.name.utf8).write(to: home) }
    try app.activate(id: second)
    for url in urls { #expect(!FileManager.default.fileExists(atPath: url.path)) }
    try app.activate(id: first)
    for url in urls { #expect(try String(contentsOf: url, encoding: .utf8) == "Default") }
    withExtendedLifetime(hook) {}
  }
}
