import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("zip", .patient)
struct ZipTests {
  @Test(arguments: 0..<30) func `it pairs values in order, whichever signal is ahead`(seed: Int) {
    var chance = Chance(seed: UInt64(seed))
    let left = Emitter<Int, Never>()
    let right = Emitter<Int, Never>()
    let watch = Watch(left.zip(right).map { "\($0)-\($1)" })
    var lefts: [Int] = []
    var rights: [Int] = []
    for value in 0..<100 {
      if Bool.random(using: &chance) {
        lefts.append(value)
        left.send(value)
      } else {
        rights.append(value)
        right.send(value)
      }
    }
    #expect(watch.entries == Swift.zip(lefts, rights).map { "\($0)-\($1)" })
  }

  @Test func `it completes when a completed side's queue is empty`() {
    let marbles = Marbles()
    let pairs = marbles.signal("abc|").zip(marbles.signal("--1-2-3--4|")).map { $0 + $1 }
    #expect(marbles.diagram(of: pairs) == "--'a1'-'b2'-['c3'|]")
    #expect(marbles.diagram(of: marbles.cold("|").zip(marbles.cold("-a-|")).map { $0 + $1 }) == "|")
    #expect(marbles.diagram(of: marbles.cold("a-|").zip(marbles.cold("b---|")).map { $0 + $1 }) == "'ab'-|")
  }

  @Test func `it fails at once, even if values wait`() {
    let left = Emitter<Int, Mishap>()
    let right = Emitter<Int, Mishap>()
    let watch = Watch(left.zip(right).map { $0 + $1 })
    left.send(1)
    left.send(2)
    right.send(10)
    left.fail(.fire)
    right.send(20)
    #expect(watch.entries == ["11", "#fire"])
  }

  @Test func `the end cancels the other signal and releases waiting values`() {
    let left = Emitter<Probe, Never>()
    let right = Emitter<Int, Never>()
    let released = Counter()
    let watch = Watch(left.zip(right).map { $1 })
    left.send(Probe { released.add() })
    left.send(Probe { released.add() })
    right.send(1)
    right.finish()
    #expect(watch.entries == ["1", "|"])
    #expect(released.value == 2)
  }

  @Test func `cancelling releases waiting values`() {
    let left = Emitter<Probe, Never>()
    let right = Emitter<Int, Never>()
    let released = Counter()
    let watch = Watch(left.zip(right).map { $1 })
    left.send(Probe { released.add() })
    watch.cancel()
    #expect(released.value == 1)
    right.send(1)
    #expect(watch.entries == [])
  }

  @Test func `a signal zipped with itself pairs each value with itself`() {
    let source = Emitter<Int, Never>()
    let watch = Watch(source.zip(source).map { "\($0)\($1)" })
    source.send(1)
    source.send(2)
    #expect(watch.entries == ["11", "22"])
  }

  @Test func `a pair that sends into its own inputs keeps the order`() {
    let left = Emitter<Int, Never>()
    let right = Emitter<Int, Never>()
    let watch = Watch(left.zip(right).map { $0 + $1 }) { value in
      guard value < 6 else { return }
      right.send(value)
      left.send(value)
    }
    left.send(1)
    right.send(1)
    #expect(watch.entries == ["2", "4", "8"])
  }

  @Test func `an endless second signal ends with the first`() {
    #expect(Watch([5, 6].signal.zip((1...).signal).map { $0 * $1 }).entries == ["5", "12", "|"])
  }

  @Test func `any number of signals can be zipped`() {
    let emitters = (0..<5).map { _ in Emitter<Int, Never>() }
    let watch = Watch(
      zip(emitters[0], emitters[1], emitters[2], emitters[3], emitters[4]).map {
        $0 * 10_000 + $1 * 1000 + $2 * 100 + $3 * 10 + $4
      }
    )
    for round in 1...2 {
      for (index, emitter) in emitters.enumerated().reversed() { emitter.send(index + round) }
    }
    #expect(watch.entries == ["12345", "23456"])
    emitters[3].finish()
    #expect(watch.entries.last == "|")
    emitters[0].send(1)
    #expect(watch.entries.count == 3)
  }

  @Test func `signals of different elements keep their types`() {
    let watch = Watch(zip(["a", "b"].signal, [1, 2].signal, [true, false].signal).map { "\($0)\($1)\($2)" })
    #expect(watch.entries == ["a1true", "b2false", "|"])
  }

  @Test func `a list of signals is zipped to lists of values in its order`() {
    let emitters = (0..<3).map { _ in Emitter<Int, Never>() }
    let watch = Watch(zip(emitters))
    for round in 1...2 {
      for (index, emitter) in emitters.enumerated().reversed() { emitter.send(index * 10 + round) }
    }
    #expect(watch.entries == ["[1, 11, 21]", "[2, 12, 22]"])
    emitters[1].finish()
    #expect(watch.entries.last == "|")
    emitters[0].send(1)
    #expect(watch.entries.count == 3)
    #expect(Watch(zip([Emitter<Int, Never>]())).entries == ["|"])
  }

  @Test func `a list of signals of different types is zipped`() {
    #expect(Watch(zip([[1, 2].signal, [3, 4].signal.map { $0 * 10 }])).entries == ["[1, 30]", "[2, 40]", "|"])
  }

  @Test func `inputs of a zipped list after the end are not subscribed to`() {
    let asked = Counter()
    let later = DeferredSignal {
      asked.add()
      return Emitter<Int, Mishap>()
    }.eraseToAnySignal()
    for (first, end) in [(AnySignal<Int, Mishap>.fail(.fire), "#fire"), (.empty(), "|")] {
      #expect(Watch(zip([first, later, later])).entries == [end])
    }
    #expect(asked.value == 0)
  }

  @Test func `concurrent signals lose no pair`() {
    let emitters = (0..<3).map { _ in Emitter<Int, Never>() }
    let values = Log<Int>()
    let ended = Counter()
    let subscription = zip(emitters[0], emitters[1], emitters[2]).sink(
      receiveCompletion: { _ in ended.add() },
      receiveValue: { values.add($0 == $1 && $1 == $2 ? $0 : -1) }
    )
    withThreads(3) { index in
      for value in 0..<10_000 { emitters[index].send(value) }
      emitters[index].finish()
    }
    #expect(values.entries == Array(0..<10_000))
    #expect(ended.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `two concurrent signals lose no pair`() {
    let left = Emitter<Int, Never>()
    let right = Emitter<Int, Never>()
    let values = Log<Int>()
    let subscription = zip(left, right).sink { values.add($0 == $1 ? $0 : -1) }
    withThreads(2) { index in
      for value in 0..<20_000 { (index == 0 ? left : right).send(value) }
    }
    #expect(values.entries == Array(0..<20_000))
    withExtendedLifetime(subscription) {}
  }
}
