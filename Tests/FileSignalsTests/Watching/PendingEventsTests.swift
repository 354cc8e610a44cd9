import Foundation
@testable import FileSignals
import Signals
import TestSupport
import Testing

@Suite struct `Pending events` {
  private let folder: TemporaryDirectory
  private let watch: PathChanges

  init() throws {
    folder = try TemporaryDirectory()
    watch = try Self.watch(folder)
  }

  private static func watch(_ folder: TemporaryDirectory) throws -> PathChanges {
    try PathChanges(path: folder.url.path, target: .directory, polling: .never, queue: nil)
  }

  private static func event(_ watch: PathChanges) throws -> WatchEvent {
    let place = try #require(watch.plan.places.last)
    return WatchEvent(kinds: .written, name: "file", point: WatchPoint(place, watch: watch))
  }

  private var event: WatchEvent {
    get throws { try Self.event(watch) }
  }

  /// Evaluates a mutating expression, which `#expect` cannot.
  private func check(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(isTrue, sourceLocation: sourceLocation)
  }

  @Test func `are collected until the owner is set up`() throws {
    var pending = PendingEvents()
    guard case .scheduled = pending.add([try event]) else { return _ = Issue.record("no owner is set up") }
    let isDue = pending.start()
    #expect(isDue)
    check(pending.take().count == 1)
  }

  @Test func `are left to the processing thread, which checks again before it leaves`() throws {
    var pending = PendingEvents()
    check(!pending.start())
    guard case .due = pending.add([try event]) else { return _ = Issue.record("no other thread will process it") }
    check(pending.take().count == 1)
    guard case .scheduled = pending.add([try event]) else { return _ = Issue.record("another thread is processing") }
    check(pending.endCall() == .call)
    check(pending.take().count == 1)
    check(pending.endCall() == .nothing)
  }

  @Test func `that come faster than calls let the observer rest before each call, until a rest brings nothing`() throws
  {
    var pending = PendingEvents()
    _ = pending.start()
    for _ in 1...2 {
      guard case .due = pending.add([try event]) else { return _ = Issue.record("the first change is not at once") }
      _ = pending.take()
      _ = pending.add([try event])
      check(pending.endCall() == .call)
      _ = pending.take()
      _ = pending.add([try event])
      check(pending.endCall() == .rest)
      guard case .storm = pending.add([try event]) else { return _ = Issue.record("it rests") }
      check(pending.endRest() == .call)
      check(pending.take().count == 2)
      // Nothing has come during the call, but may come soon.
      check(pending.endCall() == .rest)
      _ = pending.add([try event])
      check(pending.endRest() == .call)
      check(pending.take().count == 1)
      check(pending.endCall() == .rest)
      check(pending.endRest() == .nothing)
    }
  }

  @Test func `after two calls in a row with more events begin to count anew when a call brings none`() throws {
    var pending = PendingEvents()
    _ = pending.start()
    for _ in 1...3 {
      guard case .due = pending.add([try event]) else { return _ = Issue.record("it is not at once") }
      _ = pending.take()
      _ = pending.add([try event])
      check(pending.endCall() == .call)
      _ = pending.take()
      check(pending.endCall() == .nothing)
    }
  }

  @Test func `gather during a pause, and are processed at its end or when it lasts`() throws {
    var pending = PendingEvents()
    _ = pending.start()
    pending.pause()
    guard case .paused(isFirst: true) = pending.add([try event]) else { return _ = Issue.record("it is paused") }
    guard case .paused(isFirst: false) = pending.add([try event]) else { return _ = Issue.record("it is paused") }
    check(pending.review())
    check(pending.take(where: { _ in true }).isEmpty)
    check(pending.take().count == 2)
    check(pending.endCall() == .nothing)
    guard case .paused(isFirst: true) = pending.add([try event]) else { return _ = Issue.record("it is paused") }
    let expected = pending.take { _ in true }
    pending.putBack(expected)
    let end = pending.endPause()
    check(end.isDue && end.endsRest)
    check(!pending.review())
    check(pending.take().count == 1)
    check(pending.endCall() == .nothing)
    pending.pause()
    // Nothing has gathered, for which a thread could rest.
    let emptyEnd = pending.endPause()
    check(!emptyEnd.isDue && !emptyEnd.endsRest)
  }

  @Test func `collapse into one overflow when there are too many`() throws {
    var pending = PendingEvents()
    let burst = [WatchEvent](repeating: try event, count: 16_384)
    _ = pending.add(burst)
    _ = pending.add(burst)
    check(pending.take().map(\.kinds) == [.overflow])
  }

  @Test func `that arrive during a call of the observer are processed on the same thread`() throws {
    let count = Counter()
    let watch = try Self.watch(folder)
    let subscription = watch.sink { [unowned watch] _ in
      guard count.next() < 2, let event = try? Self.event(watch) else { return }
      guard case .scheduled = watch.take([event]) else { return _ = Issue.record("another thread is processing") }
    }
    guard case .due = watch.take([try Self.event(watch)]) else { return _ = Issue.record("no thread is processing") }
    watch.process()
    #expect(count.value >= 2)
    subscription.cancel()
  }

  @Test func `that come in a storm let the thread that reads them rest, shorter if others wait`() async throws {
    let count = Counter()
    let rests = Recorder<Duration?>()
    let watch = try Self.watch(folder)
    let subscription = watch.sink { [unowned watch] _ in
      let number = count.next()
      guard number <= 3, let event = try? Self.event(watch) else { return }
      // The second call in a row with more events after it begins the storm, so the third is in it.
      if number < 3 { return _ = watch.take([event]) }
      var batches = Batches()
      batches.add(event.kinds, event.name, event.point)
      batches.handIn()
      rests.record(batches.rest { _ in false })
      rests.record(batches.rest { _ in true })
    }
    guard case .due = watch.take([try Self.event(watch)]) else { return _ = Issue.record("no thread is processing") }
    watch.process()
    try await rests.wait(for: "the storm") { $0.count == 2 }
    #expect(rests.elements == [PathChanges.rest, PathChanges.sharedRest])
    subscription.cancel()
  }

  private final class Counter: Sendable {
    private let lock = Lock()
    private nonisolated(unsafe) var count = 0  // Sound: guarded by the lock.

    var value: Int { lock.withLock { count } }

    func next() -> Int {
      lock.withLock {
        count += 1
        return count
      }
    }
  }
}
