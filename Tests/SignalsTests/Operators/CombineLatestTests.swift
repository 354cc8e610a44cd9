import Signals
import TestSupport
import Testing

@Suite("combineLatest", .patient)
struct CombineLatestTests {
  @Test func `it begins when all signals have sent, and then sends for each value`() {
    let numbers = Emitter<Int, Never>()
    let letters = Emitter<String, Never>()
    let log = Log<String>()
    let subscription = numbers.combineLatest(letters).sink { log.add("\($0)\($1)") }
    numbers.send(1)
    numbers.send(2)
    #expect(log.entries.isEmpty)
    letters.send("a")
    letters.send("b")
    numbers.send(3)
    #expect(log.entries == ["2a", "2b", "3b"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `it combines any number of signals`() {
    let properties = (1...6).map { MutableProperty($0) }
    let log = Log<String>()
    let subscriptions = [
      combineLatest(properties[0], properties[1]).sink { log.add("2: \($0 + $1)") },
      combineLatest(properties[0], properties[1], properties[2]).sink { log.add("3: \($0 + $1 + $2)") },
      combineLatest(properties[0], properties[1], properties[2], properties[3])
        .sink { log.add("4: \($0 + $1 + $2 + $3)") },
      combineLatest(properties[0], properties[1], properties[2], properties[3], properties[4], properties[5])
        .sink { log.add("6: \($0 + $1 + $2 + $3 + $4 + $5)") },
    ]
    #expect(log.entries == ["2: 3", "3: 6", "4: 10", "6: 21"])
    properties[5].value = 16
    #expect(log.entries.last == "6: 31")
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `it finishes when all signals have finished`() {
    let left = Emitter<Int, Never>(replay: 1)
    let right = Emitter<Int, Never>(replay: 1)
    let log = Log<String>()
    let subscription = left.combineLatest(right).sink(
      receiveCompletion: { _ in log.add("|") },
      receiveValue: { log.add("\($0)\($1)") }
    )
    left.send(1)
    right.send(2)
    left.finish()
    right.send(3)
    #expect(log.entries == ["12", "13"])
    right.finish()
    #expect(log.entries == ["12", "13", "|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `it finishes as soon as a signal finishes without having sent`() {
    let left = Emitter<Int, Never>()
    let right = Emitter<Int, Never>()
    let log = Log<String>()
    let subscription = left.combineLatest(right).sink(
      receiveCompletion: { _ in log.add("|") },
      receiveValue: { log.add("\($0)\($1)") }
    )
    left.send(1)
    right.finish()
    left.send(2)
    #expect(log.entries == ["|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `it fails as soon as one signal fails`() {
    let left = Emitter<Int, Mishap>()
    let right = Emitter<Int, Mishap>()
    let log = Log<String>()
    let subscription = left.combineLatest(right).sink(
      receiveCompletion: { _ in log.add("failed") },
      receiveValue: { log.add("\($0)\($1)") }
    )
    left.send(1)
    right.fail(.fire)
    left.send(2)
    #expect(log.entries == ["failed"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `two sources on two threads never lose the last pair`() {
    for _ in 0..<300 {
      let left = MutableProperty(0)
      let right = MutableProperty(0)
      let last = Box<[Int]>()
      let subscription = left.combineLatest(right).sink { last.value = [$0, $1] }
      withThreads(2) { index in
        for number in 1...50 { (index == 0 ? left : right).value = number }
      }
      #expect(last.value == [50, 50])
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func `cancelling releases the chains of all inputs`() {
    let left = MutableProperty(1)
    let right = MutableProperty(2)
    let released = Counter()
    var subscription: SignalSubscription?
    do {
      let probe = Probe { released.add() }
      subscription = left.map { $0 + 1 }.combineLatest(right).sink { _, _ in probe.touch() }
    }
    subscription?.cancel()
    #expect(released.value == 1)
    withExtendedLifetime((left, right)) {}
  }

  @Test func `a list of signals combines to lists of values in its order`() {
    let properties = (1...3).map { MutableProperty($0) }
    let watch = Watch(combineLatest(properties))
    properties[2].value = 9
    properties[0].value = 7
    #expect(watch.entries == ["[1, 2, 3]", "[1, 2, 9]", "[7, 2, 9]"])
    #expect(Watch(combineLatest([Emitter<Int, Never>]())).entries == ["|"])
  }

  @Test func `a list of signals of different types combines to lists`() {
    let left = MutableProperty(1)
    let right = Emitter<Int, Never>()
    let watch = Watch(combineLatest([left, right.map { $0 * 10 }]))
    right.send(2)
    left.value = 3
    #expect(watch.entries == ["[1, 20]", "[3, 20]"])
  }

  @Test func `inputs after the end are not subscribed to`() {
    let asked = Counter()
    let later = DeferredSignal {
      asked.add()
      return Emitter<Int, Mishap>()
    }.eraseToAnySignal()
    for (first, end) in [(AnySignal<Int, Mishap>.fail(.fire), "#fire"), (.empty(), "|")] {
      #expect(Watch(first.combineLatest(later).map { $0 + $1 }).entries == [end])
      #expect(Watch(combineLatest([first, later, later])).entries == [end])
      #expect(Watch(combineLatest(first, later, later, later, later).map { $0.0 }).entries == [end])
    }
    #expect(asked.value == 0)
  }
}
