@testable import AppGroups
import Dispatch
import Foundation
import Signals
import TestSupport
import Testing

@Suite("Log: the moments of a switch", .patient)
struct LogSwitchTests {
  private let directory: TemporaryDirectory
  private let scope: Scope
  private let log: AppGroupsLog<String>
  private let events: LogEvents<String>
  private let loop = LogLoop()

  private var feed: LogFeed { events.feed }

  init() throws {
    directory = try TemporaryDirectory()
    scope = Scope(root: directory.url)
    log = try AppGroupsLog(name: "log", scope: scope)
    events = try log.events(for: "widget")
  }

  /// Switches the log with the one that was put away before, or with none.
  private func switchContents() throws {
    let (logs, away) = (directory.url.appending(path: "Logs"), directory.url.appending(path: "away"))
    let middle = directory.url.appending(path: "middle")
    try scope.switchContents {
      try FileManager.default.moveItem(at: logs, to: middle)
      if FileManager.default.fileExists(atPath: away.path) { try FileManager.default.moveItem(at: away, to: logs) }
      try FileManager.default.moveItem(at: middle, to: away)
    }
  }

  /// Does what a loop does when it asks for the next event.
  @discardableResult
  private func next() -> DecodedEntry? {
    let (supply, handled, hasRoom) = loop.take()
    feed.didHandle(handled, loop, hasRoom: hasRoom)
    if case .entry(let entry) = supply { return entry }
    return nil
  }

  /// Waits for the next event of the loop.
  private func nextText() async throws -> String? {
    await loop.wait(isolation: nil)
    return next()?.entry(of: String.self).event
  }

  /// A member that calls closures during a switch.
  private final class Probe: ScopeMember {
    let switchStage: ScopeStage
    let whenPrepared: @Sendable () -> Void
    let whenPublished: @Sendable () -> Void

    init(
      _ stage: ScopeStage, whenPrepared: @escaping @Sendable () -> Void = {},
      whenPublished: @escaping @Sendable () -> Void = {}
    ) {
      (switchStage, self.whenPrepared, self.whenPublished) = (stage, whenPrepared, whenPublished)
    }

    func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
      whenPrepared()
      return PreparedSwitch { [whenPublished] _ in whenPublished() }
    }
  }

  @Test func `an event that a loop skips when others show the new contents is delivered again`() async throws {
    try log.append("first")
    try log.append("second")
    feed.enter(loop)
    #expect(try await nextText() == "first")
    let copy = self
    let probe = Probe(.contents, whenPublished: { copy.next() })
    let enrolment = scope.enrol(probe)
    try switchContents()
    feed.queue.sync {}
    enrolment.cancel()
    try switchContents()
    #expect(try await nextText() == "first")
    #expect(try await nextText() == "second")
    feed.leave(loop)
  }

  @Test func `an event that a loop skips after the switch is delivered again`() async throws {
    try log.append("first")
    try log.append("second")
    feed.enter(loop)
    #expect(try await nextText() == "first")
    // The feed cannot begin again before the loop asks.
    let (isBlocked, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    feed.queue.async {
      isBlocked.signal()
      gate.wait()
    }
    try await onThread { isBlocked.wait() }
    try switchContents()
    next()
    gate.signal()
    try switchContents()
    #expect(try await nextText() == "first")
    feed.leave(loop)
  }

  @Test func `no event of the new contents is delivered before all members show them`() async throws {
    feed.enter(loop)
    try switchContents()
    try log.append("work")
    #expect(try await nextText() == "work")
    try switchContents()
    let copy = self
    let early = Recorder<String>()
    let probe = Probe(
      .logs,
      whenPublished: {
        copy.feed.queue.sync {}
        if let entry = copy.next() { early.record(entry.entry(of: String.self).event) }
      })
    let enrolment = scope.enrol(probe)
    try switchContents()
    #expect(early.elements == [])
    #expect(try await nextText() == "work")
    enrolment.cancel()
    feed.leave(loop)
  }

  @Test(arguments: [false, true])
  func `a loop that begins during a switch waits until all members show the new contents`(isLate: Bool) async throws {
    try switchContents()
    try log.append("work")
    try switchContents()
    let received = Recorder<String>()
    let events = Guarded<LogEvents<String>?>(nil)
    let begin: @Sendable () -> Void = { [loop] in
      guard let feed = events.withLock({ $0 })?.feed else { return }
      feed.enter(loop)
      feed.queue.sync {}
      if case .entry(let entry) = loop.take().supply { received.record(entry.entry(of: String.self).event) }
    }
    // The place of the log is prepared before the probe, and its consumer after it.
    let probe = Probe(
      .logs, whenPrepared: { if !isLate { begin() } }, whenPublished: { if isLate { begin() } })
    let enrolment = scope.enrol(probe)
    let late = try log.events(for: "late")
    events.withLock { $0 = late }
    try switchContents()
    #expect(received.elements == [])
    await loop.wait(isolation: nil)
    if case .entry(let entry) = loop.take().supply { received.record(entry.entry(of: String.self).event) }
    #expect(received.elements == ["work"])
    enrolment.cancel()
    late.feed.leave(loop)
  }

  @Test func `an append during a switch ends only after the switch is counted`() async throws {
    let counts = Recorder<Int>()
    let isAppended = DispatchSemaphore(value: 0)
    let copy = self
    // Published after the log, and before the switch is counted.
    let probe = Probe(
      .logs,
      whenPublished: {
        Thread.detachNewThread {
          do { try copy.log.append("new") } catch { Issue.record(error) }
          counts.record(copy.scope.switchCount.value)
          isAppended.signal()
        }
        #expect(isAppended.wait(timeout: .now() + .milliseconds(100)) == .timedOut)
      })
    let enrolment = scope.enrol(probe)
    try switchContents()
    enrolment.cancel()
    try await counts.wait(for: "the append") { $0 == [1] }
    #expect(try log.entries().map { try $0.get().event } == ["new"])
  }

  @Test func `the new log is kept for a consumer of the process that has not begun to read it`() async throws {
    feed.enter(loop)
    // The feed can begin neither in the old contents nor in the new ones.
    let gate = DispatchSemaphore(value: 0)
    let second = try log.events(for: "slow")
    second.feed.queue.async { gate.wait() }
    let slow = second.recorded()
    try switchContents()
    try log.append("new")
    #expect(try await nextText() == "new")
    next()
    try await events.saveProgress()
    feed.producer.seal()
    try await onThread { [log] in try log.trim() }
    gate.signal()
    try await slow.wait(for: "the event") { $0.map(\.event) == ["new"] }
    feed.leave(loop)
  }

  @Test func `a number that was read before a switch gives the producer no other identity`() {
    var writing = LogProducer.Writing(LogClock(), switchCount: 0)
    writing.checkIdentity(at: 1)
    let producer = writing.identity
    writing.checkIdentity(at: 0)
    let late = writing.identity
    #expect(late == producer)
  }

  @Test func `a log that was away and back belongs to the contents that the scope counts`() async throws {
    try log.append("first")
    let (old, producer) = (try log.entries().map { try $0.get() }, log.producer)
    #expect(old.map(\.switchCount) == [0])
    // Two switches by another process, which this one follows as one.
    scope.followSwitch()
    try log.append("second")
    #expect(log.producer != producer)
    #expect(try log.entries().map { try $0.get().switchCount } == [1, 1])
    feed.enter(loop)
    #expect(try await nextText() == "first")
    #expect(try await nextText() == "second")
    feed.leave(loop)
  }
}
