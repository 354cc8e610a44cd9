import FileSignals
import Foundation
import TestSupport
import Testing

@testable import Containers

@Suite("Archives of environments", .eachLayout)
struct ArchiveTests {
  let fixture: ArchiveFixture

  init() throws {
    fixture = try ArchiveFixture()
  }

  @Test func `a written archive is read back with names, links, permissions and times`() throws {
    let done = try fixture.write()
    #expect(done == ArchiveProgress(entries: 13, bytes: 300_265))
    #expect(try EnvironmentArchive.manifest(of: fixture.archive) == fixture.manifest)
    #expect(try fixture.read(durability: .storage) == fixture.manifest)
    for name in ["data", "settings"] {
      let original = fixture.directory.url.appending(path: "tree/\(name)")
      #expect(try fixture.listing(of: fixture.unpacked.appending(path: name)) == fixture.listing(of: original))
    }
  }

  @Test func `equal trees give equal archives, which only their owner may read`() throws {
    try fixture.write()
    let first = try Data(contentsOf: fixture.archive)
    try fixture.write()
    #expect(try Data(contentsOf: fixture.archive) == first)
    var status = stat()
    #expect(stat(fixture.archive.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.url.path).sorted()
    #expect(names == [".shared", "outside", "tree", "work.container"])
  }

  @Test func `excluded entries are not in the archive`() throws {
    let folder = try Folder(fixture.directory.url.appending(path: "tree/data"))
    let entries = [".hidden", "Documents/user.db", "dangling", "Documents/link"].map { EntryPath($0) }
    let tree = EnvironmentArchive.Tree(name: "data", folder: folder, entries: entries)
    try EnvironmentArchive.write([tree], manifest: fixture.manifest, to: fixture.archive)
    try fixture.read()
    let names = try FileManager.default.subpathsOfDirectory(atPath: fixture.unpacked.appending(path: "data").path)
    #expect(Set(names) == [".hidden", "Documents", "Documents/user.db", "dangling", "Documents/link"])
  }

  @Test func `a named pipe is reported, not opened`() throws {
    #expect(mkfifo(fixture.path("tree/data/pipe"), 0o600) == 0)
    let pipe = URL(filePath: fixture.path("tree/data/pipe"), directoryHint: .notDirectory)
    #expect(throws: AppContainerError.unsupportedFile(pipe, kind: "a named pipe")) {
      try fixture.write()
    }
    expectNothing()
  }

  @Test func `a file that changes while it is read is reported`() throws {
    let place = fixture.path("tree/data/Documents/user.db")
    let error = #expect(throws: AppContainerError.self) {
      try fixture.write { done in
        if done.bytes >= 262_144 { truncate(place, 280_000) }
        return true
      }
    }
    guard case .heldOpen = error else { return unexpected(error) }
    expectNothing()
  }

  @Test(arguments: [0, 5, 13]) func `cancelling a write leaves nothing behind`(entries: Int) throws {
    try Data("old".utf8).write(to: fixture.archive)
    #expect(throws: AppContainerError.cancelled(operation: "The export")) {
      try fixture.write { $0.entries < entries }
    }
    #expect(try Data(contentsOf: fixture.archive) == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path(".shared")) == ["work.container.lock"])
  }

  @Test(arguments: [0, 5, 13]) func `cancelling a read leaves nothing behind`(entries: Int) throws {
    try fixture.write()
    #expect(throws: AppContainerError.cancelled(operation: "The import")) {
      try fixture.read { $0.entries < entries }
    }
    #expect(!FileManager.default.fileExists(atPath: fixture.unpacked.path))
  }

  @Test func `an archive inside the environment itself is rejected`() throws {
    let url = fixture.directory.url.appending(path: "tree/data/Documents/self.container")
    let error = #expect(throws: AppContainerError.self) {
      try fixture.write(to: url)
    }
    guard case .blocked(url, _) = error else { return unexpected(error) }
  }

  @Test func `a file with holes is read whole`() throws {
    let large = fixture.path("tree/data/large")
    #expect(FileManager.default.createFile(atPath: large, contents: nil))
    #expect(truncate(large, 3 << 20) == 0)
    try fixture.write()
    try fixture.read()
    var status = stat()
    #expect(stat(fixture.unpacked.appending(path: "data/large").path, &status) == 0)
    #expect(status.st_size == 3 << 20)
  }

  @Test func `a full disk is reported, and nothing is left behind`() async throws {
    _ = try await onThread { [fixture] in try fixture.write() }
    try await withDisk(#"mount -t tmpfs -o size=256k tmpfs "$1""#) { disk in
      try await onThread { try self.expectFull(disk) }
    }
  }

  private func expectFull(_ disk: URL) throws {
    let writing = #expect(throws: AppContainerError.self) {
      try fixture.write(to: disk.appending(path: "full.container"))
    }
    guard case .file(.diskFull) = writing else { return unexpected(writing) }
    let reading = #expect(throws: AppContainerError.self) {
      try EnvironmentArchive.read(
        fixture.archive, into: disk.appending(path: "unpacked"), trees: ["data", "settings"],
        hidden: EntryPath(".containers"), durability: .process)
    }
    guard case .file(.diskFull) = reading else { return unexpected(reading) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [".shared"])
  }

  private func expectNothing() {
    #expect(!FileManager.default.fileExists(atPath: fixture.archive.path))
  }
}
