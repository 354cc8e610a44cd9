import Signals
import Synchronization
import TestSupport
import Testing

@Suite("Law 4: Cancel means stop", .patient)
struct Law04CancelMeansStopTests {
  @Test func `no value is delivered after cancel returns`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let subscription = emitter.sink { log.add($0) }
    emitter.send(1)
    subscription.cancel()
    subscription.cancel()
    emitter.send(2)
    #expect(log.entries == [1])
  }

  @Test func `releasing the token cancels`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    var subscription: SignalSubscription? = emitter.sink { log.add($0) }
    emitter.send(1)
    withExtendedLifetime(subscription) {}
    subscription = nil
    emitter.send(2)
    #expect(log.entries == [1])
  }

  @Test func `a subscriber may cancel itself from inside its callback`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let subscription = Box<SignalSubscription>()
    subscription.value = emitter.sink { value in
      log.add(value)
      subscription.value = nil
      emitter.send(value + 1)
    }
    emitter.send(1)
    #expect(log.entries == [1])
  }

  @Test func `a subscriber cancelled by another one during a delivery does not receive that value`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let second = Box<SignalSubscription>()
    let first = emitter.sink { value in
      log.add("A\(value)")
      second.value?.cancel()
    }
    second.value = emitter.sink { log.add("B\($0)") }
    emitter.send(1)
    #expect(log.entries == ["A1"])
    withExtendedLifetime(first) {}
  }

  @Test func `a subscriber's captures are released at cancel, even if the token is kept`() {
    let emitter = Emitter<Int, Never>()
    weak var weakProbe: Probe?
    var subscription: SignalSubscription?
    do {
      let probe = Probe()
      weakProbe = probe
      subscription = emitter.map { $0 + 1 }.filter { $0 > 0 }.sink { _ in probe.touch() }
    }
    #expect(weakProbe != nil)
    subscription?.cancel()
    #expect(weakProbe == nil)
  }

  @Test func `a subscriber's captures are released promptly while values wait`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let other = Box<SignalSubscription>()
    let first = emitter.sink { value in
      if value == 0 { for number in 1...3 { emitter.send(number) } }
      if value == 1 { other.value?.cancel() }
      log.add("\(value)")
    }
    do {
      let probe = Probe { log.add("released") }
      other.value = emitter.sink { _ in probe.touch() }
    }
    emitter.send(0)
    #expect(log.entries == ["0", "1", "released", "2", "3"])
    withExtendedLifetime(first) {}
  }

  @Test func `a subscriber's captures are released when the emitter is released`() {
    let released = Counter()
    var emitter: Emitter<Int, Never>? = Emitter()
    var probe: Probe? = Probe { released.add() }
    let subscription = emitter?.sink { [probe] _ in probe?.touch() }
    probe = nil
    #expect(released.value == 0)
    emitter = nil
    #expect(released.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a token may be cancelled from deinit during a delivery`() {
    final class Model: Sendable {
      let subscriptions = Box<[SignalSubscription]>([])
      deinit { subscriptions.value?.forEach { $0.cancel() } }
    }
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let model = Box<Model>(Model())
    model.value?.subscriptions.value = [
      emitter.sink { value in
        log.add(value)
        model.value = nil
      }
    ]
    emitter.send(1)
    emitter.send(2)
    #expect(log.entries == [1])
  }

  @Test func `after cancel returns on one thread, no call starts on any thread`() {
    for _ in 0..<200 {
      let emitter = Emitter<Int, Never>()
      let isCancelled = Atomic<Bool>(false)
      let running = Atomic<Int>(0)
      let late = Atomic<Int>(0)
      let subscription = emitter.sink { _ in
        // A call that began before the flag was set may still be running. No later call may run.
        running.add(1, ordering: .sequentiallyConsistent)
        running.subtract(1, ordering: .sequentiallyConsistent)
        if isCancelled.load(ordering: .sequentiallyConsistent) { late.add(1, ordering: .relaxed) }
      }
      withThreads(2) { index in
        if index == 0 {
          for number in 0..<200 { emitter.send(number) }
        } else {
          subscription.cancel()
          isCancelled.store(true, ordering: .sequentiallyConsistent)
        }
      }
      // At most the one call that was in flight.
      #expect(late.load(ordering: .relaxed) <= 1)
    }
  }

  @Test func `cancelling one of ten thousand subscriptions keeps the order of the others`() {
    let emitter = Emitter<Void, Never>()
    let log = Log<Int>()
    let subscriptions = (0..<10_000).map { index in emitter.sink { log.add(index) } }
    var chance = Chance(seed: 4)
    let cancelled = Set((0..<10_000).shuffled(using: &chance).prefix(9_000))
    for index in cancelled { subscriptions[index].cancel() }
    emitter.send()
    #expect(log.entries == (0..<10_000).filter { !cancelled.contains($0) })
  }

  @Test func `a set of tokens cancels them when it is released`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    var subscriptions: Set<SignalSubscription> = []
    emitter.sink { log.add($0) }.store(in: &subscriptions)
    emitter.sink { log.add(-$0) }.store(in: &subscriptions)
    emitter.send(1)
    subscriptions = []
    emitter.send(2)
    #expect(log.entries == [1, -1])
  }

  @Test func `concurrent subscribing, cancelling and sending loses and leaks nothing`() {
    let emitter = Emitter<Int, Never>()
    let released = Counter()
    let steady = Counter()
    let keeper = emitter.sink { _ in steady.add() }
    withThreads(4) { index in
      for number in 0..<2_000 {
        if index < 2 {
          emitter.send(number)
        } else {
          let probe = Probe { released.add() }
          let subscription = emitter.sink { _ in probe.touch() }
          if number % 2 == 0 { subscription.cancel() }
        }
      }
    }
    #expect(steady.value == 4_000)
    #expect(released.value == 4_000)
    withExtendedLifetime(keeper) {}
  }

  @Test func `the captures of a subscriber that cancels itself are released, even if its token is kept`() {
    let emitter = Emitter<Int, Never>()
    let released = Counter()
    let token = Box<SignalSubscription>()
    let count = Counter()
    func subscribe() {
      let probe = Probe { released.add() }
      token.value = emitter.sink { _ in
        probe.touch()
        count.add()
        token.value?.cancel()
      }
    }
    subscribe()
    emitter.send(1)
    #expect(released.value == 1)
    emitter.send(2)
    #expect(count.value == 1)
  }

  @Test func `the captures of a derived value's closure are released at cancel, even if the token is kept`() {
    let source = MutableProperty(1)
    let released = Counter()
    func subscribe() -> SignalSubscription {
      let probe = Probe { released.add() }
      let derived = Property.derived(source) { value in
        probe.touch()
        return value + 1
      }
      return Property.derived(derived) { $0 * 2 }.sink { _ in }
    }
    let subscription = subscribe()
    source.value = 2
    #expect(released.value == 0)
    subscription.cancel()
    #expect(released.value == 1)
  }

  @Test func `the captures of operators' closures are released at cancel, even if the token is kept`() {
    let left = Emitter<Int, Never>()
    let right = Emitter<Int, Never>()
    let released = Counter()
    let chains: [(Probe) -> AnySignal<Int, Never>] = [
      { probe in
        left.combineLatest(right).map { [probe] in
          probe.touch()
          return $0 + $1
        }.eraseToAnySignal()
      },
      { probe in
        left.flatMap { [probe] value in
          probe.touch()
          return right.map { $0 + value }
        }.eraseToAnySignal()
      },
      { probe in
        left.map { [probe] value in
          probe.touch()
          return value
        }.property(initial: 0).eraseToAnySignal()
      },
      { probe in
        left.scan(0) { [probe] in
          probe.touch()
          return $0 + $1
        }.share(replay: 1).eraseToAnySignal()
      },
    ]
    for (index, chain) in chains.enumerated() {
      let subscription = chain(Probe { released.add() }).sink { _ in }
      left.send(1)
      right.send(1)
      #expect(released.value == index)
      subscription.cancel()
      #expect(released.value == index + 1)
    }
  }

  @Test func `a derived value that its subscriber cancels during a delivery is released after it`() {
    let source = MutableProperty(1)
    let released = Counter()
    let log = Log<String>()
    let token = Box<SignalSubscription>()
    func subscribe() {
      let probe = Probe {
        log.add("released")
        released.add()
      }
      let derived = Property.derived(source) { value in
        probe.touch()
        return value + 1
      }
      token.value = derived.sink { value in
        log.add("got \(value)")
        if value == 3 { token.value?.cancel() }
      }
    }
    subscribe()
    source.value = 2
    #expect(log.entries == ["got 2", "got 3", "released"])
    source.value = 3
    #expect(log.entries.count == 3)
  }

  @Test func `when several threads cancel one token, no call follows the return of any`() {
    for _ in 0..<300 {
      let source = MutableProperty(0)
      let released = Counter()
      let late = Counter()
      func subscribe() -> SignalSubscription {
        let probe = Probe { released.add() }
        let derived = Property.derived(source) { value in
          probe.touch()
          return value
        }
        return derived.sink { _ in if Canceller.hasCancelled { late.add() } }
      }
      let subscription = subscribe()
      withThreads(3) { index in
        subscription.cancel()
        Canceller.$hasCancelled.withValue(true) { source.modify { $0 += index + 1 } }
      }
      #expect(late.value == 0)
      #expect(released.value == 1)
      withExtendedLifetime(subscription) {}
    }
  }
}

/// A thread that cancels a subscription.
private enum Canceller {
  /// A Boolean value that indicates whether the calling thread has cancelled.
  @TaskLocal static var hasCancelled = false
}
