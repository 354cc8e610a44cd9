@testable import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite(.patient, .eachKernel) struct `A directory observer` {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
  }

  private func observe(_ url: URL) throws -> (log: Log<FileEvent>, subscription: SignalSubscription) {
    let log = Log<FileEvent>()
    return (log, try DirectoryObserver(url).sink { log.append($0) })
  }

  @Test func `reports every event of each entry`() async throws {
    try Data("old".utf8).write(to: folder.file("old"))
    let (log, subscription) = try observe(folder.url)
    func expect(_ kind: FileEvent.Kind, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) async {
      await log.wait(sourceLocation: sourceLocation) { $0.contains(FileEvent(kind: kind, url: folder.file(name))) }
    }
    try Data("new".utf8).write(to: folder.file("new"))
    await expect(.created, "new")
    try await DurableFile.write(Data("newer".utf8), to: folder.file("new"))
    await expect(.replaced, "new")
    try Data("newest".utf8).write(to: folder.file("old"))
    // Where only changes of entries are reported, the next one also reveals this write.
    if WatchSource.reportsWrites { await expect(.modified, "old") }
    // A child process of another test may hold the file open for a moment. Its closing is a late modification, which
    // the system can merge with a change of attributes. It happens once, so one of these changes arrives alone.
    for permissions in WatchSource.reportsWrites ? [0o640, 0o600, 0o640] : []
    where !log.all.contains(FileEvent(kind: .attributes, url: folder.file("old"))) {
      let count = log.all.count
      try FileManager.default.setAttributes([.posixPermissions: permissions], ofItemAtPath: folder.file("old").path)
      await log.wait { $0.dropFirst(count).contains { $0.url == folder.file("old") } }
    }
    if WatchSource.reportsWrites { await expect(.attributes, "old") }
    try FileManager.default.moveItem(at: folder.file("old"), to: folder.file("moved"))
    await expect(WatchSource.reportsWrites ? .moved : .deleted, "old")
    await expect(.created, "moved")
    try FileManager.default.removeItem(at: folder.file("new"))
    await expect(.deleted, "new")
    _ = try folder.makeFolder("folder")
    await expect(.created, "folder")
    #expect(!log.all.contains { $0.url.lastPathComponent == ".shared" })
    subscription.cancel()
  }

  #if !canImport(Darwin)
    @Test(arguments: [WatchPolling.never, .always(every: .milliseconds(5))])
    func `distinguishes names that look alike but are composed differently`(_ polling: WatchPolling) async throws {
      let names = ["\u{E9}", "e\u{301}"]
      let log = Log<FileEvent>()
      let subscription = try DirectoryObserver(folder.url, polling: polling).sink { log.append($0) }
      func expect(_ kind: FileEvent.Kind, _ name: String, sourceLocation: SourceLocation = #_sourceLocation) async {
        await log.wait(sourceLocation: sourceLocation) {
          $0.contains { $0.kind == kind && $0.url.lastPathComponent.utf8.elementsEqual(name.utf8) }
        }
      }
      for name in names { try shell("mkdir '\(name)'", in: folder.url) }
      for name in names { await expect(.created, name) }
      for name in names {
        try shell("rmdir '\(name)'", in: folder.url)
        await expect(.deleted, name)
      }
      subscription.cancel()
    }
  #endif

  @Test func `reports every entry that many threads create`() async throws {
    let (log, subscription) = try observe(folder.url)
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      for round in 0..<100 {
        do {
          try Data().write(to: folder.file("\(index)-\(round)"))
        } catch {
          Issue.record(error)
        }
      }
    }
    await log.wait { Set($0.filter { $0.kind == .created }.map(\.url)).count == 800 }
    subscription.cancel()
  }

  @Test func `waits until the directory reappears, and then lists its entries`() async throws {
    let directory = try folder.makeFolder("directory")
    try Data("1".utf8).write(to: directory.appending(path: "kept"))
    let observer = try DirectoryObserver(directory)
    let log = Log<FileEvent>()
    let subscription = observer.sink { log.append($0) }
    for round in 0..<50 {
      try FileManager.default.moveItem(at: directory, to: folder.file("away"))
      await log.wait { $0.filter { $0 == FileEvent(kind: .moved, url: directory) }.count == round + 1 }
      #expect(observer.health.value == .waiting(for: URL(fileURLWithPath: directory.path, isDirectory: true)))
      try Data("2".utf8).write(to: folder.file("away/round\(round)"))
      try FileManager.default.moveItem(at: folder.file("away"), to: directory)
      let back = FileEvent(kind: .created, url: directory.appendingPathComponent("round\(round)", isDirectory: false))
      #expect(await log.wait { $0.contains(back) }.contains(FileEvent(kind: .created, url: directory)))
      #expect(observer.health.value == .active)
    }
    subscription.cancel()
  }

  /// Checks that the parent directory's report of a move suffices.
  ///
  /// The directory's own report may come in a later burst, when no subscriber is left.
  @Test func `is reported as moved as soon as its parent directory reports it`() throws {
    let directory = try folder.makeFolder("directory")
    let watch = try PathChanges(path: directory.path, target: .directory, polling: .never, queue: nil)
    var tree = DirectoryTree(url: directory, isRecursive: false, filter: .all)
    tree.look(watch)
    let above = try #require(watch.plan.places.first { $0.path == folder.url.path })
    try FileManager.default.moveItem(at: directory, to: folder.file("away"))
    let event = WatchEvent(kinds: .movedOut, name: "directory", point: WatchPoint(above, watch: watch))
    let events = tree.events(after: PathChange(events: [event], isRearmed: true), of: watch)
    #expect(events == [FileEvent(kind: .moved, url: directory)])
  }

  @Test(arguments: [false, true])
  func `ignores late events of a replaced directory`(_ isRecursive: Bool) throws {
    let directory = try folder.makeFolder("directory")
    let watch = try PathChanges(path: directory.path, target: .directory, polling: .never, queue: nil)
    var tree = DirectoryTree(url: directory, isRecursive: isRecursive, filter: .all)
    tree.look(watch)
    let old = try #require(watch.plan.places.first { $0.isTarget })
    try FileManager.default.moveItem(at: directory, to: folder.file("away"))
    _ = try folder.makeFolder("directory")
    _ = try folder.makeFolder("directory/inner")
    let replaced = tree.events(after: PathChange(events: [], isRearmed: true), of: watch)
    #expect(replaced.map(\.kind).contains(.created))
    let late = WatchEvent(kinds: .removed, name: "inner", point: WatchPoint(old, watch: watch))
    let events = tree.events(after: PathChange(events: [late], isRearmed: false), of: watch)
    #expect(events == [])
  }

  #if os(Linux)
    @Test func `omits a file whose name is not UTF-8 instead of reporting it as deleted`() async throws {
      let directory = try folder.makeFolder("directory")
      let (log, subscription) = try observe(directory)
      try shell("touch directory/caf$(printf '\\351') && touch directory/after", in: folder.url)
      let after = directory.appendingPathComponent("after", isDirectory: false)
      let events = await log.wait { $0.contains { $0.url == after } }
      #expect(events.allSatisfy { $0.url == after })
      subscription.cancel()
    }
  #endif

  @Test func `follows a symbolic link to the directory`() async throws {
    for name in ["v1", "v2"] { _ = try folder.makeFolder(name) }
    try shell("ln -s v1 current", in: folder.url)
    let current = folder.file("current")
    let (log, subscription) = try observe(current)
    for round in 0..<20 {
      try Data().write(to: folder.file("\(round % 2 == 0 ? "v1" : "v2")/\(round)"))
      let entry = current.appendingPathComponent("\(round)", isDirectory: false)
      await log.wait { $0.contains(FileEvent(kind: .created, url: entry)) }
      try shell("ln -sfn \(round % 2 == 0 ? "v2" : "v1") current", in: folder.url)
      await log.wait { $0.filter { $0 == FileEvent(kind: .replaced, url: current) }.count == round + 1 }
    }
    subscription.cancel()
  }
}
