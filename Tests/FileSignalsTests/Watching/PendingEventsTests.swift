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
    #expect(!pending.isIdle)
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
    #expect(!pending.isIdle)
    check(pending.endUnlessMore())
    check(pending.take().count == 1)
    check(!pending.endUnlessMore())
    #expect(pending.isIdle)
  }

  @Test func `are postponed by a pause, and processed at its end or when it lasts`() throws {
    var pending = PendingEvents()
    _ = pending.start()
    pending.pause()
    guard case .postponed(let pause) = pending.add([try event]) else { return _ = Issue.record("processing is paused") }
    check(pending.review(pause) == (true, nil))
    check(pending.take(where: { _ in true }).isEmpty)
    check(pending.take().count == 1)
    check(!pending.endUnlessMore())
    guard case .postponed(let second) = pending.add([try event]) else {
      return _ = Issue.record("processing is paused")
    }
    let expected = pending.take { _ in true }
    pending.putBack(expected)
    check(pending.endPause())
    check(pending.review(second) == (false, nil))
    check(pending.take().count == 1)
  }

  @Test func `collapse into one overflow when there are too many`() throws {
    var pending = PendingEvents()
    let burst = [WatchEvent](repeating: try event, count: 16_384)
    _ = pending.add(burst)
    _ = pending.add(burst)
    check(pending.take().map(\.kinds) == [.overflow])
  }

  @Test func `that arrive during a call of the observer are processed on the same thread`() async throws {
    let count = Counter()
    let watch = try Self.watch(folder)
    let subscription = watch.sink { [unowned watch] _ in
      guard count.next() < 3, let event = try? Self.event(watch) else { return }
      guard case .scheduled = watch.take([event]) else { return _ = Issue.record("another thread is processing") }
    }
    guard case .due = watch.take([try Self.event(watch)]) else { return _ = Issue.record("no thread is processing") }
    watch.process()
    #expect(count.value >= 3)
    // Events around the folder may be processed at this moment, too.
    try await eventually { watch.isIdle }
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
