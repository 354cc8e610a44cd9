import CLibrary
import FileSignals
import Foundation
import Signals
import TestSupport
import Testing

@testable import Containers

/// What can be exported can be imported, and is then the same.
@Suite("Archives of random trees", .seeded, .patient)
struct RandomTreeTests {
  let fixture: ArchiveFixture

  init() throws {
    fixture = try ArchiveFixture()
  }

  @Test(arguments: ["a/../a/one", "a/b/../../a/one", "door/../a/one", "./a/./../a", "a/../missing", "deep/../../a/one"])
  func `a link that returns to its own environment is imported`(target: String) throws {
    let home = fixture.directory.url.appending(path: "home")
    let app = try AppContainer(home: home)
    try Tree.write("one", to: home.appending(path: "a/one"))
    try Tree.write("two", to: home.appending(path: "a/b/c/two"))
    for (name, target) in [("door", "a/b"), ("deep", "a/b/c"), ("link", target)] {
      try FileManager.default.createSymbolicLink(
        atPath: home.appending(path: name).path, withDestinationPath: target)
    }
    try app.export(app.active.value, to: fixture.archive)
    let copy = try app.importEnvironment(from: fixture.archive)
    let data = home.appending(path: ".containers/\(copy.id)/data")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: data.appending(path: "link").path) == target)
  }

  @Test(arguments: [
    "a/../..", "door/../../..", "up/../../x", "missing/../a", "a/one/../a", "loop/../..", "a/../.containers",
  ])
  func `a link that could leave its environment is only imported if the caller allows it, and the error says how`(
    target: String
  ) throws {
    let home = fixture.directory.url.appending(path: "home")
    let app = try AppContainer(home: home)
    try Tree.write("one", to: home.appending(path: "a/one"))
    for (name, target) in [("door", "a"), ("up", "."), ("loop", "loop"), ("link", target)] {
      try FileManager.default.createSymbolicLink(
        atPath: home.appending(path: name).path, withDestinationPath: target)
    }
    try app.export(app.active.value, to: fixture.archive)
    let error = #expect(throws: AppContainerError.self) { try app.importEnvironment(from: fixture.archive) }
    guard case .unsafeArchive(_, entry: "data/link", _) = error else { return unexpected(error) }
    #expect(error?.description.contains("import it with allowsOutwardLinks: true") == true)
    try app.importEnvironment(from: fixture.archive, allowsOutwardLinks: true)
  }

  @Test func `a random tree is imported as it was, or its export is refused with a reason`() async throws {
    var chance = Chance()
    var (imported, outward, refused) = (0, 0, 0)
    for round in 0..<Scale.count(60, torture: 5_000) {
      // Ten thousands of rounds must leave the other tests a thread.
      await Task.yield()
      let home = fixture.directory.url.appending(path: "home-\(round)")
      let app = try AppContainer(home: home)
      var reasons: Set<String> = []
      try fill(Folder(home), depth: 0, &chance, &reasons)
      let before = try listing(home)
      var copy: Environment
      do {
        try app.export(app.active.value, to: fixture.archive)
      } catch {
        #expect(reasons.contains(kind(error)), "round \(round): \(error)")
        refused += 1
        continue
      }
      #expect(reasons.isEmpty, "round \(round) was exported")
      do {
        copy = try app.importEnvironment(from: fixture.archive)
        imported += 1
        try expectInside(app, copy)
      } catch AppContainerError.unsafeArchive(_, let entry, let reason) {
        #expect(reason.hasPrefix("it is a link"), "round \(round): \(entry) \(reason)")
        outward += 1
        copy = try app.importEnvironment(from: fixture.archive, allowsOutwardLinks: true)
      }
      #expect(try listing(data(app, copy)) == before, "round \(round), import")
      #expect(try listing(data(app, app.clone(app.active.value))) == before, "round \(round), clone")
      try TreeRemover.remove(EntryPath("home-\(round)"), in: Folder(fixture.directory.url))
    }
    #expect(imported > 0 && outward > 0 && refused > 0)
  }

  private func data(_ app: AppContainer, _ environment: Environment) -> URL {
    app.home.appending(path: ".containers/\(environment.id)/data")
  }

  private func listing(_ url: URL) throws -> [String] {
    // Access times are not archived, and the time of the root itself is its own.
    let hidden = "\(EntryPath(".containers").bytes.dropLast())".dropLast()
    return try fixture.listing(of: url).filter { !$0.hasPrefix(hidden) }
  }

  /// Expects that no link of an environment, with all others in place, leads out of it.
  private func expectInside(_ app: AppContainer, _ environment: Environment) throws {
    let top = data(app, environment)
    try expectInside(Folder(top), top.resolvingSymlinksInPath().path)
  }

  private func expectInside(_ folder: Folder, _ top: String) throws {
    for name in try folder.names() {
      let status = try #require(try folder.status(of: name))
      if status.kind == .directory { try expectInside(Folder(name, in: folder), top) }
      guard status.kind == .link else { continue }
      var path = Array(folder.url.path.utf8).map(CChar.init(bitPattern:))
      path += [CChar(bitPattern: UInt8(ascii: "/"))] + name.cString
      guard let real = realpath(path, nil) else { continue }
      defer { free(real) }
      let place = String(cString: real)
      // By bytes: a name may begin with an accent, which belongs to the slash before it.
      let isInside = place.utf8.elementsEqual(top.utf8) || place.utf8.starts(with: (top + "/").utf8)
      #expect(isInside, "\(name.text) leads to \(place)")
    }
  }

  private func kind(_ error: any Error) -> String {
    switch error as? AppContainerError {
    case .unsupportedFile: "kind"
    case .blocked: "path"
    default: "\(error)"
    }
  }

  // MARK: Random trees

  private static let names: [[UInt8]] = [
    Array("a".utf8), Array("b".utf8), Array("a".utf8), Array("A".utf8), Array("caf\u{e9}".utf8),
    Array("cafe\u{301}".utf8), [0xFF, 0x2D], [0x0A], Array(" ".utf8), Array("...".utf8), Array("a-wal".utf8),
    Array("a-journal".utf8), Array("a-shm".utf8), Array("\u{301}x".utf8), [UInt8](repeating: 0x6E, count: 255),
    Array("\\".utf8), Array(".containers".utf8), Array(".gone-x".utf8), Array("state.json".utf8),
  ]

  private func fill(
    _ folder: Folder, depth: Int, _ chance: inout Chance, _ reasons: inout Set<String>
  ) throws {
    for _ in 0..<chance.number(below: depth == 0 ? 9 : 5) {
      let name = EntryPath(bytes: Self.names[chance.number(below: Self.names.count)])
      if try folder.status(of: name) != nil || (depth == 0 && name.text.hasPrefix(".containers")) { continue }
      let kind = chance.number(below: 12)
      switch kind {
      case _ where kind < 4 && depth < 6:
        try folder.makeDirectory(name)
        try fill(Folder(name, in: folder), depth: depth + 1, &chance, &reasons)
        #expect(fchmodat(folder.number, name.cString, [0o700, 0o755, 0o500, 0o711][chance.number(below: 4)], 0) == 0)
      case 4, 5, 6: try link(name, in: folder, &chance)
      case 7 where chance.once(in: 12):
        #expect(mkfifoat(folder.number, name.cString, 0o600) == 0)
        reasons.insert("kind")
      case 8 where chance.once(in: 12):
        // Deeper than an archive may be.
        var inner = folder
        for _ in 0..<140 where try inner.status(of: name) == nil || inner !== folder {
          try inner.makeDirectory(EntryPath("d"))
          inner = try Folder(EntryPath("d"), in: inner)
        }
        reasons.insert("path")
      default: try file(name, in: folder, &chance)
      }
      var times = [timespec(), timespec(tv_sec: chance.number(below: 2_000_000_000) - 100_000, tv_nsec: 123_456_789)]
      times[0] = times[1]
      if try folder.status(of: name) != nil {
        #expect(utimensat(folder.number, name.cString, times, AT_SYMLINK_NOFOLLOW) == 0)
      }
    }
  }

  private func file(_ name: EntryPath, in folder: Folder, _ chance: inout Chance) throws {
    let number = openat(folder.number, name.cString, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    #expect(number >= 0)
    defer { close(number) }
    let size = [0, 1, 5, 4096, ArchiveFormat.piece, ArchiveFormat.piece + 1, 600_000][chance.number(below: 7)]
    let content = [UInt8](repeating: UInt8(chance.number(below: 256)), count: size)
    #expect(write(number, content, size) == size)
    #expect(fchmod(number, [0o600, 0o644, 0o400, 0o755][chance.number(below: 4)]) == 0)
  }

  private func link(_ name: EntryPath, in folder: Folder, _ chance: inout Chance) throws {
    let parts = ["a", "b", "..", "..", ".", "A", "missing", "a", "...", chance.once(in: 8) ? ".containers" : "b"]
    var target = (0...chance.number(below: 6)).map { _ in parts[chance.number(below: parts.count)] }
      .joined(separator: chance.once(in: 9) ? "//" : "/")
    if chance.once(in: 15) { target = "/" + target }
    if chance.once(in: 15) { target += "/" }
    if chance.once(in: 20) { target = String(repeating: "a/", count: 2000) + "a" }
    #expect(symlinkat(target, folder.number, name.cString) == 0)
  }
}
