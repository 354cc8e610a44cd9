import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("switchToLatest", .patient)
struct SwitchToLatestTests {
  @Test func `the values of the latest inner signal are sent, as time passes`() {
    let marbles = Marbles()
    let inner = ["a": "1-2-3-4|", "b": "-x-y|"]
    let outer = marbles.signal("a--b---|")
    #expect(marbles.diagram(of: outer.flatMapLatest { marbles.cold(inner[$0] ?? "#") }) == "1-2-x-y|")
  }

  @Test func `it completes when the outer signal and the last inner one have completed`() {
    let outer = Emitter<Emitter<Int, Never>, Never>()
    let inner = [Emitter<Int, Never>(), Emitter<Int, Never>()]
    let watch = Watch(outer.switchToLatest())
    outer.send(inner[0])
    inner[0].send(1)
    inner[0].finish()
    outer.send(inner[1])
    outer.finish()
    #expect(watch.entries == ["1"])
    inner[1].send(2)
    inner[1].finish()
    #expect(watch.entries == ["1", "2", "|"])
  }

  @Test func `an infallible signal can switch to fallible ones`() {
    let outer = Emitter<Int, Never>()
    let inner = [Emitter<String, Mishap>(), Emitter<String, Mishap>()]
    let watches = [
      Watch(outer.flatMapLatest { inner[$0] }), Watch(outer.map { inner[$0] }.switchToLatest()),
    ]
    outer.send(0)
    inner[0].send("a")
    outer.send(1)
    inner[0].send(completion: .failure(.fire))
    inner[1].send("b")
    inner[1].send(completion: .failure(.fire))
    for watch in watches { #expect(watch.entries == ["a", "b", "#fire"]) }
  }

  @Test func `it finishes with the outer signal if no inner signal is live`() {
    #expect(Watch([1, 2].signal.flatMapLatest { JustSignal($0) }).entries == ["1", "2", "|"])
    #expect(Watch([Int]().signal.flatMapLatest { JustSignal($0) }).entries == ["|"])
  }

  @Test(arguments: 0..<40) func `a random history sends the values of the latest inner signal`(seed: Int) {
    var chance = Chance(seed: UInt64(seed))
    let inners = (0..<5).map { _ in Emitter<String, Never>() }
    let outer = Emitter<Int, Never>()
    let watch = Watch(outer.flatMapLatest { inners[$0] })
    var current: Int?
    var expected: [String] = []
    for step in 0..<200 {
      let index = chance.number(below: inners.count)
      if chance.once(in: 8) {
        current = index
        outer.send(index)
      } else {
        inners[index].send("\(index).\(step)")
        if index == current { expected.append("\(index).\(step)") }
      }
    }
    #expect(watch.entries == expected)
  }

  @Test func `the failure of an abandoned inner signal is ignored`() {
    let outer = Emitter<Int, Mishap>()
    let inner = [Emitter<Int, Mishap>(), Emitter<Int, Mishap>()]
    let watch = Watch(outer.flatMapLatest { inner[$0] })
    outer.send(0)
    outer.send(1)
    inner[0].fail(.flood)
    inner[1].send(1)
    inner[1].fail(.fire)
    outer.send(0)
    #expect(watch.entries == ["1", "#fire"])
  }

  @Test func `the failure of the outer signal cancels the inner one`() {
    let outer = Emitter<Int, Mishap>()
    let inner = Emitter<Int, Mishap>()
    let watch = Watch(outer.flatMapLatest { _ in inner })
    outer.send(0)
    outer.fail(.fire)
    inner.send(1)
    #expect(watch.entries == ["#fire"])
  }

  @Test func `a switch during a delivery drops the old signal's remaining values`() {
    let outer = Emitter<Int, Never>()
    let inner = [Emitter<Int, Never>(), Emitter<Int, Never>()]
    let watch = Watch(outer.flatMapLatest { inner[$0] }) { value in
      guard value == 1 else { return }
      inner[0].send(2)
      outer.send(1)
      inner[0].send(3)
      inner[1].send(4)
    }
    outer.send(0)
    inner[0].send(1)
    #expect(watch.entries == ["1", "4"])
  }

  @Test func `cancelling cancels both subscriptions and releases the chain`() {
    let outer = Emitter<Int, Never>()
    let inner = Emitter<Int, Never>()
    let released = Counter()
    let watch: Watch
    do {
      let probe = Probe { released.add() }
      watch = Watch(
        outer.flatMapLatest { [probe] _ in
          _ = probe; return inner
        })
    }
    outer.send(0)
    inner.send(1)
    watch.cancel()
    #expect(released.value == 1)
    inner.send(2)
    outer.send(0)
    #expect(watch.entries == ["1"])
  }

  @Test func `cancelling from inside a value stops an inner signal that sends at once`() {
    let outer = Emitter<Int, Never>()
    let watched = Box<Watch>()
    watched.value = Watch(outer.flatMapLatest { _ in (1...).signal }) { value in
      if value == 2 { watched.value?.cancel() }
    }
    outer.send(0)
    #expect(watched.value?.entries == ["1", "2"])
    watched.value = nil
  }

  @Test func `an endless outer signal stops with its subscriber`() {
    #expect(Watch((1...).signal.flatMapLatest { JustSignal($0) }.prefix(3)).entries == ["1", "2", "3", "|"])
  }

  @Test func `values that an inner signal sends during its release are ignored`() {
    let outer = Emitter<Int, Never>()
    let inner = Emitter<Int, Never>()
    let watch: Watch
    do {
      let probe = Probe { inner.send(99) }
      watch = Watch(
        outer.flatMapLatest { value in
          inner.map { [probe] in
            probe.touch(); return $0 + value
          }
        })
    }
    outer.send(0)
    inner.send(1)
    outer.send(10)
    inner.send(2)
    watch.cancel()
    #expect(watch.entries == ["1", "12"])
  }

  @Test(arguments: 1...5)
  func `after a switch, no value of the old inner signal is delivered, even from another thread`(seed: Int) {
    let rounds = 400
    let inners = (0..<rounds).map { _ in Emitter<Int, Never>() }
    let outer = Emitter<Int, Never>()
    let position = Counter()
    let values = Log<Int>()
    let ended = Counter()
    let subscription = outer.flatMapLatest { inners[$0].prepend($0) }.sink(
      receiveCompletion: { _ in ended.add() },
      receiveValue: { values.add($0) }
    )
    withThreads(3) { index in
      if index == 0 {
        for round in 0..<rounds {
          outer.send(round)
          position.add()
          inners[round].send(round)
        }
        outer.finish()
      } else {
        // Bounded: a thread that delivers other threads' endless values never returns.
        for _ in 0..<2_000 {
          let last = min(position.value, rounds - 1)
          for round in max(0, last - 2)...last { inners[round].send(round) }
        }
      }
    }
    let entries = values.entries
    #expect(entries == entries.sorted(), "no value of an older signal follows one of a newer signal")
    #expect(entries.last == rounds - 1)
    #expect(ended.value == 0)
    inners[rounds - 1].finish()
    #expect(ended.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `the failure of an inner signal cancels the outer one before it is delivered`() {
    let outer = Emitter<Int, Mishap>()
    let inner = Emitter<Int, Mishap>()
    let log = Log<String>()
    let watched = outer.handleEvents(receiveCancel: { log.add("cancelled") })
    let subscription = watched.map { _ in inner }.switchToLatest().trace(in: log)
    outer.send(1)
    inner.fail(.fire)
    #expect(log.entries == ["cancelled", "#"])
    withExtendedLifetime(subscription) {}
  }
}
