import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

/// Reads a file after each event, as an application would, and records its content.
private final class Follower: Sendable {
  let contents = Log<String>()
  let kinds = Log<FileEvent.Kind>()
  private let subscription: SignalSubscription

  init(_ url: URL) throws {
    subscription = try FileObserver(url).sink { [contents, kinds] event in
      #expect(event.url == url)
      kinds.append(event.kind)
      do {
        contents.append(String(decoding: try DurableFile.read(url), as: UTF8.self))
      } catch DurableFileError.notFound, DurableFileError.danglingLink, DurableFileError.directoryNotFound {
        contents.append("<none>")
      } catch {
        Issue.record(error)
      }
    }
  }

  /// Waits until the last content read is the given text.
  func expect(_ content: String, sourceLocation: SourceLocation = #_sourceLocation) async {
    await contents.wait(sourceLocation: sourceLocation) { $0.last == content }
  }
}

@Suite(.patient, .eachKernel) struct `A file observer` {
  let folder: TemporaryDirectory
  let file: URL

  init() throws {
    folder = try TemporaryDirectory()
    file = folder.file("value")
  }

  private func replace(_ content: String, _ url: URL? = nil) throws {
    try DurableFile.write(Data(content.utf8), to: url ?? file, durability: .process)
  }

  private func overwrite(_ content: String, _ url: URL? = nil) throws {
    try Data(content.utf8).write(to: url ?? file)
  }

  /// A file in a nested folder.
  ///
  /// Other tests watch the temporary directory, and its events reach every observer. The creation of this test's folder
  /// may arrive late, and count as a replacement of the file.
  private func remoteFile() throws -> URL {
    URL(fileURLWithPath: "\(try folder.makeFolder("inner").path)/value", isDirectory: false)
  }

  @Test func `continues after any number of replacements of the file`() async throws {
    let file = try remoteFile()
    let follower = try Follower(file)
    for round in 0..<300 {
      try replace("\(round)", file)
      await follower.expect("\(round)")
    }
    #expect(follower.kinds.all.first == .created)
    // A child process of another test may be the last to close the temporary file, after the rename.
    #expect(follower.kinds.all.dropFirst().filter { ![.replaced, .modified, .rescan].contains($0) } == [])
  }

  @Test func `reports every event of the file`() async throws {
    let file = try remoteFile()
    try overwrite("a", file)
    let follower = try Follower(file)
    func expect(_ kind: FileEvent.Kind, after change: () throws -> Void) async rethrows {
      let count = follower.kinds.all.count
      try change()
      await follower.kinds.wait { $0.dropFirst(count).contains(kind) }
    }
    try await expect(.modified) { try overwrite("b", file) }
    try await expect(.replaced) { try store("c", file) }
    try await expect(.attributes) {
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file.path)
    }
    try await expect(.moved) { try FileManager.default.moveItem(at: file, to: folder.file("other")) }
    try await expect(.created) { try store("d", file) }
    try await expect(.deleted) { try FileManager.default.removeItem(at: file) }
  }

  @Test func `ignores other files in the directory`() async throws {
    try overwrite("mine")
    let follower = try Follower(file)
    for round in 0..<50 { try overwrite("\(round)", folder.file("value\(round % 5)")) }
    try overwrite("mine too")
    await follower.expect("mine too")
    #expect(follower.kinds.all.count < 5)
  }

  @Test(
    arguments: [
      "printf next > value", "printf next > other && mv other value", "sed -i s/first/next/ value",
      "rm value && printf next > value", "printf next > other && ln -f other value",
      "printf next > other && ln -sf other value",
      "cp value copy && printf next > copy && cat copy > value", ": > value && printf next >> value",
    ]
  )
  func `reports changes made by other programs`(_ command: String) async throws {
    try overwrite("first")
    let follower = try Follower(file)
    try shell(command, in: folder.url)
    await follower.expect("next")
    // The observer still works afterwards.
    try replace("last")
    await follower.expect("last")
  }

  @Test func `loses no change when the directory is deleted and recreated, 300 times`() async throws {
    let directory = try folder.makeFolder("directory")
    let inner = directory.appendingPathComponent("value", isDirectory: false)
    let follower = try Follower(inner)
    for round in 0..<300 {
      try FileManager.default.removeItem(at: directory)
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
      try overwrite("\(round)", inner)
      await follower.expect("\(round)")
    }
  }

  @Test func `loses no change when the directory is moved away and recreated, 300 times`() async throws {
    let directory = try folder.makeFolder("directory")
    let inner = directory.appendingPathComponent("value", isDirectory: false)
    let follower = try Follower(inner)
    for round in 0..<300 {
      let old = folder.file("old\(round)")
      try FileManager.default.moveItem(at: directory, to: old)
      // The old file must no longer matter.
      try await DurableFile.write(Data("stale".utf8), to: old.appending(path: "value"), durability: .process)
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
      try overwrite("\(round)", inner)
      await follower.expect("\(round)")
    }
    #expect(!follower.contents.all.contains("stale"))
  }

  @Test func `loses no change when a distant ancestor is moved, deleted and recreated`() async throws {
    let deep = try folder.makeFolder("a/b/c/d")
    let inner = deep.appendingPathComponent("value", isDirectory: false)
    let observer = try FileObserver(inner)
    let health = Log<WatchHealth>()
    let subscription = observer.health.sink { health.append($0) }
    let follower = try Follower(inner)
    for round in 0..<100 {
      if round % 2 == 0 {
        try FileManager.default.moveItem(at: folder.file("a"), to: folder.file("old\(round)"))
      } else {
        try FileManager.default.removeItem(at: folder.file("a"))
      }
      try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
      try overwrite("\(round)", inner)
      await follower.expect("\(round)")
    }
    try FileManager.default.removeItem(at: folder.file("a"))
    let missing = URL(fileURLWithPath: folder.file("a").path, isDirectory: true)
    await health.wait { $0.last == .waiting(for: missing) }
    try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
    await health.wait { $0.last == .active }
    subscription.cancel()
    withExtendedLifetime(observer) {}
  }

  @Test(arguments: ["a", "a/b", "a/b/c"])
  func `continues after the removal of a directory that another process keeps open`(_ held: String) async throws {
    let deep = try folder.makeFolder("a/b/c")
    let inner = deep.appendingPathComponent("value", isDirectory: false)
    let observer = try FileObserver(inner)
    let health = Log<WatchHealth>()
    let subscription = observer.health.sink { health.append($0) }
    let follower = try Follower(inner)
    let descriptor = open(folder.file(held).path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    #expect(descriptor >= 0)
    defer { close(descriptor) }
    try FileManager.default.removeItem(at: folder.file("a"))
    let missing = URL(fileURLWithPath: folder.file("a").path, isDirectory: true)
    await health.wait(10) { $0.last == .waiting(for: missing) }
    try FileManager.default.createDirectory(at: deep, withIntermediateDirectories: true)
    try overwrite("again", inner)
    await follower.expect("again")
    subscription.cancel()
    withExtendedLifetime(observer) {}
  }

  @Test func `follows a symbolic link to the file, wherever it points`() async throws {
    let places = try ["x", "y"].map { try folder.makeFolder($0).appending(path: "target") }
    for place in places { try overwrite("0", place) }
    try FileManager.default.createSymbolicLink(at: file, withDestinationURL: places[0])
    let follower = try Follower(file)
    for round in 1..<50 {
      let place = places[round % 2]
      try shell("ln -sfn \(round % 2 == 0 ? "x" : "y")/target value", in: folder.url)
      try await DurableFile.write(Data("\(round)".utf8), to: place, durability: .process)
      await follower.expect("\(round)")
      try overwrite("\(round) in place", place)
      await follower.expect("\(round) in place")
    }
  }

  @Test func `follows a symbolic link in the middle of the path`() async throws {
    for name in ["v1", "v2"] { try overwrite(name, try folder.makeFolder(name).appending(path: "value")) }
    try shell("ln -s v1 current", in: folder.url)
    let follower = try Follower(folder.file("current/value"))
    for round in 0..<20 {
      let name = round % 2 == 0 ? "v2" : "v1"
      try shell("ln -s \(name) next && mv -T next current", in: folder.url)
      await follower.expect(name)
    }
  }

  @Test func `reports the swap of a mounted configuration`() async throws {
    // Like a Kubernetes ConfigMap: the file is a link through `..data`, which is a link to a dated directory.
    try shell(
      "mkdir ..d0 && printf 0 > ..d0/value && ln -s ..d0 ..data && ln -s ..data/value value", in: folder.url
    )
    let follower = try Follower(file)
    for round in 1...30 {
      try shell(
        """
        mkdir ..d\(round) && printf \(round) > ..d\(round)/value
        ln -s ..d\(round) ..data_tmp && mv -T ..data_tmp ..data && rm -r ..d\(round - 1)
        """, in: folder.url
      )
      await follower.expect("\(round)")
    }
  }

  @Test func `misses no write during its initialization`() async throws {
    for round in 0..<500 {
      let file = folder.file("race\(round % 7)")
      async let wrote: Void = onThread { try store("\(round)", file) }
      if round % 2 == 0 { usleep(useconds_t(round % 100)) }
      // With watching before reading, every change that is not read is reported.
      let follower = try Follower(file)
      let found = FileManager.default.contents(atPath: file.path).map { String(decoding: $0, as: UTF8.self) }
      try await wrote
      if found != "\(round)" { await follower.expect("\(round)") }
    }
  }

  @Test func `does not wait for a slow subscriber of another observer`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let slow = try FileObserver(file).sink { _ in gate.wait() }
    let follower = try Follower(file)
    for round in 0..<20 {
      try replace("\(round)")
      await follower.expect("\(round)")
    }
    for _ in 0..<100 { gate.signal() }
    slow.cancel()
  }

  @Test func `is released with its last observer`() async throws {
    weak var released: FileObserver?
    var subscription: SignalSubscription?
    do {
      let observer = try FileObserver(file)
      released = observer
      subscription = observer.sink { _ in }
    }
    #expect(released != nil)
    try replace("x")
    subscription?.cancel()
    // A delivery in progress may retain it for a moment.
    try await eventually { released == nil }
  }
}
