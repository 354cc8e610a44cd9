import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("race", .patient)
struct RaceTests {
  @Test func `the first signal to send wins, and the others are cancelled`() {
    let marbles = Marbles()
    let slow = marbles.signal("--a--b|")
    let fast = marbles.signal("-x---y-z|")
    #expect(marbles.diagram(of: race(slow, fast)) == "-x---y-z|")
    let cancelled = Counter()
    let first = Emitter<Int, Mishap>()
    let second = Emitter<Int, Mishap>()
    let watch = Watch(race([first, second].map { CancelWatch(base: $0) { cancelled.add() } }))
    second.send(1)
    #expect(cancelled.value == 1)
    #expect(first.subscriberCount == 0)
    first.send(2)
    first.fail(.fire)
    second.send(3)
    second.finish()
    #expect(watch.entries == ["1", "3", "|"])
  }

  @Test func `a signal wins by finishing or failing first`() {
    let marbles = Marbles()
    #expect(marbles.diagram(of: race(marbles.cold("--a|"), marbles.cold("-|"))) == "-|")
    #expect(marbles.diagram(of: race(marbles.cold("--a|"), marbles.cold("-#"))) == "-#")
    #expect(marbles.diagram(of: race(marbles.cold("-a#"), marbles.cold("--#"))) == "-a#")
  }

  @Test func `signals after one that sends at once are not subscribed to`() {
    let asked = Counter()
    let late = DeferredSignal {
      asked.add()
      return JustSignal(2)
    }
    #expect(Watch(race(JustSignal(1), late)).entries == ["1", "|"])
    #expect(Watch(race((1...).signal, late).prefix(2)).entries == ["1", "2", "|"])
    #expect(asked.value == 0)
  }

  @Test func `a race without signals finishes, and a race of one is that signal`() {
    #expect(Watch(race([JustSignal<Int, Never>]())).entries == ["|"])
    #expect(Watch(race([[1, 2].signal])).entries == ["1", "2", "|"])
  }

  @Test func `cancelling cancels all signals and releases the subscriber`() {
    let signals = [Emitter<Int, Never>(), Emitter<Int, Never>()]
    let released = Counter()
    let token: SignalSubscription
    do {
      let probe = Probe { released.add() }
      token = race(signals).sink { _ in probe.touch() }
    }
    token.cancel()
    #expect(released.value == 1)
    #expect(signals.map(\.subscriberCount) == [0, 0])
  }

  @Test func `the winner may be cancelled during its first value`() {
    let signals = [Emitter<Int, Never>(), Emitter<Int, Never>()]
    let watched = Box<Watch>()
    watched.value = Watch(race(signals)) { _ in watched.value?.cancel() }
    signals[1].send(1)
    for signal in signals { signal.send(2) }
    #expect(watched.value?.entries == ["1"])
    #expect(signals.map(\.subscriberCount) == [0, 0])
    watched.value = nil
  }

  @Test func `only the winner's values arrive, in order, whatever threads send`() {
    for _ in 0..<200 {
      let signals = (0..<3).map { _ in Emitter<Int, Never>() }
      let watch = Watch(race(signals))
      withThreads(3) { thread in
        for step in 0..<20 { signals[thread].send(thread * 100 + step) }
      }
      let numbers = watch.entries.compactMap { Int($0) }
      let winner = (numbers.first ?? 0) / 100
      #expect(numbers == Array(winner * 100..<winner * 100 + 20))
    }
  }
}
