import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("Operators on failures")
struct FailureOperatorTests {
  // MARK: mapError, replaceError

  @Test func `mapError passes values and the end, and replaces the failure`() {
    let failing = Emitter<Int, Mishap>()
    let watch = Watch(failing.mapError { _ in Mishap.flood })
    failing.send(1)
    failing.fail(.fire)
    failing.send(2)
    #expect(watch.entries == ["1", "#flood"])
    #expect(Watch(AnySignal<Int, Mishap>.just(1).mapError { _ in Mishap.flood }).entries == ["1", "|"])
  }

  @Test func `replaceError sends the value and finishes`() {
    let marbles = Marbles()
    #expect(marbles.diagram(of: marbles.signal("a-b#").replaceError(with: "z")) == "a-b[z|]")
    #expect(marbles.diagram(of: marbles.cold("a-b|").replaceError(with: "z")) == "a-b|")
  }

  @Test func `cancelling during the replacement value suppresses the end`() {
    let source = Emitter<Int, Mishap>()
    let watched = Box<Watch>()
    watched.value = Watch(source.replaceError(with: 9)) { _ in watched.value?.cancel() }
    source.fail(.fire)
    #expect(watched.value?.entries == ["9"])
    watched.value = nil
  }

  @Test func `a subscriber that accepts no more values does not receive the replacement`() {
    #expect(Watch(AnySignal<Int, Mishap>.fail(.fire).replaceError(with: 1).prefix(1)).entries == ["1", "|"])
  }

  // MARK: catch

  @Test func `catch continues with the other signal after a failure`() {
    let marbles = Marbles()
    let first = marbles.signal("ab-#")
    let second = marbles.cold("-c-d|")
    #expect(marbles.diagram(of: first.catch { _ in second }) == "ab--c-d|")
  }

  @Test func `catch fails only if the replacement fails`() {
    let watch = Watch(AnySignal<Int, Mishap>.fail(.fire).catch { _ in AnySignal<Int, Mishap>.fail(.flood) })
    #expect(watch.entries == ["#flood"])
  }

  @Test func `catch does not call the handler when the signal finishes`() {
    let calls = Counter()
    let watch = Watch(
      [1, 2].signal.setFailureType(to: Mishap.self).catch { _ in
        calls.add()
        return JustSignal(3)
      }
    )
    #expect(watch.entries == ["1", "2", "|"])
    #expect(calls.value == 0)
  }

  @Test func `cancelling a caught signal cancels the replacement and releases its captures`() {
    let failing = Emitter<Int, Mishap>()
    let other = Emitter<Int, Never>()
    let released = Counter()
    let watch: Watch
    do {
      let probe = Probe { released.add() }
      watch = Watch(
        failing.catch { _ in other }.map { [probe] in
          _ = probe; return $0
        })
    }
    failing.fail(.fire)
    other.send(1)
    watch.cancel()
    other.send(2)
    #expect(watch.entries == ["1"])
    #expect(released.value == 1)
  }

  @Test func `cancelling during a replacement that sends at once stops it`() {
    let failing = Emitter<Int, Mishap>()
    let replay = Emitter<Int, Never>(replay: 3)
    for value in 1...3 { replay.send(value) }
    let watched = Box<Watch>()
    watched.value = Watch(failing.catch { _ in replay }) { _ in watched.value?.cancel() }
    failing.fail(.fire)
    #expect(watched.value?.entries == ["1"])
    watched.value = nil
  }

  @Test func `an endless replacement stops with its subscriber`() {
    let failing = AnySignal<Int, Mishap>.fail(.fire)
    #expect(Watch(failing.catch { _ in (1...).signal }.prefix(2)).entries == ["1", "2", "|"])
  }

  // MARK: retry

  /// A signal that sends the number of its attempt, and fails while that is below `success`.
  private func attempts(until success: Int, counter: Counter = Counter()) -> some Signal<Int, Mishap> {
    DeferredSignal {
      let attempt = counter.add()
      let end: AnySignal<Int, Mishap> = attempt < success ? .fail(.fire) : .empty()
      return AnySignal<Int, Mishap>.just(attempt).append(end)
    }
  }

  @Test func `retry subscribes again after each failure`() {
    let watch = Watch(attempts(until: 3).retry(5))
    #expect(watch.entries == ["1", "2", "3", "|"])
  }

  @Test func `retry passes the last failure when no attempt is left`() {
    #expect(Watch(attempts(until: 9).retry(2)).entries == ["1", "2", "3", "#fire"])
    #expect(Watch(attempts(until: 9).retry(0)).entries == ["1", "#fire"])
    #expect(Watch(attempts(until: 9).retry(-1)).entries == ["1", "#fire"])
  }

  @Test func `retry passes a failure that its condition rejects`() {
    let counter = Counter()
    let watch = Watch(attempts(until: 9, counter: counter).retry { _ in counter.value < 2 })
    #expect(watch.entries == ["1", "2", "#fire"])
  }

  @Test func `100,000 immediate failures do not deepen the stack`() {
    let counter = Counter()
    let failing = DeferredSignal { () -> AnySignal<Int, Mishap> in
      counter.add() <= 100_000 ? .fail(.fire) : .just(7)
    }
    #expect(Watch(failing.retry()).entries == ["7", "|"])
    #expect(counter.value == 100_001)
  }

  @Test func `retry on a clock begins at the moment of the failure`() {
    let marbles = Marbles()
    #expect(marbles.diagram(of: marbles.cold("a-#").retry(2)) == "a-a-a-#")
  }

  @Test func `each subscription counts its own retries`() {
    let signal = AnySignal<Int, Mishap>.just(1).append(AnySignal<Int, Mishap>.fail(.fire)).retry(1)
    #expect(Watch(signal).entries == ["1", "1", "#fire"])
    #expect(Watch(signal).entries == ["1", "1", "#fire"])
  }

  @Test func `cancelling between attempts prevents the next one`() {
    let counter = Counter()
    let source = Box(Emitter<Int, Mishap>())
    let signal = DeferredSignal { () -> Emitter<Int, Mishap> in
      counter.add()
      let emitter = Emitter<Int, Mishap>()
      source.value = emitter
      return emitter
    }
    let watched = Box<Watch>()
    watched.value = Watch(
      signal.retry { _ in
        watched.value?.cancel()
        return true
      }
    )
    source.value?.send(1)
    source.value?.fail(.fire)
    #expect(watched.value?.entries == ["1"])
    #expect(counter.value == 1)
    watched.value = nil
  }

  @Test func `cancelling a retried signal releases its chain`() {
    let source = Emitter<Int, Mishap>()
    let released = Counter()
    let watch: Watch
    do {
      let probe = Probe { released.add() }
      watch = Watch(
        source.retry().map { [probe] in
          _ = probe; return $0
        })
    }
    source.send(1)
    watch.cancel()
    #expect(released.value == 1)
    #expect(watch.entries == ["1"])
  }
}
