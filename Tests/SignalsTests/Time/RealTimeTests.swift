import Signals
import SignalsTesting
import TestSupport
import Testing

/// Operators on the system's clock, with threads that send.
@Suite("Operators on real time", .patient)
struct RealTimeTests {
  private let emitter = Emitter<Int, Never>()

  @Test func `debounce sends the last value of a burst`() async throws {
    let bounced = emitter.debounce(for: .milliseconds(20)).recorded()
    for value in 1...1000 { emitter.send(value) }
    try await bounced.wait(for: 1000)
    for value in 1001...1010 { emitter.send(value) }
    try await bounced.wait(for: 1010)
    #expect(bounced.elements.last == 1010)
  }

  @Test func `throttle sends the first value and also the last, even if the source falls silent`() async throws {
    let throttled = emitter.throttle(for: .milliseconds(20), latest: true).recorded()
    for value in 1...1000 { emitter.send(value) }
    try await throttled.wait(for: 1000)
    #expect(throttled.elements.first == 1)
    #expect(throttled.elements == throttled.elements.sorted())
  }

  @Test func `delay loses no value and keeps the order`() async throws {
    let delayed = emitter.delay(for: .milliseconds(5)).recorded()
    for value in 1...1000 { emitter.send(value) }
    try await delayed.wait(for: "a thousand values") { $0.count == 1000 }
    #expect(delayed.elements == Array(1...1000))
  }

  @Test func `timeout ends a silent signal`() async throws {
    let ended = Recorder<Bool>()
    let start = ContinuousClock.now
    let token = emitter.timeout(.milliseconds(20)).sink(
      receiveCompletion: { _ in ended.record(true) }, receiveValue: { _ in }
    )
    try await ended.wait(for: true)
    #expect(start.duration(to: .now) >= .milliseconds(20))
    withExtendedLifetime(token) {}
  }

  @Test func `collect and sample keep all values of an interval and its latest`() async throws {
    let collected = emitter.collect(every: .milliseconds(5)).recorded()
    let sampled = emitter.sample(every: .milliseconds(5)).recorded()
    for value in 1...1000 { emitter.send(value) }
    try await sampled.wait(for: 1000)
    try await collected.wait(for: "a thousand values") { $0.flatMap { $0 }.count == 1000 }
    #expect(collected.elements.flatMap { $0 } == Array(1...1000))
  }

  @Test func `a timer ticks on the suspending clock too`() async throws {
    let ticks = TimerSignal(every: .milliseconds(2), clock: SuspendingClock()).recorded()
    let start = SuspendingClock.now
    let moments = try await ticks.wait(for: "five ticks") { $0.count >= 5 }
    #expect(start.duration(to: .now) >= .milliseconds(10))
    let steps = zip(moments, moments.dropFirst()).map { $0.duration(to: $1) }
    #expect(steps.allSatisfy { $0.attoseconds % Duration.milliseconds(2).attoseconds == 0 && $0 > .zero })
  }

  @Test func `the longest interval in seconds is no limit`() async {
    await #expect(processExitsWith: .success) {
      let clock = SleepClock()
      let emitter = Emitter<Int, Never>()
      let forever = Duration.seconds(Int64.max)
      let received = Log<Int>()
      let tokens: [SignalSubscription] = [
        emitter.timeout(forever, clock: clock).sink { received.add($0) },
        emitter.prefix(for: forever, clock: clock).sink { received.add($0) },
        emitter.throttle(for: forever, latest: true, clock: clock).sink { received.add($0) },
        emitter.debounce(for: forever, clock: clock).sink { received.add($0) },
        emitter.delay(for: forever, clock: clock).sink { received.add($0) },
        emitter.sample(every: forever, clock: clock).sink { received.add($0) },
        emitter.collect(every: forever, clock: clock).sink { received.add($0.count) },
        TimerSignal(every: forever, clock: clock).sink { _ in received.add(0) },
      ]
      for value in 1...2 { emitter.send(value) }
      // An alarm that is stopped before its task has begun does not sleep at all.
      try await clock.begun.wait(for: "all sleeps") { $0.count == tokens.count }
      for token in tokens { token.cancel() }
      try await clock.ended.wait(for: "the end of all sleeps") { $0.count == tokens.count }
      #expect(received.entries == [1, 1, 1, 2, 2])
    }
  }

  @Test func `threads and the clock never call a subscriber concurrently`() async throws {
    let inside = Counter()
    let overlaps = Counter()
    let sums = Recorder<Int>()
    let shapes: [AnySignal<Int, Never>] = [
      emitter.throttle(for: .microseconds(100), latest: true).eraseToAnySignal(),
      emitter.delay(for: .microseconds(100)).eraseToAnySignal(),
      emitter.debounce(for: .microseconds(50)).eraseToAnySignal(),
      emitter.sample(every: .microseconds(100)).eraseToAnySignal(),
      emitter.collect(every: .microseconds(100), upTo: 7).map(\.count).eraseToAnySignal(),
      emitter.prefix(for: .microseconds(500)).eraseToAnySignal(),
    ]
    let tokens = shapes.enumerated().map { index, shape in
      let busy = Counter()
      return shape.sink(receiveCompletion: { _ in sums.record(index) }) { _ in
        if busy.add() != 1 { overlaps.add() }
        inside.add()
        busy.add(-1)
      }
    }
    try await onThread { [emitter] in
      withThreads(3) { _ in for value in 1...2000 { emitter.send(value) } }
    }
    emitter.finish()
    try await sums.wait(for: "all ends") { $0.count == shapes.count }
    #expect(overlaps.value == 0)
    #expect(inside.value >= 6000)
    withExtendedLifetime(tokens) {}
  }

  @Test func `cancelling while the clock fires is safe and final`() async throws {
    for round in 0..<200 {
      let isOver = Box(false)
      let late = Counter()
      let subscription = TimerSignal(every: .microseconds(20)).sink { _ in
        if isOver.value == true { late.add() }
      }
      for value in 0..<(round % 5) { emitter.send(value) }
      subscription.cancel()
      // A delivery that began before may finish.
      isOver.value = true
      #expect(late.value <= 1)
    }
  }

  @Test func `cancelling on any thread releases everything`() async throws {
    let released = Recorder<Int>()
    let rounds = 300
    for round in 0..<rounds {
      let probe = Probe { released.record(round) }
      let source = emitter.map { value in
        probe.touch()
        return value
      }
      let receive = { @Sendable (_: Int) in probe.touch() }
      let interval = Duration.microseconds(round % 7 * 10)
      let token =
        switch round % 7 {
        case 0: source.debounce(for: interval).sink(receive)
        case 1: source.throttle(for: interval, latest: true).sink(receive)
        case 2: source.delay(for: interval).sink(receive)
        case 3: source.timeout(interval).sink(receive)
        case 4: source.sample(every: interval).sink(receive)
        case 5: source.prefix(for: interval).sink(receive)
        default: source.collect(every: interval).map(\.count).sink(receive)
        }
      Task.detached { [emitter] in
        for value in 0..<(round % 11) { emitter.send(value) }
        token.cancel()
      }
      for value in 0..<(round % 5) { emitter.send(value) }
    }
    try await released.wait(for: "the release of all") { $0.count == rounds }
  }
}

/// The system's clock, which records when a task begins to sleep and when its sleep ends.
private struct SleepClock: Clock {
  let begun = Recorder<Bool>()
  let ended = Recorder<Bool>()

  private let base = ContinuousClock()

  var now: ContinuousClock.Instant { base.now }
  var minimumResolution: Duration { base.minimumResolution }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    begun.record(true)
    defer { ended.record(true) }
    try await base.sleep(until: deadline, tolerance: tolerance)
  }
}
