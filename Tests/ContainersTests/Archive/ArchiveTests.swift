import FileSignals
import Foundation
import TestSupport
import Testing

@testable import Containers

@Suite("Archives of containers")
struct ArchiveTests {
  let fixture: ArchiveFixture

  init() throws {
    fixture = try ArchiveFixture()
  }

  @Test func `what was written is read, with names, links, permissions and times`() throws {
    let done = try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: fixture.archive)
    #expect(done == ArchiveProgress(entries: 14, bytes: 700_009))
    #expect(try ContainerArchive.manifest(of: fixture.archive) == fixture.manifest)
    #expect(try fixture.read(durability: .storage) == fixture.manifest)
    let original = fixture.directory.url.appending(path: "tree")
    #expect(try fixture.listing(of: fixture.unpacked) == fixture.listing(of: original))
  }

  @Test func `the same tree gives the same archive, which only its owner may read`() throws {
    try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: fixture.archive)
    let first = try Data(contentsOf: fixture.archive)
    try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: fixture.archive)
    #expect(try Data(contentsOf: fixture.archive) == first)
    var status = stat()
    #expect(stat(fixture.archive.path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    let names = try FileManager.default.contentsOfDirectory(atPath: fixture.directory.url.path).sorted()
    #expect(names == [".shared", "outside", "tree", "work.container"])
  }

  @Test func `what is left out is not in the archive`() throws {
    var trees = fixture.trees
    trees[0].leavesOut = { $0 == EntryPath("Documents/deep") || $0 == EntryPath("Empty") }
    try ContainerArchive.write(trees, manifest: fixture.manifest, to: fixture.archive)
    try fixture.read()
    let names = try FileManager.default.subpathsOfDirectory(atPath: fixture.unpacked.appending(path: "data").path)
    #expect(Set(names).isSuperset(of: [".hidden", "Documents/user.db", "dangling", "Documents/link"]))
    #expect(!names.contains { $0.hasPrefix("Documents/deep") || $0.hasPrefix("Empty") })
  }

  @Test func `a tree that is not there is an empty one`() throws {
    let trees = fixture.trees + [.init(name: "cookies", url: fixture.directory.url.appending(path: "missing"))]
    try ContainerArchive.write(trees, manifest: fixture.manifest, to: fixture.archive)
    try fixture.read()
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.unpacked.path).sorted() == ["data", "settings"])
  }

  @Test func `a named pipe is told, not opened`() throws {
    #expect(mkfifo(fixture.path("tree/data/pipe"), 0o600) == 0)
    let pipe = URL(filePath: fixture.path("tree/data/pipe"), directoryHint: .notDirectory)
    #expect(throws: AppContainerError.unsupportedFile(pipe, kind: "a named pipe")) {
      try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: fixture.archive)
    }
    expectNothing()
  }

  @Test func `a file that changes while it is read is told`() throws {
    let place = fixture.path("tree/data/Documents/user.db")
    let error = #expect(throws: AppContainerError.self) {
      try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: fixture.archive) { done in
        if done.bytes == 300_000 || done.bytes == 262_145 { truncate(place, 600_000) }
        return true
      }
    }
    guard case .heldOpen = error else { return unexpected(error) }
    expectNothing()
  }

  @Test(arguments: [0, 5, 14]) func `writing is cancelled, and nothing is left of it`(entries: Int) throws {
    try Data("old".utf8).write(to: fixture.archive)
    #expect(throws: AppContainerError.cancelled(operation: "The export")) {
      try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: fixture.archive) { $0.entries < entries }
    }
    #expect(try Data(contentsOf: fixture.archive) == Data("old".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path(".shared")) == ["work.container.lock"])
  }

  @Test(arguments: [0, 5, 14]) func `reading is cancelled, and nothing is left of it`(entries: Int) throws {
    try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: fixture.archive)
    #expect(throws: AppContainerError.cancelled(operation: "The import")) {
      try fixture.read { $0.entries < entries }
    }
    #expect(!FileManager.default.fileExists(atPath: fixture.unpacked.path))
  }

  @Test func `an archive in the container itself is refused`() throws {
    let url = fixture.directory.url.appending(path: "tree/data/Documents/self.container")
    let error = #expect(throws: AppContainerError.self) {
      try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: url)
    }
    guard case .blocked(url, _) = error else { return unexpected(error) }
  }

  @Test func `a file with holes is read whole`() throws {
    let large = fixture.path("tree/data/large")
    #expect(FileManager.default.createFile(atPath: large, contents: nil))
    #expect(truncate(large, 64 << 20) == 0)
    try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: fixture.archive)
    try fixture.read()
    var status = stat()
    #expect(stat(fixture.unpacked.appending(path: "data/large").path, &status) == 0)
    #expect(status.st_size == 64 << 20)
  }

  @Test func `a full disk leaves nothing, and says so`() async throws {
    try await onThread { [fixture] in
      try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: fixture.archive)
    }
    try await withDisk(#"mount -t tmpfs -o size=256k tmpfs "$1""#) { disk in
      try await onThread { try self.expectFull(disk) }
    }
  }

  private func expectFull(_ disk: URL) throws {
    let writing = #expect(throws: AppContainerError.self) {
      try ContainerArchive.write(fixture.trees, manifest: fixture.manifest, to: disk.appending(path: "full.container"))
    }
    guard case .file(.diskFull) = writing else { return unexpected(writing) }
    let reading = #expect(throws: AppContainerError.self) {
      try ContainerArchive.read(
        fixture.archive, into: disk.appending(path: "unpacked"), trees: ["data", "settings"], durability: .process)
    }
    guard case .file(.diskFull) = reading else { return unexpected(reading) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == [".shared"])
  }

  private func expectNothing() {
    #expect(!FileManager.default.fileExists(atPath: fixture.archive.path))
  }
}
