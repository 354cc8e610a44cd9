import Signals
import TestSupport
import Testing

@Suite("merge")
struct MergeTests {
  @Test func `values are sent as they arrive, and the end after the last signal's end`() {
    let sources = (0..<3).map { _ in Emitter<Int, Never>() }
    let log = Log<String>()
    let subscription = merge(sources[0], sources[1], sources[2].map { $0 * 100 }).sink(
      receiveCompletion: { _ in log.add("|") },
      receiveValue: { log.add("\($0)") }
    )
    sources[1].send(1)
    sources[0].send(2)
    sources[2].send(3)
    sources[0].finish()
    sources[1].finish()
    sources[2].send(4)
    #expect(log.entries == ["1", "2", "300", "400"])
    sources[2].finish()
    #expect(log.entries.last == "|")
    withExtendedLifetime(subscription) {}
  }

  @Test func `signals after the last value that is needed are not subscribed to`() {
    let asked = Counter()
    let later = DeferredSignal {
      asked.add()
      return Emitter<Int, Never>()
    }.eraseToAnySignal()
    let numbers = (1...).signal.eraseToAnySignal()
    #expect(merge([numbers, later]).first().traced == ["1", "|"])
    #expect(merge(numbers, later).first().traced == ["1", "|"])
    #expect(merge(numbers, later, later).first().traced == ["1", "|"])
    #expect(asked.value == 0)
  }

  @Test func `merging no signals finishes at once`() {
    let log = Log<String>()
    let nothing = merge([AnySignal<Int, Never>]())
    let subscription = nothing.sink(
      receiveCompletion: { _ in log.add("|") },
      receiveValue: { log.add("\($0)") }
    )
    #expect(log.entries == ["|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `the first failure ends the result and cancels the others`() {
    let good = Emitter<Probe, Mishap>()
    let bad = Emitter<Probe, Mishap>()
    let log = Log<String>()
    let released = Counter()
    var probe: Probe? = Probe { released.add() }
    let subscription = good.merge(with: bad).map { [probe] _ in probe != nil }.sink(
      receiveCompletion: { _ in log.add("failed") },
      receiveValue: { log.add("\($0)") }
    )
    probe = nil
    bad.fail(.fire)
    #expect(released.value == 1, "The chain of the other input is not released.")
    good.send(Probe())
    #expect(log.entries == ["failed"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `cancelling releases the chains of all inputs`() {
    let left = Emitter<Int, Never>()
    let right = Emitter<Int, Never>()
    let released = Counter()
    var subscription: SignalSubscription?
    do {
      let probe = Probe { released.add() }
      subscription = merge(left.map { $0 + 1 }, right).sink { _ in probe.touch() }
    }
    left.send(1)
    subscription?.cancel()
    #expect(released.value == 1)
    withExtendedLifetime((left, right)) {}
  }

  @Test func `properties send their current values in the order of the inputs`() {
    let log = Log<Int>()
    let left = MutableProperty(1)
    let right = MutableProperty(2)
    let subscription = merge(left, right).sink { log.add($0) }
    right.value = 3
    #expect(log.entries == [1, 2, 3])
    withExtendedLifetime((subscription, left)) {}
  }

  @Test func `a merge that sends into one of its inputs keeps the order`() {
    let left = Emitter<Int, Never>()
    let right = Emitter<Int, Never>()
    let log = Log<Int>()
    let subscription = merge(left, right).sink { value in
      if value < 3 { right.send(value + 1) }
      log.add(value)
    }
    left.send(1)
    #expect(log.entries == [1, 2, 3])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a list of signals merges like the same signals as arguments`() {
    let sources = (0..<5).map { _ in Emitter<Int, Never>() }
    let watch = Watch(merge(sources))
    for (index, source) in sources.enumerated().reversed() { source.send(index) }
    for source in sources { source.finish() }
    #expect(watch.entries == ["4", "3", "2", "1", "0", "|"])
    #expect(Watch(merge([Emitter<Int, Never>]())).entries == ["|"])
  }

  @Test func `a list of signals of different types is merged`() {
    let left = Emitter<Int, Never>()
    let right = Emitter<Int, Never>()
    let watch = Watch(merge([left, right.map { $0 + 1 }]))
    right.send(1)
    left.send(7)
    right.finish()
    left.finish()
    #expect(watch.entries == ["2", "7", "|"])
  }

  @Test func `an endless input stops with the subscriber`() {
    #expect(Watch(merge([1].signal, (2...).signal).prefix(3)).entries == ["1", "2", "3", "|"])
  }
}
