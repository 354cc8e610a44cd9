import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("flatMapFirst", .patient)
struct FlatMapFirstTests {
  @Test func `values are dropped while an inner signal is active`() {
    let marbles = Marbles()
    let outer = marbles.signal("ab-c-d----|")
    let flat = outer.flatMapFirst { name in marbles.cold("1-2|").map { name + $0 } }
    #expect(marbles.diagram(of: flat) == "'a1'-'a2'--'d1'-'d2'--|")
  }

  @Test func `it finishes when the outer signal and the active inner signal have finished`() {
    let marbles = Marbles()
    let inner = ["a": "--1-2|", "b": "--3|"]
    #expect(marbles.diagram(of: marbles.signal("a-b|").flatMapFirst { marbles.cold(inner[$0] ?? "#") }) == "--1-2|")
    #expect(Watch([Int]().signal.flatMapFirst { JustSignal($0) }).entries == ["|"])
  }

  @Test func `it fails with the outer or the inner signal`() {
    let marbles = Marbles()
    #expect(marbles.diagram(of: marbles.signal("a-#").flatMapFirst { _ in marbles.cold("-x---|") }) == "-x#")
    #expect(marbles.diagram(of: marbles.signal("a----|").flatMapFirst { _ in marbles.cold("-x#") }) == "-x#")
  }

  @Test func `an inner signal that finishes at once lets the next value through`() {
    #expect(Watch([1, 2, 3].signal.flatMapFirst { JustSignal($0) }).entries == ["1", "2", "3", "|"])
    let deep = (1...100_000).signal.flatMapFirst { JustSignal($0) }.count()
    #expect(Watch(deep).entries == ["100000", "|"])
  }

  @Test func `an infallible signal can produce fallible ones`() {
    let flat = [1, 2, 3].signal.flatMapFirst { $0 < 2 ? AnySignal<Int, Mishap>.just($0) : .fail(.fire) }
    #expect(Watch(flat).entries == ["1", "#fire"])
  }

  @Test func `a value sent from inside the closure or an inner delivery is dropped`() {
    let outer = Emitter<Int, Never>()
    let inner = Emitter<Int, Never>()
    let made = Counter()
    let watch = Watch(
      outer.flatMapFirst { value in
        made.add()
        if value == 1 { outer.send(2) }
        return inner
      }
    ) { _ in outer.send(3) }
    outer.send(1)
    inner.send(9)
    #expect(watch.entries == ["9"])
    #expect(made.value == 1)
  }

  @Test func `cancelling cancels the inner signal and releases the closure`() {
    let outer = Emitter<Int, Never>()
    let inner = Emitter<Int, Never>()
    let released = Counter()
    let watch: Watch
    do {
      let probe = Probe { released.add() }
      watch = Watch(
        outer.flatMapFirst { _ in
          probe.touch()
          return inner
        }
      )
    }
    outer.send(1)
    watch.cancel()
    #expect(inner.subscriberCount == 0)
    #expect(outer.subscriberCount == 0)
    #expect(released.value == 1)
  }

  @Test func `at most one inner signal is active, whatever threads send`() {
    for _ in 0..<100 {
      let outer = Emitter<Int, Never>()
      let (active, faults) = (Counter(), Counter())
      let watch = Watch(
        outer.flatMapFirst { value in
          if active.add() > 1 { faults.add() }
          return JustSignal(value).handleEvents(receiveCompletion: { _ in active.add(-1) })
        }
      )
      withThreads(3) { thread in
        for step in 0..<30 { outer.send(thread * 100 + step) }
      }
      outer.finish()
      #expect(faults.value == 0)
      #expect(watch.entries.last == "|")
      #expect(watch.entries.count > 1)
    }
  }
}
