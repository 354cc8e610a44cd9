@testable import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("share(replay:)", .patient)
struct ShareTests {
  /// A signal that counts its live subscriptions.
  private func counted(_ source: Emitter<Int, Never>, _ made: Counter, _ live: Counter) -> some Signal<Int, Never> {
    DeferredSignal {
      made.add()
      live.add()
      let probe = Probe { live.add(-1) }
      return source.map { [probe] in
        probe.touch(); return $0
      }
    }
  }

  @Test func `the upstream is subscribed to once, and released when the last subscriber leaves`() {
    let source = Emitter<Int, Never>()
    let (made, live) = (Counter(), Counter())
    let shared = counted(source, made, live).share()
    #expect(made.value == 0)
    let watches = (0..<3).map { _ in Watch(shared) }
    source.send(1)
    #expect(made.value == 1)
    #expect(watches.map(\.entries) == [["1"], ["1"], ["1"]])
    watches[0].cancel()
    watches[2].cancel()
    watches[2].cancel()
    source.send(2)
    #expect(live.value == 1)
    watches[1].cancel()
    #expect(live.value == 0)
    #expect(watches[1].entries == ["1", "2"])
  }

  @Test func `a subscriber that joins after the last one left starts anew, without replay`() {
    let source = Emitter<Int, Never>()
    let (made, live) = (Counter(), Counter())
    let shared = counted(source, made, live).share(replay: 2)
    let first = Watch(shared)
    source.send(1)
    first.cancel()
    source.send(2)
    let second = Watch(shared)
    #expect(second.entries == [])
    source.send(3)
    #expect(second.entries == ["3"])
    #expect(made.value == 2)
    #expect(live.value == 1)
  }

  @Test(arguments: 0...4) func `a late subscriber receives the replayed values, then live ones`(count: Int) {
    for seen in 0...5 {
      let source = Emitter<Int, Never>()
      let shared = source.share(replay: count)
      let first = Watch(shared)
      for value in 0..<seen { source.send(value) }
      let late = Watch(shared)
      source.send(99)
      #expect(late.entries == (0..<seen).suffix(count).map(String.init) + ["99"])
      #expect(first.entries.count == seen + 1)
    }
  }

  @Test func `late subscribers join the running signal`() {
    let marbles = Marbles()
    let shared = marbles.cold("a-b-c|").share(replay: 1)
    let late = marbles.signal("---x").flatMap { _ in shared }
    let keep = Watch(shared)
    #expect(marbles.diagram(of: late, until: 6) == "---bc")
    #expect(keep.entries == ["a", "b", "c", "|"])
  }

  @Test func `after the end, it replays its values and the end without starting anew`() {
    let made = Counter()
    let shared = DeferredSignal { () -> SequenceSignal<[Int], Never> in
      made.add()
      return [1, 2, 3].signal
    }.share(replay: 2)
    #expect(Watch(shared).entries == ["1", "2", "3", "|"])
    #expect(Watch(shared).entries == ["2", "3", "|"])
    #expect(made.value == 1)
  }

  @Test func `a failure reaches all subscribers, including later ones`() {
    let source = Emitter<Int, Mishap>()
    let shared = source.share(replay: 1)
    let watches = [Watch(shared), Watch(shared)]
    source.send(1)
    source.fail(.flood)
    #expect(watches.map(\.entries) == [["1", "#flood"], ["1", "#flood"]])
    #expect(Watch(shared).entries == ["1", "#flood"])
  }

  @Test func `each call of share has its own upstream subscription`() {
    let source = Emitter<Int, Never>()
    let (made, live) = (Counter(), Counter())
    let signal = counted(source, made, live)
    let watches = [Watch(signal.share()), Watch(signal.share())]
    #expect(made.value == 2)
    withExtendedLifetime(watches) {}
  }

  @Test func `subscribing during a delivery begins with the next value, or with the replay`() {
    let source = Emitter<Int, Never>()
    let shared = source.share()
    let inner = Box<Watch>()
    let outer = Watch(shared) { _ in if inner.value == nil { inner.value = Watch(shared) } }
    source.send(1)
    source.send(2)
    #expect(inner.value?.entries == ["2"])
    #expect(outer.entries == ["1", "2"])
  }

  @Test func `the last subscriber to leave during a delivery releases the upstream`() {
    let source = Emitter<Int, Never>()
    let (made, live) = (Counter(), Counter())
    let shared = counted(source, made, live).share(replay: 1)
    let watched = Box<Watch>()
    watched.value = Watch(shared) { _ in watched.value?.cancel() }
    source.send(1)
    source.send(2)
    #expect(watched.value?.entries == ["1"])
    #expect(live.value == 0)
    let again = Watch(shared)
    source.send(3)
    #expect(again.entries == ["3"])
    watched.value = nil
  }

  @Test func `an endless upstream stops with its only subscriber, and starts anew for the next`() {
    let shared = (1...).signal.share(replay: 1)
    #expect(Watch(shared.prefix(2)).entries == ["1", "2", "|"])
    #expect(Watch(shared.prefix(3)).entries == ["1", "2", "3", "|"])
  }

  @Test func `two shared signals that feed each other do not deadlock`() {
    for round in 0..<50 {
      let sources = [Emitter<Int, Never>(), Emitter<Int, Never>()]
      let shared = sources.map { $0.share(replay: 1) }
      let limit = 200
      let counts = [Counter(), Counter()]
      let subscriptions = (0..<2).map { index in
        shared[index].sink { value in
          counts[index].add()
          if value < limit { sources[1 - index].send(value + 1) }
        }
      }
      withThreads(2) { index in
        sources[index].send(0)
        _ = Watch(shared[1 - index]).entries
      }
      #expect(counts[0].value + counts[1].value == 2 * (limit + 1), "in round \(round)")
      withExtendedLifetime(subscriptions) {}
    }
  }

  @Test(arguments: 1...5)
  func `joining during sends misses no value and repeats none`(seed: Int) {
    let source = Emitter<Int, Never>()
    let (made, live) = (Counter(), Counter())
    let shared = counted(source, made, live).share(replay: 3)
    let first = Watch(shared)
    let logs = Log<[Int]>()
    withThreads(3) { index in
      if index == 0 {
        for value in 0..<20_000 { source.send(value) }
      } else {
        for _ in 0..<50 {
          let seen = Log<Int>()
          let subscription = shared.sink { seen.add($0) }
          for _ in 0..<100 where seen.entries.count < 10 { continue }
          subscription.cancel()
          logs.add(seen.entries)
        }
      }
    }
    #expect(made.value == 1)
    for seen in logs.entries {
      guard let start = seen.first else { continue }
      #expect(seen == Array(start..<start + seen.count))
    }
    #expect(first.entries == (0..<20_000).map(String.init))
  }

  @Test func `concurrent joining and leaving keeps at most one upstream, and none in the end`() {
    let source = Emitter<Int, Never>()
    let (made, live) = (Counter(), Counter())
    let shared = counted(source, made, live).share(replay: 1)
    withThreads(4) { index in
      for value in 0..<2_000 {
        let subscription = shared.sink { _ in }
        if index == 0 { source.send(value) }
        subscription.cancel()
      }
    }
    #expect(live.value == 0)
    let watch = Watch(shared)
    #expect(live.value == 1)
    source.send(5)
    #expect(watch.entries.last == "5")
  }

  @Test func `a subscriber that joins while the others complete is not lost`() {
    let shared = SharedSignal(upstream: (1...).signal, replay: 0, disconnection: .immediately)
    let questions = Counter()
    let joined = Box<ShareRound<SequenceSignal<PartialRangeFrom<Int>, Never>>>()
    let late = Box<SignalSubscription>()
    let log = Log<Int>()
    let arrive: @Sendable () -> Void = {
      guard late.value == nil, let round = joined.value else { return }
      late.value = round.core.subscribe(Taker(log: log))
      shared.admit(to: round)
    }
    let sated = Sated(
      onQuestion: {
        // Joins during one demand check, and subscribes only during a later one.
        if questions.add() == 1 { joined.value = shared.join().round } else { arrive() }
        return joined.value != nil && late.value != nil
      },
      onValue: { if $0 == 2 { arrive() } }
    )
    let subscription = shared.subscribe(sated)
    #expect(log.entries == [3, 4])
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: [false, true])
  func `the captures of closures upstream are released at the end, even if tokens are kept`(isShared: Bool) {
    let source = Emitter<Int, Never>()
    let released = Counter()
    let kept: (AnySignal<Int, Never>?, SignalSubscription)
    do {
      let probe = Probe { released.add() }
      let shared = source.map { [probe] value in
        probe.touch()
        return value
      }.eraseToAnySignal().share(replay: 1)
      kept = (isShared ? shared.eraseToAnySignal() : nil, shared.sink { _ in })
    }
    source.send(1)
    #expect(released.value == 0)
    source.finish()
    #expect(released.value == 1)
    if let shared = kept.0 { #expect(Watch(shared).entries == ["1", "|"]) }
    withExtendedLifetime(kept) {}
  }
}

/// A subscriber that calls a closure at each check of its demand.
private struct Sated: SignalSubscriber {
  let onQuestion: @Sendable () -> Bool
  let onValue: @Sendable (Int) -> Void

  func receive(_ value: Int) { onValue(value) }
  func receive(completion: SignalCompletion<Never>) {}
  var isDone: Bool { onQuestion() }
}

/// A subscriber that accepts two values.
private struct Taker: SignalSubscriber {
  let log: Log<Int>

  func receive(_ value: Int) { log.add(value) }
  func receive(completion: SignalCompletion<Never>) {}
  var isDone: Bool { log.entries.count >= 2 }
}
