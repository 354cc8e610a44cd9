#if os(Linux) && DEBUG
  @testable import FileSignals
  import Foundation
  import CLibrary
  import KqueueModel
  import Signals
  import TestSupport
  import Testing

  /// Races and failures that are rare with the real kernel, made certain by the model.
  @Suite(.patient) struct `The kqueue backend` {
    private let folder: TemporaryDirectory
    private let file: URL
    private let model: KqueueModel
    private let source: WatchSource

    init() throws {
      folder = try TemporaryDirectory()
      _ = try folder.makeFolder("inner")
      file = folder.file("inner/value")
      try Data("old".utf8).write(to: file)
      model = try KqueueModel()
      source = try WatchSource(model)
    }

    private func observe(
      _ source: WatchSource? = nil, polling: WatchPolling = .never
    ) async throws -> (observer: FileObserver, kinds: Log<FileEvent.Kind>, subscription: SignalSubscription) {
      let kinds = Log<FileEvent.Kind>()
      let observer = try await (source ?? self.source).use { try FileObserver(file, polling: polling) }
      return (observer, kinds, observer.sink { kinds.append($0.kind) })
    }

    private func expect(
      _ kind: FileEvent.Kind, in kinds: Log<FileEvent.Kind>, sourceLocation: SourceLocation = #_sourceLocation,
      after change: () throws -> Void
    ) async throws {
      let count = kinds.all.count
      try change()
      await kinds.wait(sourceLocation: sourceLocation) { $0.dropFirst(count).contains(kind) }
    }

    @Test(arguments: ["printf new > next && mv next value", "rm value && printf new > value", "rm value"])
    func `follows a file that is replaced between its opening and its watch`(_ command: String) async throws {
      let (path, inner) = (file.path, folder.file("inner"))
      let isDone = Guarded(false)
      model.interrupt { opened in
        guard opened == path, !isDone.withLock({ exchange(&$0, with: true) }) else { return }
        do { try shell(command, in: inner) } catch { Issue.record(error) }
      }
      let (_, kinds, subscription) = try await observe()
      try Data("newer".utf8).write(to: file)
      let count = kinds.all.count
      try await eventually {
        try Data("in place".utf8).write(to: file)
        return kinds.all.dropFirst(count).contains(.modified)
      }
      subscription.cancel()
    }

    @Test func `watches the directory that is in place, if it is replaced between its opening and its watch`()
      async throws
    {
      let (inner, outer) = (folder.file("inner").path, folder.url)
      let isDone = Guarded(false)
      model.interrupt { opened in
        guard opened == inner, !isDone.withLock({ exchange(&$0, with: true) }) else { return }
        do {
          try shell("mv inner away && mkdir inner && printf new > inner/value", in: outer)
        } catch {
          Issue.record(error)
        }
      }
      let (_, kinds, subscription) = try await observe()
      try await expect(.modified, in: kinds) { try Data("newer".utf8).write(to: file) }
      subscription.cancel()
    }

    @Test func `does not take a late event of a removed file for one of its directory`() async throws {
      let changes = try await source.use { try PathChanges(file: file, polling: .never) }
      let seen = Recorder<Bool>()
      let subscription = changes.sink { seen.record($0.isRearmed) }
      for round in 1...20 {
        // Both events are taken together, and that of the directory comes first.
        try source.backend().stall {
          try shell("printf 1 > next && mv next value && rm value", in: folder.file("inner"))
        }
        try await seen.wait(for: "round \(round)") { $0.count >= round }
        let count = seen.elements.count
        try Data("again".utf8).write(to: file)
        try await seen.wait(for: "the next file") { $0.count > count }
      }
      #expect(!seen.elements.contains(true))
      subscription.cancel()
    }

    @Test func `reports a missing file that appears and disappears in one moment, by its name only`() async throws {
      let changes = try await source.use { try PathChanges(file: folder.file("inner/missing"), polling: .never) }
      let seen = Recorder<PathChange>()
      let subscription = changes.sink { seen.record($0) }
      for round in 1...20 {
        let count = seen.elements.count
        try source.backend().stall { try shell("printf 1 > missing && rm missing", in: folder.file("inner")) }
        try await seen.wait(for: "round \(round)") { $0.count > count }
      }
      #expect(seen.elements.allSatisfy { !$0.isRearmed && $0.events.allSatisfy { $0.name == "missing" } })
      subscription.cancel()
    }

    @Test func `does not report a missing file as deleted because of other files`() async throws {
      try FileManager.default.removeItem(at: file)
      let (_, kinds, subscription) = try await observe()
      for round in 0..<50 { try Data().write(to: folder.file("inner/other\(round)")) }
      try await expect(.created, in: kinds) { try store("new", file) }
      #expect(kinds.all.first == .created)
      subscription.cancel()
    }

    @Test func `reports a truncation as a modification`() async throws {
      let (_, kinds, subscription) = try await observe()
      try await expect(.modified, in: kinds) { try shell(": > value", in: folder.file("inner")) }
      subscription.cancel()
    }

    @Test func `reports the removal of another name as a change of attributes`() async throws {
      try shell("ln value other", in: folder.file("inner"))
      let (_, kinds, subscription) = try await observe()
      try await expect(.attributes, in: kinds) { try shell("rm other", in: folder.file("inner")) }
      try await expect(.modified, in: kinds) { try Data("new".utf8).write(to: file) }
      #expect(!kinds.all.contains(.deleted))
      subscription.cancel()
    }

    @Test func `reports a file that was away for a moment`() async throws {
      let (_, kinds, subscription) = try await observe()
      try source.backend().stall { try shell("mv value away && mv away value", in: folder.file("inner")) }
      await kinds.wait { !$0.isEmpty }
      try await expect(.modified, in: kinds) { try Data("new".utf8).write(to: file) }
      subscription.cancel()
    }

    @Test func `calls no observer of a file for changes of other files`() async throws {
      let changes = try await source.use { try PathChanges(file: file, polling: .never) }
      let seen = Recorder<[String?]>()
      let subscription = changes.sink { change in seen.record(change.events.map(\.name)) }
      for round in 0..<50 { try Data().write(to: folder.file("inner/other\(round)")) }
      try store("new", file)
      try await seen.first("the file's own change") { $0.contains("value") }
      #expect(seen.elements.allSatisfy { $0.contains("value") }, "\(seen.elements)")
      subscription.cancel()
    }

    @Test func `delivers changes during a long pause of their observer`() async throws {
      let changes = try await source.use { try PathChanges(file: file, polling: .never) }
      let seen = Recorder<PathChange>()
      let subscription = changes.sink { seen.record($0) }
      changes.pause()
      try Data("new".utf8).write(to: file)
      try await seen.first("a change") { !$0.events.isEmpty }
      changes.resume()
      subscription.cancel()
    }

    @Test func `reports that no descriptor is left for the file, and watches it when one is`() async throws {
      let queue = LimitedQueue(model: try KqueueModel())
      let source = try WatchSource(queue)
      queue.isLimited.withLock { $0 = true }
      await #expect(throws: FileObserverError.descriptorLimitReached) { try await observe(source) }
      queue.isLimited.withLock { $0 = false }
      let (observer, kinds, subscription) = try await observe(source)
      let (polled, polledKinds, polling) = try await observe(source, polling: .automatic(every: .milliseconds(20)))
      queue.isLimited.withLock { $0 = true }
      try store("replaced", file)
      try await observer.health.firstValue { $0 == .impaired(.descriptorLimitReached) }
      try await polled.health.firstValue { if case .polling = $0 { true } else { false } }
      try await expect(.modified, in: polledKinds) { try Data("in place".utf8).write(to: file) }
      queue.isLimited.withLock { $0 = false }
      for health in [observer.health, polled.health] { try await health.firstValue { $0 == .active } }
      try await expect(.modified, in: kinds) { try Data("again".utf8).write(to: file) }
      for subscription in [subscription, polling] { subscription.cancel() }
    }

    @Test func `closes every descriptor with the last observer`() async throws {
      var subscriptions: [SignalSubscription] = []
      for _ in 0..<20 { subscriptions.append(try await observe().subscription) }
      #expect(model.watchCount > 20)
      subscriptions = []
      try await eventually { model.watchCount == 0 }
    }
  }

  /// A queue that can open no more files, but directories.
  private final class LimitedQueue: VnodeQueue {
    let model: KqueueModel
    let isLimited = Guarded(false)

    init(model: KqueueModel) {
      self.model = model
    }

    var descriptor: CInt { model.descriptor }

    func open(_ path: String, isDirectory: Bool) -> CInt {
      guard isDirectory || !isLimited.withLock({ $0 }) else {
        errno = EMFILE
        return -1
      }
      return model.open(path, isDirectory: isDirectory)
    }

    func duplicate(_ descriptor: CInt) -> CInt { model.duplicate(descriptor) }
    func close(_ descriptor: CInt) { model.close(descriptor) }
    func status(of descriptor: CInt) -> FileStatus? { model.status(of: descriptor) }
    func watch(_ descriptor: CInt, for notes: VnodeNotes, as number: Int) -> Bool {
      model.watch(descriptor, for: notes, as: number)
    }
    func takeEvents() -> [VnodeEvent]? { model.takeEvents() }
  }
#endif
