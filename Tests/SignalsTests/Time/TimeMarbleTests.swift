import Signals
import SignalsTesting
import Testing

@Suite("Operators on time, in marbles")
struct TimeMarbleTests {
  private let marbles = Marbles()

  // MARK: Debounce

  @Test func `debounce sends the value before each silence, and a waiting one at the end`() {
    let keys = marbles.signal("ab--cd-e-f---gh|")
    let bounced = marbles.diagram(of: keys.debounce(for: .seconds(3), clock: marbles.clock))
    #expect(bounced == "------------f--[h|]")
  }

  @Test func `debounce passes a failure at once and drops the waiting value`() {
    let keys = marbles.signal("a--bc#")
    #expect(marbles.diagram(of: keys.debounce(for: .seconds(2), clock: marbles.clock)) == "--a--#")
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `debounce and delay for no time send everything at once`(interval: Duration) {
    let emitter = Emitter<Int, Mishap>()
    let bounced = Watch(emitter.debounce(for: interval, clock: marbles.clock))
    let delayed = Watch(emitter.delay(for: interval, clock: marbles.clock))
    for value in 1...2 { emitter.send(value) }
    #expect(bounced.entries == ["1", "2"])
    #expect(delayed.entries == ["1", "2"])
    emitter.fail(.fire)
    #expect(bounced.entries == ["1", "2", "#fire"])
    #expect(delayed.entries == ["1", "2", "#fire"])
    #expect(Watch(JustSignal(1).debounce(for: interval, clock: marbles.clock)).entries == ["1", "|"])
    #expect(Watch(JustSignal(1).delay(for: interval, clock: marbles.clock)).entries == ["1", "|"])
    #expect(marbles.clock.scheduledCount == 0)
  }

  // MARK: Throttle

  @Test func `throttle sends the last value of an interval even if the source falls silent`() {
    let source = marbles.signal("abc------")
    #expect(marbles.diagram(of: source.throttle(for: .seconds(4), latest: true, clock: marbles.clock)) == "a---c")
  }

  @Test func `throttle sends the final value at the end`() {
    let source = marbles.signal("ab-c|")
    #expect(marbles.diagram(of: source.throttle(for: .seconds(9), latest: true, clock: marbles.clock)) == "a---[c|]")
  }

  @Test func `throttle without latest sends the first value of each interval`() {
    let source = marbles.signal("abcdefg-h|")
    #expect(marbles.diagram(of: source.throttle(for: .seconds(3), latest: false, clock: marbles.clock)) == "a--d--g--|")
  }

  @Test func `throttle sends a value at the exact end of an interval at once, in place of the waiting one`() {
    let source = marbles.signal("abcdefghijk|")
    let throttled = source.throttle(for: .seconds(3), latest: true, clock: marbles.clock)
    #expect(marbles.diagram(of: throttled) == "a--d--g--j-[k|]")
  }

  @Test func `throttle begins an interval with a value at the exact end of the previous one`() {
    let source = marbles.signal("ab-d-e-------|")
    let throttled = source.throttle(for: .seconds(3), latest: true, clock: marbles.clock)
    #expect(marbles.diagram(of: throttled) == "a--d--e------|")
  }

  @Test func `throttle without latest sends a value at the exact end of an interval`() {
    let source = marbles.signal("abcdefghijk|")
    let throttled = source.throttle(for: .seconds(3), latest: false, clock: marbles.clock)
    #expect(marbles.diagram(of: throttled) == "a--d--g--j-|")
  }

  @Test func `throttle passes a failure at once and drops the waiting value`() {
    let source = marbles.signal("ab-#")
    #expect(marbles.diagram(of: source.throttle(for: .seconds(9), latest: true, clock: marbles.clock)) == "a--#")
  }

  // MARK: Delay

  @Test func `delay keeps the order and the times between values, and delays the end`() {
    let source = marbles.signal("a[bc]--d|")
    #expect(marbles.diagram(of: source.delay(for: .seconds(3), clock: marbles.clock)) == "---a[bc]--d|")
  }

  @Test func `delay passes a failure at once and drops waiting values`() {
    let source = marbles.signal("ab-c#")
    #expect(marbles.diagram(of: source.delay(for: .seconds(2), clock: marbles.clock)) == "--ab#")
  }

  // MARK: Timeout

  @Test func `timeout finishes at the first silence that is too long`() {
    let source = marbles.signal("a-b--c----d|")
    #expect(marbles.diagram(of: source.timeout(.seconds(3), clock: marbles.clock)) == "a-b--c--|")
  }

  @Test func `timeout with an error fails`() {
    let source = marbles.signal("a----b|")
    let limited = source.timeout(.seconds(3), clock: marbles.clock, customError: { MarbleFailure() })
    #expect(marbles.diagram(of: limited) == "a--#")
  }

  @Test func `timeout starts with the subscription`() {
    #expect(marbles.diagram(of: marbles.signal("-----a").timeout(.seconds(2), clock: marbles.clock)) == "--|")
    let source = marbles.cold("--a--|")
    #expect(marbles.diagram(of: source.timeout(.seconds(3), clock: marbles.clock)) == "--a--|")
  }

  @Test(arguments: [Duration.zero, .seconds(-1)])
  func `timeout after no time ends without subscribing`(interval: Duration) {
    let asked = Counter()
    let source = DeferredSignal {
      asked.add()
      return JustSignal(1)
    }
    #expect(Watch(source.timeout(interval, clock: marbles.clock)).entries == ["|"])
    let failing = source.setFailureType(to: Mishap.self)
    #expect(Watch(failing.timeout(interval, clock: marbles.clock, customError: { .flood })).entries == ["#flood"])
    #expect(asked.value == 0)
    #expect(marbles.clock.scheduledCount == 0)
  }

  // MARK: Prefix

  @Test func `prefix for a time finishes at its end, which is excluded`() {
    let source = marbles.signal("a-b-c-d|")
    #expect(marbles.diagram(of: source.prefix(for: .seconds(4), clock: marbles.clock)) == "a-b-|")
    #expect(marbles.diagram(of: marbles.cold("a-b|").prefix(for: .seconds(9), clock: marbles.clock)) == "a-b|")
    #expect(marbles.diagram(of: marbles.cold("a-#").prefix(for: .seconds(9), clock: marbles.clock)) == "a-#")
    #expect(marbles.diagram(of: marbles.cold("-----").prefix(for: .seconds(3), clock: marbles.clock)) == "---|")
  }

  @Test func `prefix for no time finishes without subscribing`() {
    let asked = Counter()
    let source = DeferredSignal {
      asked.add()
      return (1...).signal
    }
    for duration in [Duration.zero, .seconds(-1)] {
      #expect(Watch(source.prefix(for: duration, clock: marbles.clock)).entries == ["|"])
    }
    #expect(asked.value == 0)
  }

  @Test func `prefix for a time stops an endless source on a real clock`() async {
    let count: Int? = await (1...).signal.prefix(for: .milliseconds(5)).count().firstValue()
    #expect(count != nil)
  }

  // MARK: Collect

  @Test func `collect sends the values of each interval, and the rest at the end`() {
    let source = marbles.signal("ab----[cd]-e|")
    let collected = source.collect(every: .seconds(3), clock: marbles.clock).map { $0.joined() }
    #expect(marbles.diagram(of: collected) == "---'ab'-----['cde'|]")
  }

  @Test func `collect with a count sends a full group at once`() {
    let source = marbles.signal("abc-d---#")
    let collected = source.collect(every: .seconds(3), upTo: 2, clock: marbles.clock).map { $0.joined() }
    #expect(marbles.diagram(of: collected) == "-'ab'-c--d-#")
  }

  // MARK: Sample

  @Test func `sample sends the latest value of each interval, and a waiting one at the end`() {
    let source = marbles.signal("ab-c----d-|")
    #expect(marbles.diagram(of: source.sample(every: .seconds(3), clock: marbles.clock)) == "---b--c--d|")
  }

  @Test func `sample by another signal sends the latest value when the other sends`() {
    let source = marbles.signal("a-bc---d--")
    let sampler = marbles.signal("-x--xx---|")
    #expect(marbles.diagram(of: source.sample(by: sampler)) == "-a--c----[d|]")
  }

  @Test func `sample by another signal fails as soon as either signal fails`() {
    #expect(marbles.diagram(of: marbles.cold("a#").sample(by: marbles.cold("--x|"))) == "-#")
    #expect(marbles.diagram(of: marbles.cold("a--|").sample(by: marbles.cold("-#"))) == "-#")
  }

  @Test func `sample by another signal does not subscribe to the other after the end`() {
    let asked = Counter()
    let sampler = DeferredSignal {
      asked.add()
      return Emitter<Int, Mishap>()
    }
    #expect(Watch(AnySignal<Int, Mishap>.fail(.fire).sample(by: sampler)).entries == ["#fire"])
    #expect(Watch(AnySignal<Int, Mishap>.just(1).sample(by: sampler)).entries == ["1", "|"])
    #expect(asked.value == 0)
  }

  // MARK: Measuring and ticking

  @Test func `measureInterval sends the times between values`() {
    let times = marbles.signal("-ab---c|").measureInterval(using: marbles.clock).map { $0.components.seconds }
    #expect(marbles.diagram(of: times) == "-11---4|")
  }

  @Test func `a timer ticks at equal intervals`() {
    let ticks = TimerSignal(every: .seconds(2), clock: marbles.clock).map { $0.offset.components.seconds }
    #expect(marbles.diagram(of: ticks, until: 7) == "--2-4-6")
  }

  @Test func `operators on time can follow one another`() {
    let source = marbles.signal("ab--c|")
    let shaped = source.delay(for: .seconds(1), clock: marbles.clock).debounce(for: .seconds(2), clock: marbles.clock)
    #expect(marbles.diagram(of: shaped) == "----b-[c|]")
  }
}
