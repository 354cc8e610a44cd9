import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("retry with a backoff", .patient)
struct RetryTests {
  private let marbles = Marbles()

  @Test func `equal pauses follow each failure, and the last failure passes`() {
    let retried = marbles.cold("a#").retry(.constant(.seconds(2), limit: 2), clock: marbles.clock)
    #expect(marbles.diagram(of: retried) == "a--a--a#")
  }

  @Test func `growing pauses have a maximum`() {
    let backoff = Backoff.exponential(from: .seconds(1), upTo: .seconds(3), limit: 4)
    #expect(marbles.diagram(of: marbles.cold("#").retry(backoff, clock: marbles.clock)) == "---------#")
    let marbles = Marbles()
    let retried = marbles.cold("a#").retry(backoff, clock: marbles.clock)
    #expect(marbles.diagram(of: retried) == "a-a--a---a---a#")
  }

  @Test func `jitter keeps each pause within its bounds`() {
    let clock = TestClock()
    let times = Log<Duration>()
    let failing = DeferredSignal { () -> AnySignal<Int, Mishap> in
      times.add(clock.now.offset)
      return .fail(.fire)
    }
    let watch = Watch(failing.retry(.constant(.seconds(10), jitter: 0.5, limit: 50), clock: clock))
    clock.run()
    #expect(watch.entries == ["#fire"])
    let pauses = zip(times.entries, times.entries.dropFirst()).map { $1 - $0 }
    #expect(pauses.count == 50)
    #expect(pauses.allSatisfy { (.seconds(5)...(.seconds(15))).contains($0) })
    #expect(Set(pauses).count > 1)
  }

  @Test func `a failure that the condition rejects passes at once`() {
    let failures = Log<Mishap>()
    let attempts = Counter()
    let failing = DeferredSignal { AnySignal<Int, Mishap>.fail(attempts.add() < 3 ? .fire : .flood) }
    let clock = TestClock()
    let watch = Watch(
      failing.retry(.constant(.seconds(1)), clock: clock) {
        failures.add($0)
        return $0 == .fire
      }
    )
    clock.run()
    #expect(watch.entries == ["#flood"])
    #expect(failures.entries == [.fire, .fire, .flood])
  }

  @Test func `the condition is not asked after the last attempt`() {
    let asked = Counter()
    let clock = TestClock()
    let watch = Watch(
      AnySignal<Int, Mishap>.fail(.fire).retry(.constant(.seconds(1), limit: 2), clock: clock) { _ in
        asked.add()
        return true
      }
    )
    clock.run()
    #expect(watch.entries == ["#fire"])
    #expect(asked.value == 2)
  }

  @Test func `a value starts the pauses over, if asked`() {
    let backoff = Backoff.exponential(from: .seconds(1), upTo: .seconds(4), limit: 2)
    let attempts = Counter()
    let failing = DeferredSignal { [marbles] in marbles.cold(attempts.add() == 2 ? "a#" : "#") }
    let retried = failing.retry(backoff, clock: marbles.clock, resetsOnValue: true)
    #expect(marbles.diagram(of: retried) == "-a---#")
  }

  @Test func `pauses of zero follow at once, without deepening the stack`() {
    let attempts = Counter()
    let clock = TestClock()
    let failing = DeferredSignal { () -> AnySignal<Int, Mishap> in attempts.add() <= 100_000 ? .fail(.fire) : .just(7) }
    #expect(Watch(failing.retry(.constant(.zero), clock: clock)).entries == ["7", "|"])
    #expect(clock.scheduledCount == 0)
  }

  @Test func `cancelling during a pause leaves nothing on the clock and releases the chain`() {
    let clock = TestClock()
    let released = Counter()
    let attempts = Counter()
    let watch: Watch
    do {
      let probe = Probe { released.add() }
      let failing = DeferredSignal { () -> AnySignal<Int, Mishap> in
        probe.touch()
        attempts.add()
        return .fail(.fire)
      }
      watch = Watch(failing.retry(.constant(.seconds(1)), clock: clock))
    }
    clock.advance(by: .seconds(2))
    #expect(attempts.value == 3)
    watch.cancel()
    #expect(released.value == 1)
    #expect(clock.scheduledCount == 0)
    clock.advance(by: .seconds(5))
    #expect(attempts.value == 3)
    #expect(watch.entries == [])
  }

  @Test func `the end releases the chain while the token is kept`() {
    let clock = TestClock()
    let released = Counter()
    let watch: Watch
    do {
      let probe = Probe { released.add() }
      let failing = AnySignal<Int, Mishap>.fail(.fire).handleEvents(receiveCompletion: { _ in probe.touch() })
      watch = Watch(failing.retry(.constant(.seconds(1), limit: 1), clock: clock))
    }
    clock.run()
    #expect(watch.entries == ["#fire"])
    #expect(released.value == 1)
  }

  @Test func `each subscription has its own series`() {
    let retried = AnySignal<Int, Mishap>.fail(.fire).retry(.constant(.seconds(1), limit: 1), clock: marbles.clock)
    #expect(marbles.diagram(of: retried) == "-#")
    #expect(marbles.diagram(of: retried) == "-#")
  }

  @Test func `an attempt on a clock that sleeps does not run in a cancelled task`() async throws {
    let attempts = Recorder<Bool>()
    let failing = DeferredSignal { () -> AnySignal<Int, Mishap> in
      attempts.record(Task.isCancelled)
      return attempts.elements.count < 4 ? .fail(.fire) : .just(1)
    }
    let token = failing.retry(.constant(.milliseconds(1))).replaceError(with: 0).sink { _ in }
    try await attempts.wait(for: "four attempts") { $0.count == 4 }
    #expect(attempts.elements == [false, false, false, false])
    withExtendedLifetime(token) {}
  }

  @Test func `cancelling on any thread ends the attempts and releases everything`() async throws {
    let released = Recorder<Int>()
    for round in 0..<200 {
      let probe = Probe { released.record(round) }
      let failing = DeferredSignal { () -> AnySignal<Int, Mishap> in
        probe.touch()
        return JustSignal(1).append(FailSignal(Mishap.fire)).eraseToAnySignal()
      }
      let token = failing.retry(.constant(.microseconds(1 + round % 5 * 20))).replaceError(with: 0)
        .receive(on: MainActor.shared).sink { _ in probe.touch() }
      Task.detached { token.cancel() }
    }
    try await released.wait(for: "the release of all") { $0.count == 200 }
  }
}
