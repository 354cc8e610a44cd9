import Dispatch
@testable import FileSignals
import Foundation
import KqueueModel
import Signals
import TestSupport
import Testing

@Suite("The changes of a path", .patient, .eachKernel)
struct PathChangesTests {
  @Test
  func `changes before the first subscription are delivered to the first subscriber as one`() async throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("value")
    let changes = try PathChanges(file: url)
    for content in ["one", "two", "three"] { try Data(content.utf8).write(to: url) }
    let seen = Recorder<PathChange>()
    let subscription = changes.sink { seen.record($0) }
    try await seen.first("what happened before") { !$0.events.isEmpty }
    let count = seen.elements.count
    let late = Recorder<PathChange>()
    let second = changes.sink { late.record($0) }
    try Data("four".utf8).write(to: url)
    try await seen.wait(for: "the next change") { $0.count > count }
    try await late.wait(for: "the same change") { !$0.isEmpty }
    withExtendedLifetime((subscription, second)) {}
  }

  @Test
  func `subscribers are listed like those of any other signal`() async throws {
    let directory = try TemporaryDirectory()
    let changes = try PathChanges(file: directory.file("value"))
    let subscription = changes.map(\.isStructural).sink { _ in }
    #expect(await changes.subscriptions().map(\.description) == ["map → sink"])
    subscription.cancel()
    #expect(await changes.subscriptions().isEmpty)
  }

  @Test
  func `a subscription retains the watch of the path, and its end releases it`() async throws {
    let directory = try TemporaryDirectory()
    weak var released: PathChanges?
    var subscription: SignalSubscription?
    do {
      let changes = try PathChanges(file: directory.file("value"), polling: .never)
      released = changes
      subscription = changes.sink { _ in }
    }
    #expect(released != nil)
    subscription?.cancel()
    // The thread that passes on an event of the shared temporary directory may still have it.
    try await eventually { released == nil }
  }

  @Test
  func `a change during a pause that is not known is delivered at its end, or before if it lasts`() async throws {
    let directory = try TemporaryDirectory()
    let url = directory.file("value")
    let queue = DispatchQueue(label: "test")
    let changes = try PathChanges(file: url, queue: queue)
    let seen = Recorder<PathChange>()
    let subscription = changes.sink { seen.record($0) }
    let isOfFile = { @Sendable (change: PathChange) in change.events.contains { $0.name == "value" } }
    // Another test's watch may report late that this directory was created, so all that came before is waited for: events
    // arrive in order, and a file that is moved here causes only one.
    let other = try TemporaryDirectory()
    try Data("old".utf8).write(to: other.file("value"))
    try FileManager.default.moveItem(at: other.file("value"), to: url)
    try await seen.first("the file", where: isOfFile)
    queue.sync {}
    let count = seen.elements.count
    changes.pause()
    let change = try changes.quietly({ try Data("new".utf8).write(to: url) }, isKnown: { false })
    #expect(!change.isKnown)
    change.deliverOthers()
    changes.resume()
    try await seen.wait(for: "what was put off") { $0.dropFirst(count).contains(where: isOfFile) }
    withExtendedLifetime(subscription) {}
  }

  #if os(Linux)
    @Test
    func `a write is reported while the file is still open, with the name of the file`() async throws {
      let directory = try TemporaryDirectory()
      let url = directory.file("open")
      try Data().write(to: url)
      let seen = Recorder<PathChange>()
      let changes = try PathChanges(contentsOf: directory.url, queue: DispatchQueue(label: "test"))
      let watch = changes.sink { seen.record($0) }
      _ = changes.follow(["open"])
      let handle = try FileHandle(forWritingTo: url)
      // The first write may arrive in one burst with a late event of another test's watch: the creation of this
      // directory.
      repeat {
        let count = seen.elements.count
        try handle.write(contentsOf: Data("one".utf8))
        try await seen.wait(for: "the write") { $0.dropFirst(count).contains { $0.written == ["open"] } }
      } while seen.elements.allSatisfy(\.isStructural)
      try Data().write(to: directory.file("new"))
      try await seen.first("the new file") { $0.isStructural }
      try handle.close()
      withExtendedLifetime(watch) {}
    }

    @Test
    func `an observer of a directory's entries is not notified of each write`() async throws {
      let directory = try TemporaryDirectory()
      let url = directory.file("open")
      try Data().write(to: url)
      let contents = Recorder<Bool>()
      let changes = try PathChanges(contentsOf: directory.url, queue: DispatchQueue(label: "test"))
      let watch = changes.sink { contents.record($0.isStructural) }
      _ = changes.follow(["open"])
      let events = try DirectoryObserver(directory.url).recorded()
      let handle = try FileHandle(forWritingTo: url)
      for count in 1...5 {
        try handle.write(contentsOf: Data("one".utf8))
        try await contents.wait(for: "write \(count)") { $0.count >= count }
      }
      #expect(events.elements == [])
      try handle.close()
      if WatchSource.reportsWrites { try await events.first("the end of writing") { $0.kind == .modified } }
      withExtendedLifetime(watch) {}
    }
  #endif

  @Test
  func `a directory that reappears is watched again`() async throws {
    let directory = try TemporaryDirectory()
    let folder = directory.file("folder")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let seen = Recorder<Bool>()
    let changes = try PathChanges(contentsOf: folder, queue: DispatchQueue(label: "test"))
    let watch = changes.sink { seen.record($0.isStructural) }
    for round in 1...5 {
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try await changes.health.firstValue { $0 == .active }
      let count = seen.elements.count
      try Data().write(to: folder.appending(path: "file \(round)"))
      try await seen.wait(for: "round \(round)") { $0.count > count }
    }
    withExtendedLifetime(watch) {}
  }
}
