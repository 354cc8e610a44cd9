import Dispatch
import Signals
import Synchronization
import TestSupport
import Testing

/// Corner cases of the core that need a certain order of steps on certain threads.
@Suite("Adversarial: corner cases of the core", .patient)
struct CornerTests {
  @Test func `a subscriber's work while joining is visible to the thread that calls it next`() {
    // If nothing orders the two threads' calls, a thread sanitizer reports a race here.
    let property = MutableProperty(0)
    let isHeld = DispatchSemaphore(value: 0)
    let hasQueued = DispatchSemaphore(value: 0)
    let step = Atomic<Int>(0)
    let hasJoined = Atomic<Bool>(false)
    let log = Log<[Int]>()
    let holder = property.sink { value in
      if value == 1 {
        isHeld.signal()
        hasQueued.wait()
      }
      // All relaxed, so that only the subscription can order the calls.
      if value == 2 { step.store(2, ordering: .relaxed) }
      if value == 3 { while !hasJoined.load(ordering: .relaxed) {} }
    }
    let joined = Box<SignalSubscription>()
    withThreads(3) { index in
      switch index {
      case 0: property.value = 1
      case 1:
        isHeld.wait()
        joined.value = property.scan([]) { $0 + [$1] }.sink { values in
          if values.count == 1 {
            step.store(1, ordering: .relaxed)
            while step.load(ordering: .relaxed) < 2 {}
          }
          log.add(values)
        }
        hasJoined.store(true, ordering: .relaxed)
      default:
        while step.load(ordering: .relaxed) < 1 {}
        property.value = 2
        property.value = 3
        hasQueued.signal()
      }
    }
    #expect(log.entries.last == [1, 2, 3])
    withExtendedLifetime(holder) {}
  }

  @Test func `when two threads cancel a group, each returns only after the whole group is cancelled`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let isInside = DispatchSemaphore(value: 0)
    let isChecked = DispatchSemaphore(value: 0)
    let group = Upstreams()
    group.add(
      SignalSubscription {
        isInside.signal()
        isChecked.wait()
      }
    )
    group.add(emitter.sink { log.add($0) })
    withThreads(2) { index in
      if index == 0 { return group.cancelAll() }
      isInside.wait()
      group.cancelAll()
      emitter.send(1)
      isChecked.signal()
    }
    #expect(log.entries.isEmpty)
  }

  @Test func `when two threads cancel a subscription on a queue, no call follows the return of either`() {
    let queue = DispatchQueue(label: "serial")
    let late = Counter()
    for _ in 0..<300 {
      let emitter = Emitter<Int, Never>()
      let isOver = Atomic<Bool>(false)
      let subscription = emitter.receive(on: queue).sink { _ in
        if isOver.load(ordering: .relaxed) { late.add() }
      }
      withThreads(3) { index in
        switch index {
        case 0: for number in 0..<50 { emitter.send(number) }
        case 1: subscription.cancel()
        default:
          queue.sync {
            subscription.cancel()
            isOver.store(true, ordering: .relaxed)
          }
        }
      }
      queue.sync {}
    }
    #expect(late.value == 0)
  }

  @Test func `a carrier whose subscriber is gone releases its upstream`() async {
    actor Place {
      func take(_ value: Int) {}
    }
    let emitter = Emitter<Int, Never>()
    let released = Counter()
    var subscription: SignalSubscription?
    do {
      let place = Place()
      let probe = Probe { released.add() }
      subscription = emitter.map { value in
        probe.touch()
        return value
      }.sink(on: place) { place, value in place.take(value) }
    }
    emitter.send(1)
    #expect(released.value == 1)
    withExtendedLifetime(subscription) {}
  }

  private actor Readers {
    private let iterator: SignalValues<Emitter<Int, Never>>.Iterator

    init(of emitter: Emitter<Int, Never>) {
      iterator = emitter.values.makeAsyncIterator()
    }

    func next() async -> Int? {
      var iterator = iterator
      return await iterator.next(isolation: self)
    }
  }

  @Test func `tasks that share an iterator each receive a value, and all receive the end`() async {
    let emitter = Emitter<Int, Never>()
    let readers = Readers(of: emitter)
    let got = await withTaskGroup(of: Int?.self) { group in
      for _ in 0..<8 { group.addTask { await readers.next() } }
      for number in 0..<5 {
        for _ in 0..<20 { await Task.yield() }
        emitter.send(number)
      }
      emitter.finish()
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(got.compactMap(\.self).sorted() == Array(0..<5))
    #expect(got.count == 8)
  }

  @Test func `a replay stops when its subscriber wants no more`() {
    let emitter = Emitter<Int, Never>(replay: 5)
    for number in 0..<5 { emitter.send(number) }
    let mapped = Counter()
    let log = Log<Int>()
    let subscription = emitter.map { value in
      mapped.add()
      return value
    }.prefix(1).sink { log.add($0) }
    #expect(log.entries == [0])
    #expect(mapped.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a value that modify discards may read the property when it is released`() {
    let property = MutableProperty<Probe?>(nil)
    let isFirst = Atomic<Bool>(true)
    property.modify { value in
      guard isFirst.exchange(false, ordering: .relaxed) else { return }
      value = Probe { [unowned property] in _ = property.value }
      withThreads(1) { _ in property.value = Probe { [unowned property] in _ = property.value } }
    }
    #expect(property.value != nil)
    property.value = nil
  }

  @Test func `a derived value is never older than a property value that the thread has read`() {
    let property = MutableProperty(0)
    let derived = Property.derived(property) { $0 }
    let subscription = derived.sink { _ in }
    let isOver = Atomic<Bool>(false)
    let stale = Counter()
    withThreads(2) { index in
      if index == 0 {
        for number in 1...100_000 { property.value = number }
        isOver.store(true, ordering: .relaxed)
      } else {
        while !isOver.load(ordering: .relaxed) {
          let seen = property.value
          if derived.value < seen { stale.add() }
        }
      }
    }
    #expect(stale.value == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a zero-sized value is delivered`() {
    let emitter = Emitter<Void, Never>()
    let count = Counter()
    let subscriptions = [
      emitter.sink { count.add() },
      emitter.map { $0 }.filter { true }.sink { count.add() },
      merge(emitter, emitter).sink { count.add() },
      MutableProperty(()).sink { count.add() },
    ]
    emitter.send()
    #expect(count.value == 5)
    withExtendedLifetime(subscriptions) {}
  }
}
