import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

/// Observes a tree and records its events by paths relative to the root.
final class TreeFollower: Sendable {
  struct Entry: Hashable, CustomStringConvertible {
    let kind: FileEvent.Kind
    let path: String

    var description: String { "\(kind) \(path)" }
  }

  let observer: DirectoryObserver
  let log = Log<Entry>()
  private let subscription: SignalSubscription

  init(_ root: URL, matching filter: FileFilter = .all, polling: WatchPolling = .automatic) throws {
    observer = try DirectoryObserver(root, recursive: true, matching: filter, polling: polling)
    let length = root.path.utf8.count + 1
    subscription = observer.sink { [log] event in
      log.append(Entry(kind: event.kind, path: String(decoding: event.url.path.utf8.dropFirst(length), as: UTF8.self)))
    }
  }

  /// Waits until events of a kind are recorded for all paths.
  func expect(
    _ kind: FileEvent.Kind, _ paths: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    for path in paths {
      await log.wait(sourceLocation: sourceLocation) { $0.contains(Entry(kind: kind, path: path)) }
    }
  }

  /// Waits until the events, applied in order, add up to a set of paths.
  func expectPaths(_ expected: Set<String>, from start: Set<String> = []) async {
    await log.wait { entries in
      var paths = start
      for entry in entries {
        switch entry.kind {
        case .created: paths.insert(entry.path)
        case .deleted, .moved: paths.remove(entry.path)
        default: break
        }
      }
      return paths == expected
    }
  }
}

@Suite(.patient, .eachKernel) struct `A recursive directory observer` {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  @Test func `reports events at any depth`() async throws {
    try store("1", try folder.makeFolder("a/b/c").appending(path: "file"))
    let follower = try TreeFollower(folder.url)
    try Data("2".utf8).write(to: folder.file("a/b/c/file"))
    // Elsewhere, only changes of entries are reported.
    if WatchSource.reportsWrites { await follower.expect(.modified, "a/b/c/file") }
    try store("3", folder.file("a/b/c/file"))
    await follower.expect(.replaced, "a/b/c/file")
    try store("4", folder.file("a/other"))
    await follower.expect(.created, "a/other")
    try FileManager.default.removeItem(at: folder.file("a/b/c/file"))
    await follower.expect(.deleted, "a/b/c/file")
    #expect(follower.observer.health.value == .active)
    #expect(!follower.log.all.contains { $0.path.contains(".shared") })
  }

  @Test func `reports no events inside subdirectories if it is not recursive`() async throws {
    _ = try folder.makeFolder("a")
    let log = Log<FileEvent>()
    let subscription = try DirectoryObserver(folder.url).sink { log.append($0) }
    try Data().write(to: folder.file("a/inside"))
    try Data().write(to: folder.file("outside"))
    await log.wait { $0.contains { $0.url == folder.file("outside") } }
    #expect(!log.all.contains { $0.url.lastPathComponent == "inside" })
    subscription.cancel()
  }

  @Test func `reports every entry of directories that are created in a burst`() async throws {
    let follower = try TreeFollower(folder.url)
    var expected: Set<String> = []
    for round in 0..<100 {
      let path = "d\(round)/a/b"
      // All at once, so that the observer is too late for some of it.
      try folder.makeFolder(path)
        .withFile("file").withFile("other")
      expected.formUnion(["d\(round)", "d\(round)/a", path, "\(path)/file", "\(path)/other"])
    }
    await follower.expectPaths(expected)
    for round in 0..<100 { try Data("x".utf8).write(to: folder.file("d\(round)/a/b/late")) }
    for round in 0..<100 { await follower.expect(.created, "d\(round)/a/b/late") }
  }

  @Test func `reports trees that move in, within and out`() async throws {
    let outside = try TemporaryDirectory()
    for name in ["x/y/1", "x/2"] {
      _ = try outside.makeFolder(String(name.dropLast(2))).withFile(String(name.suffix(1)))
    }
    let tree: Set = ["x", "x/y", "x/y/1", "x/2"]
    let follower = try TreeFollower(folder.url)
    for round in 0..<20 {
      try FileManager.default.moveItem(at: outside.file("x"), to: folder.file("x"))
      await follower.expectPaths(tree)
      try FileManager.default.moveItem(at: folder.file("x"), to: folder.file("z"))
      let moved = Set(tree.map { "z" + $0.dropFirst() })
      await follower.expectPaths(moved)
      // The watches moved with the tree, under the new name.
      try Data().write(to: folder.file("z/y/new\(round)"))
      await follower.expectPaths(moved.union(["z/y/new\(round)"]))
      try FileManager.default.removeItem(at: folder.file("z/y/new\(round)"))
      try FileManager.default.moveItem(at: folder.file("z"), to: outside.file("x"))
      await follower.expectPaths([])
      try Data().write(to: outside.file("x/y/unseen"))
      try FileManager.default.removeItem(at: outside.file("x/y/unseen"))
    }
    #expect(!follower.log.all.contains { $0.path.hasSuffix("unseen") })
    if WatchSource.reportsWrites { #expect(follower.log.all.contains(.init(kind: .moved, path: "z/y/1"))) }
  }

  @Test func `continues where a directory is removed and recreated, 200 times`() async throws {
    let follower = try TreeFollower(folder.url)
    for round in 0..<200 {
      try folder.makeFolder("a/b").withFile("f\(round)")
      await follower.expectPaths(["a", "a/b", "a/b/f\(round)"])
      try FileManager.default.removeItem(at: folder.file("a"))
      if round % 3 == 0 { await follower.expectPaths([]) }
    }
    await follower.expectPaths([])
  }

  @Test func `waits until the whole tree reappears`() async throws {
    let root = try folder.makeFolder("root")
    try folder.makeFolder("root/a/b").withFile("file")
    let follower = try TreeFollower(root)
    for _ in 0..<10 {
      let count = follower.log.all.count
      try FileManager.default.moveItem(at: root, to: folder.file("away"))
      await follower.log.wait { $0.dropFirst(count).contains(.init(kind: .moved, path: "")) }
      try Data().write(to: folder.file("away/a/b/unseen"))
      try FileManager.default.removeItem(at: folder.file("away/a/b/unseen"))
      try FileManager.default.moveItem(at: folder.file("away"), to: root)
      await follower.log.wait { entries in
        ["", "a", "a/b", "a/b/file"].allSatisfy { entries.dropFirst(count).contains(.init(kind: .created, path: $0)) }
      }
      try Data().write(to: root.appending(path: "a/b/new"))
      await follower.log.wait { $0.dropFirst(count).contains(.init(kind: .created, path: "a/b/new")) }
      try FileManager.default.removeItem(at: root.appending(path: "a/b/new"))
      await follower.log.wait { $0.dropFirst(count).contains(.init(kind: .deleted, path: "a/b/new")) }
    }
    #expect(!follower.log.all.contains { $0.path.hasSuffix("unseen") })
  }

  @Test func `follows no symbolic links, neither out of the tree nor in a circle`() async throws {
    let outside = try TemporaryDirectory()
    let root = try folder.makeFolder("root/a")
    try shell("ln -s ../.. a/up; ln -s '\(outside.url.path)' out; ln -s . self", in: folder.file("root"))
    let follower = try TreeFollower(folder.file("root"))
    try shell("ln -s '\(outside.url.path)' later && mkdir b && ln -s ../a b/a", in: folder.file("root"))
    await follower.expect(.created, "later", "b", "b/a")
    // A directory that becomes a link is no longer watched.
    try shell("mv b gone && ln -s '\(outside.url.path)' b", in: folder.file("root"))
    await follower.expect(.created, "gone", "gone/a", "b")
    try Data().write(to: outside.file("unseen"))
    try Data().write(to: root.appending(path: "seen"))
    await follower.expect(.created, "a/seen")
    #expect(!follower.log.all.contains { $0.path.hasSuffix("unseen") })
    #expect(follower.log.all.filter { $0.path.hasSuffix("seen") }.allSatisfy { $0.path == "a/seen" })
  }

  @Test func `reports only what its filter includes, and enters only allowed directories`() async throws {
    for path in ["plain", ".git", "node_modules/x"] { _ = try folder.makeFolder(path) }
    let follower = try TreeFollower(folder.url, matching: .names("*.json").notEntering("node_modules"))
    try shell(
      """
      for d in . plain .git node_modules node_modules/x; do echo > $d/a.txt; echo > $d/a.json; echo > $d/.b.json; done
      mkdir -p later/.hidden/deep later/more && echo > later/.hidden/deep/a.json && echo > later/more/a.json
      """, in: folder.url
    )
    await follower.expectPaths(["a.json", "plain/a.json", "later/more/a.json"])
    try FileManager.default.moveItem(at: folder.file("later"), to: folder.file("node_modules/later"))
    await follower.expectPaths(["a.json", "plain/a.json"])
    #expect(follower.log.all.allSatisfy { $0.path.hasSuffix("a.json") })
  }

  @Test func `follows any depth of nesting, down and back`() async throws {
    let (depth, name) = (400, "directory-with-a-name")
    let follower = try TreeFollower(folder.url)
    try nest(name, depth)
    let path = String(repeating: "\(name)/", count: depth)
    await follower.expect(.created, "\(path)leaf")
    try shell("rm -r \(name)", in: folder.url)
    await follower.expect(.deleted, "\(path)leaf", name)
  }

  @Test func `reports events that add up while many threads create and move trees`() async throws {
    let follower = try TreeFollower(folder.url)
    try await onThread {
      DispatchQueue.concurrentPerform(iterations: 4) { worker in
        do {
          for round in 0..<25 {
            let name = "\(worker)-\(round)"
            try folder.makeFolder("\(name)/a/b").withFile("f")
            if round % 2 == 0 {
              try FileManager.default.moveItem(at: folder.file("\(name)/a"), to: folder.file("\(name)/c"))
            }
            if round % 5 == 0 { try FileManager.default.removeItem(at: folder.file(name)) }
          }
        } catch {
          Issue.record(error)
        }
      }
    }
    var expected: Set<String> = []
    for worker in 0..<4 {
      for round in 0..<25 where round % 5 != 0 {
        let (name, inner) = ("\(worker)-\(round)", round % 2 == 0 ? "c" : "a")
        expected.formUnion([name, "\(name)/\(inner)", "\(name)/\(inner)/b", "\(name)/\(inner)/b/f"])
      }
    }
    await follower.expectPaths(expected)
  }

  #if os(Linux)
    @Test func `uses one watch per directory, and leaves none behind`() async {
      await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        try await countWatches(path)
      }
    }
  #endif
}

extension `A recursive directory observer` {
  /// Creates nested directories one at a time, because their path is longer than the maximum.
  private func nest(_ name: String, _ depth: Int) throws {
    var directory = open(folder.url.path, O_RDONLY | O_DIRECTORY)
    for _ in 0..<depth {
      try #require(mkdirat(directory, name, 0o700) == 0)
      let next = openat(directory, name, O_RDONLY | O_DIRECTORY)
      close(directory)
      directory = next
    }
    close(openat(directory, "leaf", O_WRONLY | O_CREAT, 0o600))
    close(directory)
  }
}

extension URL {
  /// Creates an empty file in a directory.
  @discardableResult
  func withFile(_ name: String) throws -> URL {
    try Data().write(to: appending(path: name))
    return self
  }
}

#if os(Linux)
  private func countWatches(_ path: String) async throws {
    let root = URL(filePath: path)
    try FileManager.default.createDirectory(at: root.appending(path: "root"), withIntermediateDirectories: true)
    for index in 0..<50 {
      try FileManager.default.createDirectory(
        at: root.appending(path: "root/\(index)/x"), withIntermediateDirectories: true)
    }
    let before = try watchCount()
    var followers = [try TreeFollower(root.appending(path: "root"))]
    let alone = try watchCount()
    // The tree and its ancestors.
    #expect((101...(101 + root.pathComponents.count)).contains(alone - before))
    followers.append(try TreeFollower(root.appending(path: "root")))
    #expect(try watchCount() == alone)
    for index in 0..<50 {
      try FileManager.default.moveItem(
        at: root.appending(path: "root/\(index)/x"), to: root.appending(path: "root/\(index)/y"))
    }
    for follower in followers {
      for index in 0..<50 { await follower.expect(.created, "\(index)/y") }
    }
    #expect(try watchCount() == alone)
    for index in 0..<50 { try FileManager.default.removeItem(at: root.appending(path: "root/\(index)")) }
    try await eventually { try watchCount() == alone - 100 }
    followers = []
    try await eventually { try watchCount() == before }
  }
#endif
