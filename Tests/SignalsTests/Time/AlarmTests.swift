import Dispatch
import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

@testable import Signals

/// The clock under test supports only sleeping, unless a test says otherwise.
@Suite("An alarm", .patient)
struct AlarmTests {
  private let clock = PlainClock()
  private let rings = Recorder<Int64>()

  private func makeAlarm() -> Alarm<PlainClock> {
    let alarm = Alarm(clock: clock)
    alarm.start { [rings] in rings.record($0.offset.components.seconds) }
    return alarm
  }

  private func at(_ seconds: Int) -> TestClock.Instant {
    TestClock.Instant(offset: .seconds(seconds))
  }

  @Test func `it fires at each deadline`() async throws {
    let alarm = makeAlarm()
    for second in [2, 3, 7] {
      alarm.set(at(second))
      await clock.base.waitUntilScheduled()
      await clock.base.advance(to: at(second))
      try await rings.wait(for: Int64(second))
    }
    #expect(rings.elements == [2, 3, 7])
    alarm.stop()
  }

  @Test func `a clock that throws without being cancelled stops the program with an explanation`() async {
    await #expect(processExitsWith: .failure) {
      let alarm = Alarm(clock: BrokenClock())
      alarm.start { _ in }
      alarm.set(BrokenClock().now.advanced(by: .seconds(60)))
      try await Task.sleep(for: .seconds(60))
    }
  }

  @Test func `a deadline that is far away is reached in several sleeps, none of which is long`() async throws {
    let clock = LoggingClock()
    let alarm = Alarm(clock: clock)
    alarm.start { [rings] in rings.record($0.offset.components.seconds) }
    alarm.set(at(5_000_000_000))
    for second in [2_000_000_000, 4_000_000_000, 5_000_000_000] {
      await clock.base.waitUntilScheduled()
      #expect(rings.elements == [])
      await clock.base.advance(to: at(second))
    }
    try await rings.wait(for: 5_000_000_000)
    #expect(clock.sleeps.entries == [2_000_000_000, 4_000_000_000, 5_000_000_000])
    alarm.stop()
  }

  @Test func `a past deadline fires at once`() async throws {
    let alarm = makeAlarm()
    await clock.base.advance(to: at(5))
    alarm.set(at(3))
    try await rings.wait(for: 3)
    alarm.stop()
  }

  @Test func `a postponed deadline starts no second sleep until the first is over`() async throws {
    let alarm = makeAlarm()
    alarm.set(at(2))
    await clock.base.waitUntilScheduled()
    for second in 3...9 { alarm.set(at(second)) }
    #expect(clock.base.scheduledCount == 1)
    await clock.base.advance(to: at(2))
    await clock.base.waitUntilScheduled()
    #expect(rings.elements == [])
    await clock.base.advance(to: at(9))
    try await rings.wait(for: 9)
    #expect(rings.elements == [9])
    alarm.stop()
  }

  @Test func `an earlier deadline fires sooner`() async throws {
    let alarm = makeAlarm()
    alarm.set(at(9))
    await clock.base.waitUntilScheduled()
    alarm.set(at(1))
    // The new task may begin to sleep before the old one has left.
    while rings.elements.isEmpty { await clock.base.advance(to: at(1)) }
    #expect(rings.elements == [1])
    await clock.base.advance(to: at(10))
    #expect(rings.elements == [1])
    alarm.stop()
  }

  @Test func `an unset alarm does not fire until it is set again`() async throws {
    let alarm = makeAlarm()
    alarm.set(at(2))
    await clock.base.waitUntilScheduled()
    alarm.unset()
    await clock.base.advance(to: at(3))
    alarm.set(at(4))
    await clock.base.waitUntilScheduled()
    await clock.base.advance(to: at(4))
    try await rings.wait(for: 4)
    #expect(rings.elements == [4])
    alarm.stop()
  }

  @Test func `stopping it wakes its task and releases its handler`() async throws {
    let released = Recorder<Bool>()
    let alarm = Alarm(clock: clock)
    do {
      let probe = Probe { released.record(true) }
      alarm.start { _ in probe.touch() }
    }
    alarm.set(at(5))
    await clock.base.waitUntilScheduled()
    alarm.stop()
    #expect(released.elements == [true])
    while clock.base.scheduledCount > 0 { await Task.yield() }
    alarm.set(at(6))
    await clock.base.advance(to: at(9))
    #expect(clock.base.scheduledCount == 0)
  }

  @Test func `it fires even if the clock calls back on another thread before scheduling returns`() {
    let alarm = Alarm(clock: HastyClock())
    alarm.start { [rings] in rings.record($0.offset.components.seconds) }
    for second in 1...3 { alarm.set(at(second)) }
    #expect(rings.elements == [1, 2, 3])
    alarm.stop()
  }

  @Test func `a clock with callbacks needs no task`() {
    let clock = clock.base
    let alarm = Alarm(clock: clock)
    alarm.start { [rings] in rings.record($0.offset.components.seconds) }
    alarm.set(at(3))
    alarm.set(at(2))
    #expect(clock.scheduledCount == 1)
    clock.advance(to: at(3))
    #expect(rings.elements == [2])
    alarm.set(at(5))
    alarm.unset()
    #expect(clock.scheduledCount == 0)
    alarm.set(at(6))
    alarm.stop()
    #expect(clock.scheduledCount == 0)
    alarm.set(at(7))
    #expect(clock.scheduledCount == 0)
    clock.advance(to: at(9))
    #expect(rings.elements == [2])
  }
}

/// A clock that another thread advances while a callback is being scheduled.
private struct HastyClock: SchedulingClock {
  let base = TestClock()

  var now: TestClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
    try await base.sleep(until: deadline, tolerance: tolerance)
  }

  func schedule(at deadline: TestClock.Instant, _ action: @escaping @Sendable () -> Void) -> SignalSubscription {
    let token = base.schedule(at: deadline, action)
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      base.advance(to: deadline)
      end.signal()
    }
    end.wait()
    return token
  }
}

/// A clock that records until when a task sleeps, in seconds.
private struct LoggingClock: Clock {
  let base = TestClock()
  let sleeps = Log<Int64>()

  var now: TestClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
    sleeps.add(deadline.offset.components.seconds)
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}

/// A clock on which no task can sleep.
private struct BrokenClock: Clock {
  private struct Broken: Error {}

  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { throw Broken() }
}
