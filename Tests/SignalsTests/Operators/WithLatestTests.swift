import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("withLatest(from:)", .patient)
struct WithLatestTests {
  @Test(arguments: 0..<30) func `each value is paired with the latest of the other signal`(seed: Int) {
    var chance = Chance(seed: UInt64(seed))
    let source = Emitter<Int, Never>()
    let other = Emitter<Int, Never>()
    let watch = Watch(source.withLatest(from: other) { "\($0)-\($1)" })
    var latest: Int?
    var expected: [String] = []
    for value in 0..<100 {
      if Bool.random(using: &chance) {
        latest = value
        other.send(value)
      } else {
        if let latest { expected.append("\(value)-\(latest)") }
        source.send(value)
      }
    }
    #expect(watch.entries == expected)
  }

  @Test func `it completes with its own signal, whether or not the other has ended`() {
    let marbles = Marbles()
    let other = marbles.signal("-1---2|")
    let source = marbles.signal("a-b-c-d-e|")
    #expect(marbles.diagram(of: source.withLatest(from: other) { $0 + $1 }) == "--'b1'-'c1'-'d2'-'e2'|")
    #expect(marbles.diagram(of: marbles.cold("a|").withLatest(from: marbles.cold("-----|")) { $0 + $1 }) == "-|")
  }

  @Test func `it finishes when the other signal finishes without a value`() {
    let source = Emitter<Int, Never>()
    let other = Emitter<Int, Never>()
    let watches = [
      Watch(source.withLatest(from: EmptySignal<Int, Never>()) { $0 + $1 }),
      Watch(source.withLatest(from: other) { $0 + $1 }),
    ]
    source.send(1)
    other.finish()
    #expect(watches.map(\.entries) == [["|"], ["|"]])
    #expect(source.subscriberCount == 0)
  }

  @Test func `it fails with either signal`() {
    let source = Emitter<Int, Mishap>()
    let other = Emitter<Int, Mishap>()
    let watches = [Watch(source.withLatest(from: other).map { $0 + $1 })]
    other.send(1)
    source.send(1)
    other.fail(.fire)
    source.send(2)
    #expect(watches[0].entries == ["2", "#fire"])
    let failing = Watch(AnySignal<Int, Mishap>.fail(.flood).withLatest(from: AnySignal<Int, Mishap>.just(1)).map { $0 })
    #expect(failing.entries == ["#flood"])
  }

  @Test func `the same source on both sides sees the current value`() {
    let source = Emitter<Int, Never>()
    let watch = Watch(source.withLatest(from: source) { "\($0)\($1)" })
    let derived = Watch(source.map { $0 + 1 }.withLatest(from: source.map { $0 * 2 }) { "\($0)\($1)" })
    source.send(1)
    source.send(3)
    #expect(watch.entries == ["11", "33"])
    #expect(derived.entries == ["22", "46"])
  }

  @Test func `the same property on both sides sees the current value`() {
    let property = MutableProperty(1)
    let watch = Watch(property.withLatest(from: property) { "\($0)\($1)" })
    property.value = 2
    #expect(watch.entries == ["11", "22"])
  }

  @Test func `cancelling releases the latest value and the closure`() {
    let source = Emitter<Int, Never>()
    let other = Emitter<Probe, Never>()
    let released = Counter()
    let watch: Watch
    do {
      let probe = Probe { released.add() }
      watch = Watch(
        source.withLatest(from: other) { [probe] value, _ in
          _ = probe; return value
        })
    }
    other.send(Probe { released.add() })
    source.send(1)
    watch.cancel()
    source.send(2)
    #expect(released.value == 2)
    #expect(watch.entries == ["1"])
  }

  @Test func `the release of the previous latest value may send`() {
    let source = Emitter<Int, Never>()
    let other = Emitter<Probe, Never>()
    let watch = Watch(source.withLatest(from: other) { value, _ in value })
    other.send(Probe { source.send(7) })
    other.send(Probe())
    source.send(8)
    #expect(watch.entries == ["7", "8"])
  }

  @Test func `a value sent during the delivery of a pair follows that pair`() {
    let source = Emitter<Int, Never>()
    let other = MutableProperty(0)
    let watch = Watch(source.withLatest(from: other) { $0 * 10 + $1 }) { value in
      guard value < 30 else { return }
      other.value += 1
      source.send(value / 10 + 1)
    }
    source.send(1)
    #expect(watch.entries == ["10", "21", "32"])
  }

  @Test func `an endless signal ends with the subscriber`() {
    #expect(Watch((1...).signal.withLatest(from: JustSignal(5)) { $0 * $1 }.prefix(2)).entries == ["5", "10", "|"])
  }

  @Test func `with two threads, a value is never paired with one older than the last it could see`() {
    let source = Emitter<Int, Never>()
    let other = MutableProperty(0)
    let pairs = Log<[Int]>()
    let subscription = source.withLatest(from: other) { [$0, $1] }.sink { pairs.add($0) }
    withThreads(2) { index in
      for value in 1...10_000 {
        if index == 0 { source.send(value) } else { other.value = value }
      }
    }
    source.send(10_001)
    #expect(pairs.entries.map { $0[0] } == Array(1...10_001))
    let seen = pairs.entries.map { $0[1] }
    #expect(seen == seen.sorted())
    #expect(seen.last == 10_000)
    withExtendedLifetime(subscription) {}
  }
}
