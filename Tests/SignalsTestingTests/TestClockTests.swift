import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("A test clock", .patient)
struct TestClockTests {
  private let clock = TestClock()
  private let log = Recorder<String>()

  private func at(_ seconds: Int) -> TestClock.Instant {
    TestClock.Instant(offset: .seconds(seconds))
  }

  private func note(_ text: String, at seconds: Int) -> SignalSubscription {
    clock.schedule(at: at(seconds)) { [clock, log] in log.record("\(text) \(clock.now.offset.components.seconds)") }
  }

  @Test func `advancing runs exactly the due actions, in the order of time and then of scheduling`() {
    let tokens = [note("c", at: 3), note("a", at: 1), note("d", at: 3), note("b", at: 2), note("e", at: 4)]
    clock.advance(to: at(3))
    #expect(log.elements == ["a 1", "b 2", "c 3", "d 3"])
    #expect(clock.now == at(3))
    #expect(clock.scheduledCount == 1)
    withExtendedLifetime(tokens) {}
  }

  @Test func `random agendas run in the order of a stable sort`() {
    var chance = Chance(seed: 1)
    let seconds = (0..<300).map { _ in chance.number(below: 20) }
    let tokens = seconds.enumerated().map { note("\($0.offset) at", at: $0.element) }
    clock.run()
    let expected = seconds.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
    #expect(log.elements == expected.map { "\($0.offset) at \($0.element)" })
    withExtendedLifetime(tokens) {}
  }

  @Test func `an action scheduled by another one runs in the same call if it is due`() {
    let later = Recorder<SignalSubscription>()
    let token = clock.schedule(at: at(1)) { [self] in
      later.record(note("same", at: 1))
      later.record(note("next", at: 2))
      later.record(note("beyond", at: 5))
    }
    clock.advance(by: .seconds(3))
    #expect(log.elements == ["same 1", "next 2"])
    clock.advance(by: .seconds(2))
    #expect(log.elements.last == "beyond 5")
    withExtendedLifetime(token) {}
  }

  @Test func `a cancelled or released action does not run, even if an action at the same moment cancels it`() {
    let second = Recorder<SignalSubscription>()
    let first = clock.schedule(at: at(1)) { second.elements.first?.cancel() }
    second.record(note("cancelled", at: 1))
    _ = note("released", at: 1)
    clock.advance(by: .seconds(2))
    #expect(log.elements == [])
    #expect(clock.scheduledCount == 0)
    withExtendedLifetime(first) {}
  }

  @Test func `an action for a past moment waits for the next advance`() {
    clock.advance(by: .seconds(5))
    let token = note("late", at: 1)
    #expect(log.elements == [])
    clock.advance(by: .zero)
    #expect(log.elements == ["late 5"])
    withExtendedLifetime(token) {}
  }

  @Test func `time never goes backwards`() {
    clock.advance(to: at(5))
    clock.advance(to: at(3))
    clock.advance(by: .seconds(-1))
    #expect(clock.now == at(5))
  }

  @Test func `an action may advance the clock itself`() {
    let tokens = [
      clock.schedule(at: at(1)) { [clock] in clock.advance(by: .seconds(5)) },
      note("a", at: 2), note("b", at: 8),
    ]
    clock.advance(to: at(3))
    #expect(log.elements == ["a 2"])
    #expect(clock.now == at(6))
    withExtendedLifetime(tokens) {}
  }

  @Test func `running stops when no action is left, or at the limit`() {
    let tokens = (1...3).map { note("tick", at: $0) }
    #expect(!clock.run(limit: 2))
    #expect(log.elements == ["tick 1", "tick 2"])
    #expect(clock.run())
    #expect(clock.now == at(3))
    withExtendedLifetime(tokens) {}
  }

  // MARK: Tasks

  @Test func `a sleeping task wakes at its deadline`() async throws {
    let task = Task { [self] in
      try await clock.sleep(for: .seconds(2))
      log.record("woken \(clock.now.offset.components.seconds)")
    }
    await clock.waitUntilScheduled()
    await clock.advance(by: .seconds(1))
    #expect(log.elements == [])
    await clock.advance(by: .seconds(1))
    try await task.value
    #expect(log.elements == ["woken 2"])
  }

  @Test func `a sleep until a past moment returns at once`() async throws {
    await clock.advance(by: .seconds(1))
    try await clock.sleep(until: at(1))
    try await clock.sleep(for: .zero)
    #expect(clock.now == at(1))
  }

  @Test func `cancelling a task ends its sleep`() async {
    let sleeper = Task { [clock] in try await clock.sleep(for: .seconds(1)) }
    await clock.waitUntilScheduled()
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.scheduledCount == 0)
  }

  @Test func `a cancelled task does not sleep`() async {
    let isCancelled = Recorder<Void>()
    let sleeper = Task { [clock] in
      _ = try? await isCancelled.wait { !$0.isEmpty }
      try await clock.sleep(for: .seconds(1))
    }
    sleeper.cancel()
    isCancelled.record(())
    await #expect(throws: CancellationError.self) { try await sleeper.value }
  }

  @Test func `cancelling from another thread never loses a sleeper`() async {
    for _ in 0..<500 {
      let sleeper = Task.detached { [clock] in try await clock.sleep(for: .seconds(1)) }
      Task.detached { sleeper.cancel() }
      await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
    #expect(clock.scheduledCount == 0)
  }

  @Test func `a task that sleeps repeatedly keeps up with one advance`() async throws {
    let task = Task { [self] in
      for _ in 1...5 {
        try await clock.sleep(for: .seconds(1))
        log.record("\(clock.now.offset.components.seconds)")
      }
    }
    await clock.waitUntilScheduled()
    while log.elements.count < 5 { await clock.advance(by: .seconds(1)) }
    try await task.value
    #expect(log.elements.count == 5)
  }

  @Test func `cancelling a task ends its wait for a schedule that never comes`() async {
    for _ in 0..<500 {
      let waiter = Task.detached { [clock] in await clock.waitUntilScheduled() }
      Task.detached { waiter.cancel() }
      await waiter.value
    }
    let token = note("a", at: 1)
    await clock.waitUntilScheduled()
    #expect(clock.scheduledCount == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `a cancelled task does not wait for a schedule that never comes`() async {
    let isCancelled = Recorder<Void>()
    let waiter = Task { [clock] in
      _ = try? await isCancelled.wait { !$0.isEmpty }
      await clock.waitUntilScheduled()
    }
    waiter.cancel()
    isCancelled.record(())
    await waiter.value
  }
}
