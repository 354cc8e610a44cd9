import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("share(replay:disconnecting:)", .patient)
struct ShareDisconnectionTests {
  private let clock = TestClock()
  private let source = Emitter<Int, Never>()
  private let made = Counter()
  private let live = Counter()

  /// The source, with its subscriptions counted.
  private var counted: some Signal<Int, Never> {
    DeferredSignal { [source, made, live] in
      made.add()
      live.add()
      return CancelWatch(base: source) { live.add(-1) }
    }
  }

  @Test func `a subscriber that joins in the grace period continues the subscription`() {
    let shared = counted.share(replay: 1, disconnecting: .after(.seconds(5), clock: clock))
    Watch(shared).cancel()
    clock.advance(by: .seconds(4))
    source.send(1)
    let second = Watch(shared)
    #expect(second.entries == ["1"])
    clock.advance(by: .seconds(9))
    #expect(live.value == 1)
    second.cancel()
    clock.advance(by: .seconds(4))
    #expect(live.value == 1)
    clock.advance(by: .seconds(1))
    #expect(live.value == 0)
    #expect(made.value == 1)
    #expect(clock.scheduledCount == 0)
    #expect(Watch(shared).entries == [])
    #expect(made.value == 2)
  }

  @Test func `marbles arrive during the grace period`() {
    let marbles = Marbles()
    let shared = marbles.cold("a-b-c-d-e|").share(replay: 1, disconnecting: .after(.seconds(3), clock: marbles.clock))
    let first = Watch(shared.prefix(1))
    let late = marbles.signal("---x").flatMap { _ in shared }
    #expect(marbles.diagram(of: late, until: 9) == "---bc-d-e")
    #expect(first.entries == ["a", "|"])
  }

  @Test func `a grace period of zero disconnects at once`() {
    let shared = counted.share(disconnecting: .after(.zero, clock: clock))
    Watch(shared).cancel()
    #expect(live.value == 0)
    #expect(clock.scheduledCount == 0)
  }

  @Test func `never keeps the subscription until the upstream ends`() {
    let shared = counted.share(replay: 2, disconnecting: .never)
    #expect(made.value == 0)
    Watch(shared).cancel()
    for value in 1...3 { source.send(value) }
    #expect(Watch(shared).entries == ["2", "3"])
    #expect(live.value == 1)
    source.finish()
    #expect(Watch(shared).entries == ["2", "3", "|"])
    #expect(made.value == 1)
  }

  @Test func `never lets a source that sends at once run to its end`() {
    let shared = [1, 2, 3].signal.share(replay: 3, disconnecting: .never)
    #expect(Watch(shared.prefix(1)).entries == ["1", "|"])
    #expect(Watch(shared).entries == ["1", "2", "3", "|"])
  }

  @Test func `an endless source stops with its subscriber in spite of a grace period`() {
    let shared = (1...).signal.share(disconnecting: .after(.seconds(1), clock: clock))
    #expect(Watch(shared.prefix(2)).entries == ["1", "2", "|"])
    #expect(Watch(shared.prefix(1)).entries == ["1", "|"])
  }

  @Test(arguments: [true, false]) func `releasing the shared signal disconnects`(isNever: Bool) {
    do {
      let shared = counted.share(disconnecting: isNever ? .never : .after(.seconds(5), clock: clock))
      Watch(shared).cancel()
      #expect(live.value == 1)
    }
    #expect(live.value == 0)
    #expect(clock.scheduledCount == 0)
    #expect(source.subscriberCount == 0)
  }

  @Test func `the end of the upstream ends the grace period`() {
    let shared = counted.share(replay: 1, disconnecting: .after(.seconds(5), clock: clock))
    Watch(shared).cancel()
    source.send(1)
    source.finish()
    #expect(clock.scheduledCount == 0)
    #expect(Watch(shared).entries == ["1", "|"])
  }

  @Test func `threads that come and go keep one subscription at a time`() async throws {
    let source = Emitter<Int, Never>()
    let live = Counter()
    let faults = Counter()
    let shared = DeferredSignal {
      if live.add() > 1 { faults.add() }
      return CancelWatch(base: source) { live.add(-1) }
    }.share(replay: 1, disconnecting: .after(.seconds(60)))
    try await onThread {
      withThreads(4) { _ in
        for value in 0..<300 {
          let watch = Watch(shared)
          source.send(value)
          watch.cancel()
        }
      }
    }
    #expect(faults.value == 0)
    #expect(live.value == 1)
  }

  @Test func `short grace periods on a real clock disconnect and release everything`() async throws {
    let disconnections = Recorder<Int>()
    for round in 0..<100 {
      let probe = Probe { disconnections.record(round) }
      let shared = CancelWatch(base: source) { probe.touch() }.share(disconnecting: .after(.microseconds(round)))
      Task.detached {
        Watch(shared).cancel()
        Watch(shared).cancel()
      }
    }
    try await disconnections.wait(for: "the release of all") { $0.count == 100 }
  }
}
