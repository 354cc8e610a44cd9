import Signals
import SignalsTesting
import Testing

@Suite("A timer")
struct TimerTests {
  private let clock = TestClock()

  @Test func `it does not drift, whatever the steps of time`() {
    let ticks = TimerSignal(every: .milliseconds(300), clock: clock).recorded()
    for step in [100, 450, 20, 1, 999, 30] { clock.advance(by: .milliseconds(step)) }
    #expect(ticks.elements.map(\.offset) == (1...5).map { .milliseconds(300 * $0) })
  }

  @Test func `missed ticks are skipped, and the next is on time`() {
    let log = Log<Int64>()
    let token = TimerSignal(every: .seconds(2), clock: clock).sink { [clock] tick in
      log.add(tick.offset.components.seconds)
      // The subscriber takes five seconds.
      if log.entries.count == 2 { clock.advance(by: .seconds(5)) }
    }
    clock.advance(to: .init(offset: .seconds(4)))
    #expect(clock.now.offset == .seconds(9))
    clock.advance(to: .init(offset: .seconds(12)))
    #expect(log.entries == [2, 4, 10, 12])
    withExtendedLifetime(token) {}
  }

  @Test func `a subscriber may cancel it`() {
    let token = Box<SignalSubscription>()
    let log = Log<Int64>()
    token.value = TimerSignal(every: .seconds(1), clock: clock).sink { tick in
      log.add(tick.offset.components.seconds)
      if tick.offset >= .seconds(3) { token.value?.cancel() }
    }
    clock.advance(by: .seconds(10))
    #expect(log.entries == [1, 2, 3])
    #expect(clock.scheduledCount == 0)
  }

  @Test func `it can be created with a leading dot`() {
    func accept(_ signal: some Signal) -> String { "\(type(of: signal))" }
    #expect(accept(.timer(every: .seconds(1))) == "TimerSignal<ContinuousClock>")
    #expect(accept(.timer(every: .seconds(1), clock: clock)) == "TimerSignal<TestClock>")
    let merged = merge(.timer(every: .seconds(1), clock: clock), .timer(every: .seconds(2), clock: clock))
    #expect(clock.scheduledCount == 0)
    let token = merged.sink { _ in }
    #expect(clock.scheduledCount == 2)
    token.cancel()
  }

  @Test(arguments: [1, 3, 1000]) func `a grid's moments lie at whole multiples`(interval: Int) {
    let ticks = TimerSignal(every: .nanoseconds(interval), clock: clock).recorded()
    let day = TestClock.Instant(offset: .seconds(86_400))
    // Far in the future, where fractions of a second would be rounded.
    clock.advance(by: .zero)
    #expect(ticks.elements.isEmpty)
    let late = TestClock(now: day)
    let lateTicks = TimerSignal(every: .nanoseconds(interval), clock: late).recorded()
    late.advance(by: .nanoseconds(interval * 3))
    #expect(lateTicks.elements.map { day.duration(to: $0) } == (1...3).map { .nanoseconds(interval * $0) })
  }
}
