import Signals
import SignalsTesting
import Testing

/// The promises of all operators on time about completion and cancellation.
@Suite("Operators on time end and release")
struct TimeLifetimeTests {
  private let clock = TestClock()
  private let emitter = Emitter<Int, Mishap>()
  private let log = Log<String>()

  private func listen(_ signal: some Signal<Int, Mishap>) -> SignalSubscription {
    signal.sink(
      receiveCompletion: { [log] completion in
        switch completion {
        case .finished: log.add("|")
        case .failure: log.add("#")
        }
      },
      receiveValue: { [log] in log.add("\($0)") }
    )
  }

  @Test(arguments: TimeOperator.all)
  func `no value follows cancelling, even if values wait`(operation: TimeOperator) {
    let subscription = listen(operation.shape(emitter.eraseToAnySignal(), clock))
    for value in 1...3 { emitter.send(value) }
    let before = log.entries
    subscription.cancel()
    #expect(clock.scheduledCount == 0)
    clock.advance(by: .seconds(10))
    emitter.send(4)
    emitter.finish()
    #expect(log.entries == before)
  }

  @Test(arguments: TimeOperator.all)
  func `cancelling cancels the upstream and releases captures and waiting values`(operation: TimeOperator) {
    let released = Log<String>()
    let upstream = CancelWatch(base: emitter) { released.add("upstream") }
    let token: SignalSubscription
    do {
      let captured = Probe { released.add("captured") }
      let mapped = Probe { released.add("mapped") }
      let source = upstream.map { value in
        mapped.touch()
        return value
      }
      token = operation.shape(source.eraseToAnySignal(), clock).sink(
        receiveCompletion: { _ in captured.touch() },
        receiveValue: { _ in captured.touch() }
      )
    }
    emitter.send(1)
    emitter.send(2)
    #expect(released.entries == [])
    token.cancel()
    #expect(released.entries.sorted() == ["captured", "mapped", "upstream"])
  }

  @Test(arguments: TimeOperator.all)
  func `releasing the token cancels the operator`(operation: TimeOperator) {
    let cancelled = Counter()
    let upstream = CancelWatch(base: emitter) { cancelled.add() }
    do {
      let token = listen(operation.shape(upstream.eraseToAnySignal(), clock))
      emitter.send(1)
      withExtendedLifetime(token) {}
    }
    #expect(cancelled.value == 1)
    #expect(clock.scheduledCount == 0)
  }

  @Test(arguments: TimeOperator.waiting)
  func `the end sends waiting values and leaves nothing on the clock`(operation: TimeOperator) {
    let token = listen(operation.shape(emitter.eraseToAnySignal(), clock))
    emitter.send(1)
    emitter.send(2)
    emitter.finish()
    clock.run()
    #expect(Array(log.entries.suffix(2)) == ["2", "|"])
    #expect(clock.scheduledCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: TimeOperator.all)
  func `a failure passes at once and nothing follows`(operation: TimeOperator) {
    let token = listen(operation.shape(emitter.eraseToAnySignal(), clock))
    emitter.send(1)
    emitter.send(2)
    emitter.fail(.fire)
    #expect(log.entries.last == "#")
    #expect(clock.scheduledCount == 0)
    let before = log.entries
    clock.advance(by: .seconds(10))
    #expect(log.entries == before)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: TimeOperator.all)
  func `a completed signal completes the result`(operation: TimeOperator) {
    let ended = Emitter<Int, Mishap>(replay: 1)
    ended.send(7)
    ended.finish()
    let token = listen(operation.shape(ended.eraseToAnySignal(), clock))
    clock.run()
    #expect(log.entries.last == "|")
    #expect(log.entries.count == 2)
    withExtendedLifetime(token) {}
  }

  @Test(arguments: TimeOperator.all)
  func `a subscriber may cancel during a delivery`(operation: TimeOperator) {
    let token = Box<SignalSubscription>()
    token.value = operation.shape(emitter.eraseToAnySignal(), clock).sink(
      receiveCompletion: { [log] _ in log.add("|") },
      receiveValue: { [log] _ in
        log.add("value")
        token.value?.cancel()
      }
    )
    for value in 1...3 { emitter.send(value) }
    clock.run()
    emitter.send(4)
    clock.run()
    #expect(log.entries == ["value"])
    #expect(clock.scheduledCount == 0)
  }

  @Test(arguments: TimeOperator.waiting)
  func `a value sent during a delivery follows the delivered one`(operation: TimeOperator) {
    let token = operation.shape(emitter.eraseToAnySignal(), clock).sink(
      receiveCompletion: { _ in },
      receiveValue: { [log, emitter] value in
        log.add("<\(value)")
        if value < 5 { emitter.send(value + 1) }
        log.add("\(value)>")
      }
    )
    emitter.send(1)
    clock.run()
    #expect(log.entries == (1...5).flatMap { ["<\($0)", "\($0)>"] })
    withExtendedLifetime(token) {}
  }

  @Test func `timeout cancels the upstream before it ends`() {
    let upstream = CancelWatch(base: emitter) { [log] in log.add("cancelled") }
    let token = listen(upstream.timeout(.seconds(2), clock: clock, customError: { .flood }))
    clock.run()
    #expect(log.entries == ["cancelled", "#"])
    emitter.send(1)
    #expect(log.entries == ["cancelled", "#"])
    withExtendedLifetime(token) {}
  }

  @Test(arguments: [false, true])
  func `timeout releases its error closure at the end, even if the token is kept`(isLate: Bool) {
    let released = Counter()
    let token: SignalSubscription
    do {
      let probe = Probe { released.add() }
      let fail: @Sendable () -> Mishap = { [probe] in
        probe.touch()
        return .flood
      }
      token = listen(emitter.timeout(.seconds(2), clock: clock, customError: fail))
    }
    #expect(released.value == 0)
    if isLate { clock.run() } else { emitter.finish() }
    #expect(log.entries == [isLate ? "#" : "|"])
    #expect(released.value == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `each subscription has its own time`() {
    let ticks = TimerSignal(every: .seconds(2), clock: clock)
    let first = ticks.sink { [log] in log.add("a\($0.offset.components.seconds)") }
    clock.advance(by: .seconds(1))
    let second = ticks.sink { [log] in log.add("b\($0.offset.components.seconds)") }
    clock.advance(by: .seconds(3))
    #expect(log.entries == ["a2", "b3", "a4"])
    withExtendedLifetime((first, second)) {}
  }

  @Test(arguments: TimeOperator.passing)
  func `an endless source stops when its subscriber accepts no more values`(operation: TimeOperator) {
    let endless = (0...).signal.setFailureType(to: Mishap.self)
    let token = listen(operation.shape(endless.eraseToAnySignal(), clock).prefix(1))
    #expect(log.entries == ["0", "|"] || log.entries == ["4", "|"])
    #expect(clock.scheduledCount == 0)
    withExtendedLifetime(token) {}
  }

  @Test func `an endless sampler stops when its subscriber accepts no more values`() {
    let sampler = (0...).signal.setFailureType(to: Mishap.self)
    let token = listen([7].signal.setFailureType(to: Mishap.self).append(Emitter()).sample(by: sampler).prefix(1))
    #expect(log.entries == ["7", "|"])
    withExtendedLifetime(token) {}
  }
}
