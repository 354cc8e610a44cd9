import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("flatMap", .patient)
struct FlatMapTests {
  @Test func `it finishes when the outer signal and all inner signals have finished`() {
    let outer = Emitter<Int, Never>()
    let inner = [Emitter<String, Never>(), Emitter<String, Never>()]
    let watch = Watch(outer.flatMap { inner[$0] })
    outer.send(0)
    inner[0].send("a")
    outer.send(1)
    inner[1].send("b")
    inner[0].send("c")
    outer.finish()
    inner[0].finish()
    #expect(watch.entries == ["a", "b", "c"])
    inner[1].finish()
    #expect(watch.entries == ["a", "b", "c", "|"])
  }

  @Test func `it finishes with the outer signal if no inner signal is active`() {
    #expect(Watch([1, 2].signal.flatMap { JustSignal($0 * 10) }).entries == ["10", "20", "|"])
    #expect(Watch([Int]().signal.flatMap { JustSignal($0) }).entries == ["|"])
  }

  @Test func `an infallible signal can produce fallible ones`() {
    let flat = [1, 2, 3].signal.flatMap { $0 < 2 ? AnySignal<Int, Mishap>.just($0) : .fail(.fire) }
    #expect(Watch(flat).entries == ["1", "#fire"])
  }

  @Test func `inner signals overlap in time`() {
    let marbles = Marbles()
    let inner = ["a": "1-2-3|", "b": "4-5|"]
    let outer = marbles.signal("ab----|")
    #expect(marbles.diagram(of: outer.flatMap { marbles.cold(inner[$0] ?? "#") }) == "14253-|")
  }

  @Test func `with a limit of one, inner signals follow each other in order`() {
    let marbles = Marbles()
    let outer = marbles.signal("abc|")
    let flat = outer.flatMap(maxConcurrent: 1) { name in marbles.cold("x-|").map { name + $0 } }
    #expect(marbles.diagram(of: flat) == "'ax'-'bx'-'cx'-|")
  }

  /// The expected result of a random history of opening, sending and finishing, computed in plain Swift.
  @Test(arguments: 0..<40) func `values beyond the limit wait in order`(seed: Int) {
    var chance = Chance(seed: UInt64(seed))
    let limit = [1, 2, 3, Int.max][seed % 4]
    let inners = (0..<12).map { _ in Emitter<String, Never>() }
    let outer = Emitter<Int, Never>()
    let watch = Watch(outer.flatMap(maxConcurrent: limit) { inners[$0] })
    var opened = 0
    var live: Set<Int> = []
    var finished: Set<Int> = []
    var waiting: [Int] = []
    var expected: [String] = []
    func admit() {
      while live.count < limit, !waiting.isEmpty {
        let next = waiting.removeFirst()
        if !finished.contains(next) { live.insert(next) }
      }
    }
    for step in 0..<300 {
      switch chance.number(below: 10) {
      case 0 where opened < inners.count:
        waiting.append(opened)
        admit()
        outer.send(opened)
        opened += 1
      case 1:
        let index = chance.number(below: inners.count)
        inners[index].finish()
        finished.insert(index)
        live.remove(index)
        admit()
      default:
        let index = chance.number(below: inners.count)
        inners[index].send("\(index).\(step)")
        if live.contains(index) { expected.append("\(index).\(step)") }
      }
    }
    #expect(watch.entries == expected)
    outer.finish()
    for inner in inners { inner.finish() }
    #expect(watch.entries == expected + ["|"])
  }

  @Test func `the failure of an inner signal ends the result`() {
    let outer = Emitter<Int, Mishap>()
    let inner = [Emitter<Int, Mishap>(), Emitter<Int, Mishap>()]
    let released = Counter()
    let watch: Watch
    do {
      let probe = Probe { released.add() }
      watch = Watch(
        outer.flatMap { [probe] in
          _ = probe; return inner[$0]
        })
    }
    outer.send(0)
    outer.send(1)
    inner[0].send(5)
    inner[1].fail(.flood)
    inner[0].send(6)
    outer.send(0)
    #expect(watch.entries == ["5", "#flood"])
    #expect(released.value == 1)
  }

  @Test func `the failure of the outer signal ends the result`() {
    let outer = Emitter<Int, Mishap>()
    let inner = Emitter<Int, Mishap>()
    let watch = Watch(outer.flatMap { _ in inner })
    outer.send(0)
    outer.fail(.fire)
    inner.send(1)
    #expect(watch.entries == ["#fire"])
  }

  @Test func `cancelling cancels every inner signal and drops waiting values`() {
    let outer = Emitter<Probe, Never>()
    let inner = Emitter<Int, Never>()
    let released = Counter()
    let watch = Watch(outer.flatMap(maxConcurrent: 1) { _ in inner })
    for _ in 0..<3 { outer.send(Probe { released.add() }) }
    inner.send(1)
    watch.cancel()
    #expect(released.value == 3)
    inner.send(2)
    #expect(watch.entries == ["1"])
  }

  @Test func `cancelling from inside a value stops an inner signal that sends at once`() {
    let outer = Emitter<Int, Never>()
    let watched = Box<Watch>()
    watched.value = Watch(outer.flatMap { _ in (1...).signal }) { value in
      if value == 2 { watched.value?.cancel() }
    }
    outer.send(0)
    #expect(watched.value?.entries == ["1", "2"])
    watched.value = nil
  }

  @Test func `cancelling from inside the closure prevents the subscription to its signal`() {
    let outer = Emitter<Int, Never>()
    let subscribed = Counter()
    let watched = Box<Watch>()
    watched.value = Watch(
      outer.flatMap { _ in
        watched.value?.cancel()
        return DeferredSignal {
          subscribed.add(); return JustSignal(1)
        }
      }
    )
    outer.send(0)
    #expect(watched.value?.entries == [])
    #expect(subscribed.value == 0)
    watched.value = nil
  }

  @Test func `an endless outer signal stops with its subscriber`() {
    #expect(Watch((1...).signal.flatMap { JustSignal($0) }.prefix(3)).entries == ["1", "2", "3", "|"])
  }

  @Test func `an inner value is delivered before the values of the signal that it triggers`() {
    let outer = Emitter<Int, Never>()
    let watch = Watch(outer.flatMap { [$0, $0 + 1].signal }) { value in
      if value < 30, value % 10 == 0 { outer.send(value + 10) }
    }
    outer.send(10)
    #expect(watch.entries == ["10", "11", "20", "21", "30", "31"])
  }

  @Test func `100,000 waiting values with immediately ending signals do not deepen the stack`() {
    let outer = Emitter<Int, Never>()
    let gate = Emitter<Int, Never>()
    let sum = Counter()
    let subscription = outer.flatMap(maxConcurrent: 1) { value in
      value == 0 ? gate.eraseToAnySignal() : .just(1)
    }.sink { sum.add($0) }
    for value in 0...100_000 { outer.send(value) }
    #expect(sum.value == 0)
    gate.finish()
    #expect(sum.value == 100_000)
    withExtendedLifetime(subscription) {}
  }

  @Test func `finished inner signals are released`() {
    let outer = Emitter<Int, Never>()
    let alive = Counter()
    let most = Counter()
    let last = Box<Emitter<Probe, Never>>()
    let subscription = outer.flatMap { _ -> Emitter<Probe, Never> in
      let emitter = Emitter<Probe, Never>()
      last.value = emitter
      return emitter
    }.sink { _ in }
    for value in 0..<100_000 {
      outer.send(value)
      if value % 100 == 0 {
        alive.add()
        last.value?.send(Probe { alive.add(-1) })
        if alive.value > most.value { most.add() }
      }
      last.value?.finish()
    }
    #expect(alive.value == 0)
    #expect(most.value <= 1)
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: 1...5) func `inner signals on several threads lose no value and keep their own order`(seed: Int) {
    let inners = (0..<4).map { _ in Emitter<Int, Never>() }
    let outer = Emitter<Int, Never>()
    let overlaps = Counter()
    let inside = Counter()
    let values = Log<Int>()
    let ended = Counter()
    let subscription = outer.flatMap { inners[$0] }.sink(
      receiveCompletion: { _ in ended.add() },
      receiveValue: { value in
        if inside.add() > 1 { overlaps.add() }
        values.add(value)
        inside.add(-1)
      }
    )
    for index in inners.indices { outer.send(index) }
    outer.finish()
    withThreads(4) { index in
      for value in 0..<5_000 { inners[index].send(index * 100_000 + value) }
      inners[index].finish()
    }
    #expect(overlaps.value == 0)
    #expect(ended.value == 1)
    for index in inners.indices {
      #expect(values.entries.filter { $0 / 100_000 == index } == (0..<5_000).map { index * 100_000 + $0 })
    }
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: [1, 3, Int.max]) func `inner signals that finish on other threads make room for the next`(limit: Int)
  {
    let outer = Emitter<Int, Never>()
    let sum = Counter()
    let ended = Counter()
    let subscription = outer.flatMap(maxConcurrent: limit) { value -> AnySignal<Int, Never> in
      value % 3 == 0 ? .empty() : .from([1, 1])
    }.sink(receiveCompletion: { _ in ended.add() }, receiveValue: { sum.add($0) })
    withThreads(3) { _ in
      for value in 0..<9_000 { outer.send(value) }
    }
    outer.finish()
    #expect(sum.value == 3 * 6_000 * 2)
    #expect(ended.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `the failure of an inner signal cancels the outer one before it is delivered`() {
    let outer = Emitter<Int, Mishap>()
    let inner = Emitter<Int, Mishap>()
    let log = Log<String>()
    let watched = outer.handleEvents(receiveCancel: { log.add("cancelled") })
    let subscription = watched.flatMap { _ in inner }.trace(in: log)
    outer.send(1)
    inner.fail(.fire)
    #expect(log.entries == ["cancelled", "#"])
    withExtendedLifetime(subscription) {}
  }
}
