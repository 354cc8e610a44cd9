import AppGroups
import Containers
import Foundation
import Signals
import TestSupport
import Testing

/// A root with three environments, of which `Work` is active, and a root left in the middle of a switch.
///
/// Beside the first are the user defaults and the cookies of each environment, and an archive of the default one.
@Suite("Environments and archives written by earlier versions", .timeLimit(.minutes(5)))
struct StoredEnvironmentTests {
  private static let url = "https://www.example.com/a"
  private static let end = "Path=/; Expires=Wed, 21 Oct 2099 07:28:00 GMT"

  #if !canImport(Darwin)
    @Test(.enabled(if: StoredFormat.writtenGeneration != nil))
    func `writes the stored environments of this version`() async throws {
      let world = try SettingsWorld()
      let app = try AppContainer(home: world.home)
      let peer = try world.peer()
      try await peer.send("switching \(world.root) suite")
      try await peer.send("switching-cookies \(world.root) group")
      try await fill(world, peer, "default", "red")
      try await onThread { try app.setExcludedPaths(["Shared"]) }
      try Tree.write("everybody's", to: world.home.appending(path: "Shared/all.txt"))
      let work = try await peer.send("switching-new Work")
      try await peer.send("switching-to \(work)")
      try await fill(world, peer, "work", "blue")
      try await onThread {
        let id = try identifier(work)
        try app.update(id: id, name: "Work", description: "for the day")
        try app.clone(id: id, name: "Spare")
      }
      try await peer.send("switching-to \(zero)")
      try await peer.send("switching-to \(work)")
      try FileManager.default.createDirectory(
        at: world.directory.url.appending(path: "archive"), withIntermediateDirectories: false)
      _ = try await onThread { try app.export(id: Environment.defaultID, to: archive(world)) }
      try StoredFormat.store(world.directory.url, as: "environment")
    }

    private func fill(_ world: SettingsWorld, _ peer: PeerProcess, _ text: String, _ color: String) async throws {
      try Tree.write(text, to: world.home.appending(path: "Documents/deep/note.txt"))
      try FileManager.default.createSymbolicLink(
        atPath: world.home.appending(path: "link").path, withDestinationPath: "Documents/deep/note.txt")
      try FileManager.default.createDirectory(
        at: world.home.appending(path: "Empty"), withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o750])
      let app = try AppContainer(home: world.home)
      try await value(app).write(text)
      try CookieJar(scope: app.scope).setCookies(
        ["jar=\(text); \(Self.end)"], from: try #require(URL(string: Self.url)))
      try await peer.send("defaults-set suite color \(color)")
      try await peer.send("defaults-sync suite")
      try await peer.send("cookies-take group \(Self.url) sid=\(text); Secure; HttpOnly; \(Self.end)")
    }

    @Test(.enabled(if: StoredFormat.writtenGeneration != nil))
    func `writes the stored interrupted switch of this version`() async throws {
      let world = try World(environments: 2)
      let peer = try PeerProcess()
      try await peer.send("env \(world.path)")
      try await peer.send("env-crash 6")
      await #expect(throws: PeerProcess.Failure.self) { try await peer.send("env-activate \(world.ids[1])") }
      try #require(world.fixture.exists(".containers/journal.json"))
      try StoredFormat.store(world.fixture.directory.url, as: "switch")
    }

    @Test(arguments: StoredFormat.all("environment"))
    func `user defaults and cookies are switched`(_ stored: StoredFormat) async throws {
      let world = try SettingsWorld(stored)
      let peer = try world.peer()
      let work = try await peer.send("switching \(world.root) suite")
      try await peer.send("switching-cookies \(world.root) group")
      #expect(try await settings(peer) == ["blue", "sid=work"])
      try await peer.send("switching-to \(zero)")
      #expect(try await settings(peer) == ["red", "sid=default"])
      try await peer.send("defaults-set suite color green")
      try await peer.send("switching-to \(work)")
      #expect(try await settings(peer) == ["blue", "sid=work"])
      try await peer.send("switching-to \(zero)")
      #expect(try await settings(peer) == ["green", "sid=default"])
      let copy = try await onThread {
        try AppContainer(home: world.home).importEnvironment(from: archive(world)).id
      }
      try await peer.send("switching-to \(copy)")
      #expect(try await settings(peer) == ["red", "sid=default"])
    }

    private func settings(_ peer: PeerProcess) async throws -> [String] {
      let cookies = try await peer.send("cookies-list group")
      return [
        try await peer.send("defaults-get suite color"), String(cookies.split(separator: " ").first ?? "nothing"),
      ]
    }
  #endif

  private func archive(_ world: SettingsWorld) -> URL { world.directory.file("archive/default.container") }

  private func value(_ app: AppContainer) throws -> AppGroupsFile<String> {
    try AppGroupsFile(name: "value.json", initialValue: "nothing", scope: app.scope)
  }

  /// Checks that the active environment is whole.
  private func check(_ app: AppContainer, _ text: String) throws {
    #expect(Tree.text(app.home.appending(path: "Documents/deep/note.txt")) == text)
    #expect(Tree.text(app.home.appending(path: "link")) == text)
    #expect(try Tree.listing(app.home)["Empty"] == "directory 750")
    #expect(try value(app).value == text)
    #expect(try CookieJar(scope: app.scope).header(for: #require(URL(string: Self.url))) == "jar=\(text)")
  }

  @Test
  func `stored environments of earlier versions exist`() {
    for part in ["environment", "switch"] { #expect(!StoredFormat.all(part).isEmpty) }
  }

  @Test(arguments: StoredFormat.all("environment"))
  func `environments are listed and activated with their content`(_ stored: StoredFormat) throws {
    let world = try SettingsWorld(stored)
    let app = try AppContainer(home: world.home)
    #expect(app.environments.value.map(\.name) == ["Default", "Work", "Spare"])
    #expect(app.environments.value.map(\.description) == [nil, "for the day", "for the day"])
    #expect(app.environments.value.map(\.activationCount) == [1, 2, 0])
    #expect(app.environments.value.map { $0.lastActivatedAt != nil } == [true, true, false])
    #expect(app.environments.value.allSatisfy { $0.problem == nil && $0.createdAt < Date() })
    #expect(app.active.value == app.environments.value[1])
    #expect(app.excludedPaths == ["Shared"])
    try check(app, "work")
    for (environment, text) in [(0, "default"), (2, "work"), (1, "work")] {
      try app.activate(app.environments.value[environment])
      try check(app, text)
      #expect(Tree.text(app.home.appending(path: "Shared/all.txt")) == "everybody's")
      try value(app).update { $0 += "!" }
      try value(app).update { $0 = text }
    }
    #expect(app.environments.value.map(\.activationCount) == [2, 3, 1])
    let new = try app.create(name: "New")
    try app.activate(new)
    #expect(try value(app).value == "nothing")
  }

  @Test(arguments: StoredFormat.all("environment"))
  func `an archive is imported, and the new environment is exported`(_ stored: StoredFormat) throws {
    let world = try SettingsWorld(stored)
    let app = try AppContainer(home: world.home)
    let copy = try app.importEnvironment(from: archive(world))
    #expect(copy.name == "Default" && copy.activationCount == 0)
    try app.activate(copy)
    try check(app, "default")
    try app.export(copy, to: archive(world))
    #expect(try app.importEnvironment(from: archive(world), name: "Again").name == "Again")
  }

  @Test(arguments: StoredFormat.all("switch"))
  func `an interrupted switch is undone, and then succeeds`(_ stored: StoredFormat) throws {
    let directory = try stored.copy()
    let app = try AppContainer(home: directory.url.appending(path: "home"))
    #expect(app.environments.value.map(\.name) == ["Default", "1"])
    #expect(app.active.value.isDefault)
    #expect(!Tree.exists(app.home.appending(path: ".containers/journal.json")))
    for (seed, environment) in app.environments.value.enumerated() {
      if seed > 0 { try app.activate(environment) }
      let expected = try TemporaryDirectory()
      try Tree.fill(expected.url, seed: seed)
      #expect(try Set(Tree.listing(app.home).keys) == Set(Tree.listing(expected.url).keys))
      #expect(Tree.text(app.home.appending(path: "only-\(seed).txt")) == "only \(seed)")
    }
  }
}
