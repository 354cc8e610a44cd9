import Dispatch
import Signals
import Synchronization
import TestSupport
import Testing

@Suite("receive(on:)", .patient)
struct ReceiveOnTests {
  @Test(arguments: [DispatchQueue(label: "serial"), DispatchQueue(label: "concurrent", attributes: .concurrent)])
  func `a queue delivers all values in order, one at a time`(queue: DispatchQueue) async {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let inside = Atomic<Int>(0)
    let overlaps = Atomic<Int>(0)
    let ended = Emitter<Void, Never>(replay: 1)
    let subscription = emitter.receive(on: queue).sink(
      receiveCompletion: { _ in ended.send() },
      receiveValue: { value in
        dispatchPrecondition(condition: .onQueue(queue))
        if inside.add(1, ordering: .relaxed).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
        log.add(value)
        inside.subtract(1, ordering: .relaxed)
      }
    )
    for number in 0..<10_000 { emitter.send(number) }
    emitter.finish()
    _ = await ended.firstValue()
    #expect(log.entries == Array(0..<10_000))
    #expect(overlaps.load(ordering: .relaxed) == 0)
    withExtendedLifetime(subscription) {}
  }

  /// Counts the calls that overlap others.
  private struct Careful: SignalSubscriber {
    let inside = Counter()
    let overlaps = Counter()
    let ended = Emitter<Void, Never>(replay: 1)

    private func enter() {
      if inside.add() > 1 { overlaps.add() }
      inside.add(-1)
    }

    var isDone: Bool {
      enter()
      return false
    }

    func receive(_ value: Int) { enter() }
    func receive(completion: SignalCompletion<Never>) { ended.send() }
  }

  @Test func `a subscriber on a concurrent queue is not asked while it receives a value`() async {
    let emitter = Emitter<Int, Never>()
    let subscriber = Careful()
    let subscription = emitter.receive(on: DispatchQueue(label: "concurrent", attributes: .concurrent))
      .subscribe(subscriber)
    for number in 0..<10_000 { emitter.send(number) }
    emitter.finish()
    _ = await subscriber.ended.firstValue()
    #expect(subscriber.overlaps.value == 0)
    withExtendedLifetime(subscription) {}
  }

  private actor Ledger {
    var entries: [Int] = []
    let isFull = Emitter<Void, Never>(replay: 1)

    func add(_ entry: Int) {
      entries.append(entry)
      if entries.count == 1_000 { isFull.send() }
    }
  }

  @Test func `an actor receives all values in order, with access to its state`() async {
    let ledger = Ledger()
    let emitter = Emitter<Int, Never>()
    let subscription = emitter.sink(on: ledger) { ledger, value in ledger.add(value) }
    for number in 0..<1_000 { emitter.send(number) }
    _ = await ledger.isFull.firstValue()
    #expect(await ledger.entries == Array(0..<1_000))
    withExtendedLifetime(subscription) {}
  }

  @Test @MainActor func `the main actor receives a burst in one hop, in order`() async {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let ended = Emitter<Void, Never>(replay: 1)
    let subscription = emitter.sink(on: MainActor.shared) { value in
      log.add(value)
      if value == 99 { ended.send() }
    }
    for number in 0..<100 { emitter.send(number) }
    #expect(log.entries.isEmpty)
    _ = await ended.firstValue()
    #expect(log.entries == Array(0..<100))
    withExtendedLifetime(subscription) {}
  }

  @Test func `cancelling drops waiting values and releases the subscriber's captures`() async {
    let queue = DispatchQueue(label: "held")
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let released = Counter()
    queue.suspend()
    var subscription: SignalSubscription?
    do {
      let probe = Probe { released.add() }
      subscription = emitter.receive(on: queue).sink { value in
        probe.touch()
        log.add(value)
      }
    }
    emitter.send(1)
    emitter.send(2)
    subscription?.cancel()
    #expect(released.value == 1)
    queue.resume()
    queue.sync {}
    #expect(log.entries.isEmpty)
  }

  @Test func `a subscriber that cancels itself receives nothing more of the burst`() {
    let queue = DispatchQueue(label: "held")
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let subscription = Box<SignalSubscription>()
    queue.suspend()
    subscription.value = emitter.receive(on: queue).sink { value in
      log.add(value)
      subscription.value?.cancel()
    }
    for number in 1...3 { emitter.send(number) }
    queue.resume()
    queue.sync {}
    queue.sync {}
    #expect(log.entries == [1])
  }

  @Test func `a source that sends everything at once stops when the subscriber needs no more values`() {
    let queue = DispatchQueue(label: "target")
    let log = Log<String>()
    let sent = Counter()
    let cancelled = Counter()
    // The source is finite, so that it returns in spite of a fault.
    let subscription = (1...1_000).signal
      .handleEvents(
        receiveOutput: { _ in
          queue.sync {}  // The earlier values have been delivered.
          sent.add()
        },
        receiveCancel: { cancelled.add() }
      )
      .receive(on: queue).prefix(3).trace(in: log)
    queue.sync {}
    #expect(log.entries == ["1", "2", "3", "|"])
    #expect((3...4).contains(sent.value))
    #expect(cancelled.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `an endless source stops when the subscriber needs no more values`() async throws {
    let queue = DispatchQueue(label: "target")
    let log = Log<String>()
    let cancelled = Counter()
    let subscription = try await onThread {
      (1...).signal.handleEvents(receiveCancel: { cancelled.add() }).receive(on: queue).prefix(3).trace(in: log)
    }
    queue.sync {}  // The delivery that cancels may still run.
    #expect(log.entries == ["1", "2", "3", "|"])
    #expect(cancelled.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a subscription does not retain its actor`() async {
    let emitter = Emitter<Int, Never>()
    weak var weakLedger: Ledger?
    var subscription: SignalSubscription?
    do {
      let ledger = Ledger()
      weakLedger = ledger
      subscription = emitter.sink(on: ledger) { ledger, value in ledger.add(value) }
    }
    #expect(weakLedger == nil)
    emitter.send(1)
    withExtendedLifetime(subscription) {}
  }
}
