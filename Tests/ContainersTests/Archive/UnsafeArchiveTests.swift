import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Containers

/// Settings that are saved in a file, as user defaults are.
private struct SavedSettings: EnvironmentSettings {
  let name = "Saved"

  func flush(into directory: URL) throws {
    try DurableFile.write(Data("saved".utf8), to: directory.appending(path: "saved"), durability: .process)
  }

  func load(from directory: URL) throws {}
}

@Suite("Untrusted archives")
struct UnsafeArchiveTests {
  let fixture: ArchiveFixture

  init() throws {
    fixture = try ArchiveFixture()
  }

  private static let data = (ArchiveFormat.Kind.directory, "data", content: "")

  private func expectUnsafe(
    _ entries: [(ArchiveFormat.Kind, String, content: String)], at entry: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try fixture.listing(of: fixture.directory.url.appending(path: "outside"))
    try fixture.craft(entries)
    let error = #expect(throws: AppContainerError.self, sourceLocation: sourceLocation) { try fixture.read() }
    if case .unsafeArchive(fixture.archive, entry: entry, _) = error {
    } else {
      unexpected(error, sourceLocation: sourceLocation)
    }
    #expect(!FileManager.default.fileExists(atPath: fixture.unpacked.path), sourceLocation: sourceLocation)
    #expect(try fixture.listing(of: fixture.directory.url.appending(path: "outside")) == before)
  }

  @Test(arguments: [
    "data/../evil", "../evil", "data/..", "/data/evil", "/etc/evil", "data//evil", "data/", "data/.", "", "data/a\0b",
    "./data",
  ]) func `a path that leads outside is rejected`(path: String) throws {
    try expectUnsafe([Self.data, (.file, path, content: "evil")], at: path)
    try expectUnsafe([Self.data, (.directory, path, content: "")], at: path)
  }

  @Test func `a path that needs much memory or many descriptors is rejected`() throws {
    let long = "data" + String(repeating: "/a", count: 500_000)
    try expectUnsafe([Self.data, (.file, long, content: "evil")], at: long)
    let deep = (1...2000).map { "data" + String(repeating: "/a", count: $0) }
    try expectUnsafe([Self.data] + deep.map { (.directory, $0, content: "") }, at: deep[128])
    try fixture.craft([Self.data] + deep.prefix(128).map { (.directory, $0, content: "") })
    try fixture.read()
    #expect(try FileManager.default.subpathsOfDirectory(atPath: fixture.unpacked.path).count == 129)
  }

  @Test func `content nested too deeply for an archive is not exported, and can be removed`() throws {
    let top = try Folder(fixture.directory.url.appending(path: "tree/data"))
    var folder = top
    let name = EntryPath("a")
    for _ in 0..<1500 {
      try folder.makeDirectory(name)
      folder = try Folder(name, in: folder)
    }
    let error = #expect(throws: AppContainerError.self) { try fixture.write() }
    guard case .blocked = error else { return unexpected(error) }
    try TreeRemover.remove(name, in: top)
    #expect(try top.status(of: name) == nil)
    try fixture.write()
    try fixture.read()
  }

  @Test func `an entry outside the environment's data is rejected`() throws {
    try expectUnsafe([(.directory, "info.json", content: "")], at: "info.json")
    try expectUnsafe([(.file, "data", content: "x")], at: "data")
    try expectUnsafe([(.link, "settings", content: "../outside")], at: "settings")
  }

  @Test func `nothing is written through a link`() throws {
    let outside = fixture.path("outside")
    try fixture.craft([Self.data, (.link, "data/door", content: outside), (.file, "data/door/evil", content: "evil")])
    let error = #expect(throws: AppContainerError.self) { try fixture.read(allowsOutwardLinks: true) }
    guard case .unsafeArchive(_, entry: "data/door/evil", _) = error else { return unexpected(error) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside) == ["precious"])
    try expectUnsafe(
      [Self.data, (.link, "data/door", content: "."), (.file, "data/door", content: "evil")], at: "data/door")
  }

  @Test(arguments: ["/etc/passwd", "..", "../..", "../data", "deep/../../..", "a/..", "./../x"])
  func `a link to the outside is rejected unless allowed`(target: String) throws {
    try expectUnsafe([Self.data, (.link, "data/link", content: target)], at: "data/link")
    try fixture.read(allowsOutwardLinks: true)
    #expect(
      try FileManager.default.destinationOfSymbolicLink(
        atPath: fixture.unpacked.appending(path: "data/link").path) == target)
  }

  @Test(arguments: [
    ".containers", "inner/.containers/x", "./.CONTAINERS", "x/.containers", ".cont\u{200C}ainers", ".container\u{17F}",
  ])
  func `a link into the directory of inactive environments is rejected, even through other links`(target: String) throws
  {
    let folders = [Self.data, (.directory, "data/inner", content: ""), (.link, "data/x", content: ".")]
    try expectUnsafe(folders + [(.link, "data/y", content: target)], at: "data/y")
    try expectUnsafe(folders + [(.link, "data/inner/y", content: "../\(target)")], at: "data/inner/y")
    let likenesses = [".containers2", "a.containers", "containers"].map { (ArchiveFormat.Kind.link, "data/\($0)", $0) }
    try fixture.craft(folders + likenesses)
    try fixture.read()
  }

  @Test func `an archive cannot create an environment that shows another one's cookies`() throws {
    let app = try AppContainer(home: fixture.directory.url.appending(path: "home"))
    try fixture.craft([
      Self.data, (.directory, "data/Files", content: ""),
      (.link, "data/Files/cookies.json", content: "../.containers/\(Environment.defaultID)/data/Files/cookies.json"),
    ])
    let error = #expect(throws: AppContainerError.self) { try app.importEnvironment(from: fixture.archive) }
    guard case .unsafeArchive(fixture.archive, entry: "data/Files/cookies.json", _) = error else {
      return unexpected(error)
    }
    #expect(app.environments.value.count == 1)
  }

  @Test(arguments: [ArchiveFormat.Kind.file, .directory, .link])
  func `an archive cannot create an environment whose settings cannot be saved`(kind: ArchiveFormat.Kind) throws {
    let home = fixture.directory.url.appending(path: "home")
    let app = try AppContainer(home: home)
    app.add(SavedSettings())
    let locks = (kind, "settings/.shared", content: kind == .link ? "nowhere" : "")
    try fixture.craft(
      [Self.data, (.directory, "settings", content: ""), locks], permissions: ["settings/.shared": 0o500])
    let new = try app.importEnvironment(from: fixture.archive)
    #expect(!Tree.exists(home.appending(path: ".containers/\(new.id)/settings/.shared")))
    try app.activate(new)
    try app.activate(id: Environment.defaultID)
    #expect(app.active.value.isDefault)
    #expect(Tree.text(home.appending(path: ".containers/\(new.id)/settings/saved")) == "saved")
  }

  @Test(arguments: [ArchiveFormat.Kind.directory, .link])
  func `settings that are not regular files are rejected`(kind: ArchiveFormat.Kind) throws {
    let app = try AppContainer(home: fixture.directory.url.appending(path: "home"))
    let entry = (kind, "settings/user-defaults.plist", content: kind == .link ? "other" : "")
    try fixture.craft([Self.data, (.directory, "settings", content: ""), entry])
    let error = #expect(throws: AppContainerError.self) { try app.importEnvironment(from: fixture.archive) }
    guard case .unsafeArchive(fixture.archive, entry: "settings/user-defaults.plist", _) = error else {
      return unexpected(error)
    }
    #expect(app.environments.value.count == 1)
  }

  @Test func `a duplicate entry is rejected`() throws {
    let file = (ArchiveFormat.Kind.file, "data/a", content: "1")
    try expectUnsafe([Self.data, file, file], at: "data/a")
    try expectUnsafe([Self.data, file, (.directory, "data/a", content: "")], at: "data/a")
    try expectUnsafe([Self.data, file, (.link, "data/a", content: "b")], at: "data/a")
    try expectUnsafe([Self.data, Self.data], at: "data")
  }

  @Test func `an entry whose directory is missing or already complete is rejected`() throws {
    try expectUnsafe([Self.data, (.file, "data/none/a", content: "1")], at: "data/none/a")
    let folders = [Self.data, (.directory, "data/a", content: ""), (.directory, "data/b", content: "")]
    try expectUnsafe(folders + [(.file, "data/a/late", content: "1")], at: "data/a/late")
  }

  @Test func `a mismatch with the archive's own totals is damage`() throws {
    try fixture.craft([Self.data], end: ArchiveProgress(entries: 2, bytes: 0))
    let error = #expect(throws: AppContainerError.self) { try fixture.read() }
    guard case .unusableArchive(fixture.archive, _) = error else { return unexpected(error) }
  }

  @Test func `an archive of a newer version is distinguished from a damaged one`() throws {
    try fixture.write()
    var data = try Data(contentsOf: fixture.archive)
    data[ArchiveFormat.mark.count] = 9
    try data.write(to: fixture.archive)
    #expect(throws: AppContainerError.newerArchive(fixture.archive, found: 9, supported: 1)) { try fixture.read() }
  }

  @Test(arguments: ["", "x", "\u{89}CNTNR\r\n", String(repeating: "x", count: 1000)])
  func `other files are not archives`(content: String) throws {
    try Data(content.utf8).write(to: fixture.archive)
    #expect(throws: AppContainerError.unusableArchive(fixture.archive, reason: "it is not an environment archive")) {
      try fixture.read()
    }
  }

  @Test func `an object that is not a file is reported and does not block`() throws {
    #expect(mkfifo(fixture.archive.path, 0o600) == 0)
    #expect(throws: AppContainerError.file(.notARegularFile(fixture.archive, kind: "a named pipe"))) {
      try fixture.read()
    }
    let missing = fixture.directory.file("missing")
    #expect(throws: AppContainerError.file(.notFound(missing))) { try fixture.read(missing) }
  }

  @Test func `an existing target is never overwritten`() throws {
    try fixture.write()
    try Data("mine".utf8).write(to: fixture.directory.file("unpacked"))
    #expect(throws: AppContainerError.self) { try fixture.read() }
    #expect(try Data(contentsOf: fixture.directory.file("unpacked")) == Data("mine".utf8))
  }

  @Test(.seeded) func `every truncation or change is detected, and nothing is created from it`() async throws {
    try FileManager.default.removeItem(atPath: fixture.path("tree/data/Documents/user.db"))
    try fixture.write()
    let original = [UInt8](try Data(contentsOf: fixture.archive))
    let before = try FileManager.default.subpathsOfDirectory(atPath: fixture.directory.url.path).sorted()
    var chance = Chance()
    let rounds = Scale.count(150, torture: 100_000)
    for round in 0..<rounds {
      // Ten thousands of rounds must leave the other tests a thread.
      await Task.yield()
      var bytes = original
      switch chance.number(below: 4) {
      case 0: bytes.removeLast(1 + chance.number(below: bytes.count))
      case 1: for _ in 0...chance.number(below: 8) { flip(&bytes, &chance) }
      case 2:
        let start = chance.number(below: bytes.count)
        bytes.removeSubrange(start..<min(bytes.count, start + 1 + chance.number(below: 40)))
      default: bytes.insert(UInt8.random(in: 0...255, using: &chance), at: chance.number(below: bytes.count + 1))
      }
      if bytes == original { continue }
      try Data(bytes).write(to: fixture.archive)
      #expect(throws: AppContainerError.self, "round \(round)") { try fixture.read() }
      if round % 1000 == 999 { Scale.progress("\(round + 1) of \(rounds) damaged archives") }
    }
    let after = try FileManager.default.subpathsOfDirectory(atPath: fixture.directory.url.path).sorted()
    #expect(after == before)
  }

  /// Checksums do not protect against an attacker who recomputes them, so these records have random content.
  @Test(.seeded) func `no entries create anything outside`() async throws {
    var chance = Chance()
    let names = ["data", "settings", "..", ".", "", "a", "b", "/", "\0", "outside", "link"]
    let kinds: [ArchiveFormat.Kind] = [.directory, .file, .link]
    let outside = try FileManager.default.subpathsOfDirectory(atPath: fixture.path("outside"))
    for _ in 0..<Scale.count(80, torture: 20_000) {
      // Ten thousands of rounds must leave the other tests a thread.
      await Task.yield()
      let entries = (0..<chance.number(below: 8)).map { _ in
        let path = (0...chance.number(below: 3)).map { _ in names[chance.number(below: names.count)] }
        let target = (0...chance.number(below: 3)).map { _ in names[chance.number(below: names.count)] }
        return (
          kinds[chance.number(below: 3)], path.joined(separator: "/"), content: target.joined(separator: "/") + "x"
        )
      }
      try fixture.craft([Self.data] + entries)
      do {
        try fixture.read(allowsOutwardLinks: chance.once(in: 2))
        try FileManager.default.removeItem(at: fixture.unpacked)
      } catch is AppContainerError {}
    }
    let names2 = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.url.path).sorted()
    #expect(names2 == [".shared", "outside", "tree", "work.container"])
    #expect(
      try FileManager.default.subpathsOfDirectory(atPath: fixture.path("outside")) == outside)
  }

  private func flip(_ bytes: inout [UInt8], _ chance: inout Chance) {
    bytes[chance.number(below: bytes.count)] ^= 1 << UInt8(chance.number(below: 8))
  }
}
