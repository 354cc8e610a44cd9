import CLibrary
import Containers
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Bad input to environments", .eachLayout)
struct BadInputTests {
  @Test func `an invalid root is rejected with a descriptive error`() throws {
    let fixture = try Fixture()
    let web = try #require(URL(string: "https://example.com"))
    #expect(throws: AppContainerError.self) { try AppContainer(home: web) }
    #expect(throws: AppContainerError.self) { try AppContainer(home: fixture.url("top.txt")) }
    // A link to a directory may be a root.
    let link = fixture.directory.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: fixture.root)
    #expect(try AppContainer(home: link).home.path == fixture.root.path)
  }

  @Test func `another kind of entry in place of the hidden directory is rejected`() throws {
    let (first, second) = try (Fixture(), Fixture())
    try first.write("mine", to: ".containers")
    #expect(throws: AppContainerError.self) { try first.open() }
    #expect(first.text(".containers") == "mine")
    let outside = second.directory.url.appending(path: "outside")
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(at: second.url(".containers"), withDestinationURL: outside)
    #expect(throws: AppContainerError.self) { try second.open() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: outside.path).isEmpty)
  }

  @Test func `an excluded path outside the root is rejected`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    for path in ["", "/", "/etc", "..", "a/../..", ".", "./.", "a\0b"] {
      #expect(throws: AppContainerError.self) { try app.setExcludedPaths(["good", path]) }
    }
    #expect(app.excludedPaths.isEmpty)
  }

  @Test func `pipes and names that are not text are moved unchanged, and a clone reports what it cannot copy`() throws {
    let fixture = try Fixture()
    #expect(mkfifo(fixture.url("Documents/pipe").path, 0o600) == 0)
    #expect(mkfifo(fixture.url("pipe").path, 0o600) == 0)
    let name: [CChar] = fixture.root.path.utf8.map { CChar(bitPattern: $0) } + [0x2f, -1, -2, 0]
    let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
    #expect(descriptor >= 0)
    close(descriptor)
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    try app.activate(work)
    #expect(try fixture.foreignNames() == [])
    try app.activate(id: Environment.defaultID)
    #expect(access(name, F_OK) == 0)
    #expect(fixture.exists("Documents/pipe") && fixture.exists("pipe"))
    let before = app.environments.value
    #expect {
      try app.clone(app.active.value)
    } throws: { error in
      guard case .unsupportedFile(let url, let kind)? = error as? AppContainerError else { return false }
      return url.lastPathComponent == "pipe" && kind == "a named pipe"
    }
    #expect(app.environments.value == before)
  }

  @Test func `foreign entries in the hidden directory are neither adopted nor lost`() throws {
    let fixture = try Fixture()
    let before = try fixture.live()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    try fixture.write("foreign", to: ".containers/notes.txt")
    try fixture.write("foreign", to: ".containers/folder/file")
    // The future location of the active environment's files.
    try fixture.write("foreign", to: ".containers/\(Environment.defaultID)/data/top.txt")
    // A link in place of an environment is not an environment.
    let link = UUID().uuidString
    try FileManager.default.createSymbolicLink(
      atPath: fixture.url(".containers/\(link)").path, withDestinationPath: "/")
    try app.activate(work)
    try app.activate(id: Environment.defaultID)
    #expect(try fixture.live() == before)
    #expect(fixture.text(".containers/notes.txt") == "foreign")
    #expect(fixture.text(".containers/folder/file") == "foreign")
    let aside = try FileManager.default.subpathsOfDirectory(atPath: fixture.url(".containers/aside").path)
    #expect(aside.contains { $0.hasSuffix("/top.txt") })
    #expect(try fixture.open().environments.value.count == 2)
  }

  @Test func `an environment without its directory is not listed after the next launch`() throws {
    let fixture = try Fixture()
    do {
      let app = try fixture.open()
      let work = try app.create(name: "Work")
      try app.create(name: "Play")
      try FileManager.default.removeItem(at: fixture.url(".containers/\(work.id)"))
      #expect(throws: AppContainerError.self) { try app.activate(work) }
      #expect(app.active.value.isDefault)
    }
    #expect(try fixture.open().environments.value.map(\.name) == ["Default", "Play"])
  }

  @Test func `a list written by a newer version is left alone`() throws {
    let fixture = try Fixture()
    do { _ = try fixture.open() }
    let text = #"{"version": 99, "future": true}"#
    try fixture.write(text, to: ".containers/state.json")
    let url = fixture.url(".containers/state.json")
    #expect(throws: AppContainerError.newerState(url, found: 99, supported: 1)) { try fixture.open() }
    #expect(fixture.text(".containers/state.json") == text)
  }

  @Test func `a failure to follow a switch is reported once, even to later subscribers`() async throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let url = fixture.url(".containers/state.json")
    let failures = app.failures.recorded()
    try fixture.write(#"{"version": 99}"#, to: ".containers/state.json")
    try await failures.wait { !$0.isEmpty }
    try fixture.write(#"{"version": 99, "future": true}"#, to: ".containers/state.json")
    try fixture.write(#"{"version": 98, "future": true}"#, to: ".containers/state.json")
    let expected = [99, 98].map { AppContainerError.newerState(url, found: $0, supported: 1).description }
    try await failures.wait { ($0.last?.error as? AppContainerError)?.description == expected[1] }
    #expect(failures.elements.map { "\($0.error)" } == expected)
    #expect(app.failures.recorded().elements.map { "\($0.error)" } == expected)
  }

  @Test func `a root inside another one is rejected unless it is excluded there`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let inner = fixture.url("inner")
    #expect {
      try AppContainer(home: inner)
    } throws: { "\($0)".contains("it is inside \(fixture.root.path), which another AppContainer switches") }
    try app.setExcludedPaths(["inner"])
    #expect(try AppContainer(home: inner).active.value.isDefault)
  }

  @Test func `a switch begun by a newer version is left for that version to finish`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    let text = #"{"version": 99, "future": true}"#
    try fixture.write(text, to: ".containers/journal.json")
    let url = fixture.url(".containers/journal.json")
    #expect(throws: AppContainerError.newerState(url, found: 99, supported: 1)) { try app.activate(work) }
    #expect(throws: AppContainerError.newerState(url, found: 99, supported: 1)) { try fixture.open() }
    #expect(fixture.text(".containers/journal.json") == text)
  }

  @Test func `a record written by a newer version is reported, and not rewritten`() throws {
    let fixture = try Fixture()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    let path = ".containers/\(work.id)/info.json"
    let text = #"{"version": 99, "uuid": "\#(work.id)", "name": "Work", "createdAt": 0, "future": true}"#
    try fixture.write(text, to: path)
    let newer = AppContainerError.newerState(fixture.url(path), found: 99, supported: 1)
    #expect(throws: newer) { try app.update(work, name: "Play", description: nil) }
    #expect(fixture.text(path) == text)
    // A change rereads all records.
    try app.activate(work)
    #expect(app.active.value.id == work.id)
    #expect(app.active.value.problem == newer.description)
  }

  @Test func `a mounted file system in the root prevents a switch, and nothing moves`() async throws {
    try await withDisk(#"mkdir "$1/mounted" && mount -t tmpfs none "$1/mounted""#) { disk in
      defer { shellUnmount(disk.appending(path: "mounted")) }
      try Tree.write("a", to: disk.appending(path: "a"))
      try Tree.write("b", to: disk.appending(path: "z/b"))
      let app = try AppContainer(home: disk)
      let before = try Tree.listing(disk)
      let work = try app.create(name: "Work")
      await #expect(throws: AppContainerError.self) { try await app.activate(work) }
      #expect(try Tree.listing(disk) == before)
      #expect(app.active.value.isDefault)
      try app.setExcludedPaths(["mounted"])
      try await app.activate(work)
      #expect(try Tree.listing(disk).keys.sorted() == ["mounted"])
    }
  }

  private func shellUnmount(_ url: URL) {
    #if canImport(Glibc) || canImport(Musl)
      umount2(url.path, 2)
    #endif
  }

  @Test func `on a full disk nothing moves, and with free space switches work again`() async throws {
    try await withDisk(#"mount -t tmpfs -o size=256k,nr_inodes=200 none "$1""#) { disk in
      let app = try AppContainer(home: disk)
      try Tree.fill(disk, seed: 1)
      let work = try app.create(name: "Work")
      let before = try Tree.listing(disk)
      let ballast = disk.appending(path: ".containers/ballast")
      // One growing file: a removed one can keep its space for a while in a process that was just started, and then the
      // disk would not be full any more.
      _ = FileManager.default.createFile(atPath: ballast.path, contents: nil)
      let handle = try FileHandle(forWritingTo: ballast)
      while (try? handle.write(contentsOf: Data(count: 512))) != nil {}
      try handle.close()
      for _ in 0..<2 {
        await #expect(throws: AppContainerError.self) { try await app.activate(work) }
        #expect(throws: AppContainerError.self) { try app.create(name: "More") }
        #expect(throws: AppContainerError.self) { try app.clone(app.active.value) }
        #expect(try Tree.listing(disk) == before)
        #expect(app.active.value.isDefault && app.environments.value.count == 2)
      }
      // Emptied first, because a process started in between may have the file open and keep its space.
      #expect(truncate(ballast.path, 0) == 0)
      try FileManager.default.removeItem(at: ballast)
      try await app.activate(work)
      #expect(try Tree.listing(disk).isEmpty)
      try await app.activate(id: Environment.defaultID)
      #expect(try Tree.listing(disk) == before)
    }
  }

  @Test func `on a read-only file system nothing changes`() async throws {
    try await withDisk(#"mount -t tmpfs -o size=1m none "$1""#) { disk in
      try Tree.fill(disk, seed: 1)
      let app = try AppContainer(home: disk)
      let work = try app.create(name: "Work")
      let before = try Tree.listing(disk)
      try await remount(disk, readOnly: true)
      await #expect(throws: AppContainerError.self) { try await app.activate(work) }
      #expect(throws: AppContainerError.self) { try app.delete(work) }
      #expect(throws: AppContainerError.self) { try app.clean(app.active.value) }
      #expect(try Tree.listing(disk) == before)
      try await remount(disk, readOnly: false)
      try await app.activate(work)
      #expect(app.active.value.id == work.id)
    }
  }

  @Test func `entries that an app creates during a switch are kept`() throws {
    let fixture = try Fixture()
    let before = try fixture.live()
    let app = try fixture.open()
    let work = try app.create(name: "Work")
    try app.activate(work)
    try fixture.write("work", to: "Documents/user.db")
    app.onStep { step in
      // A program unaware of environments recreates its folder, at the worst moment.
      if step == .left { try? fixture.write("newcomer", to: "Documents/user.db") }
    }
    try app.activate(id: Environment.defaultID)
    app.onStep { _ in }
    #expect(try fixture.live() == before)
    let aside = fixture.url(".containers/aside")
    let kept = try FileManager.default.subpathsOfDirectory(atPath: aside.path).filter { $0.hasSuffix("user.db") }
    #expect(kept.count == 1)
    try app.activate(work)
    #expect(fixture.text("Documents/user.db") == "work")
  }
}
