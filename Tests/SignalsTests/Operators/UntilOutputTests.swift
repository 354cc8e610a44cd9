import Signals
import TestSupport
import Testing

@Suite("prefix and drop until another signal sends", .patient)
struct UntilOutputTests {
  @Test func `prefix ends with the other signal's first value, and cancels both`() {
    let values = Emitter<Int, Never>()
    let other = Emitter<String, Mishap>()
    let log = Log<String>()
    let subscription =
      values.handleEvents(receiveCancel: { log.add("values cancelled") })
      .prefix(untilOutputFrom: other.handleEvents(receiveCancel: { log.add("other cancelled") }))
      .trace(in: log)
    values.send(1)
    values.send(2)
    other.send("stop")
    values.send(3)
    #expect(log.entries.prefix(2) == ["1", "2"])
    #expect(Set(log.entries.dropFirst(2).dropLast()) == ["values cancelled", "other cancelled"])
    #expect(log.entries.last == "|")
    withExtendedLifetime(subscription) {}
  }

  @Test func `prefix continues when the other signal ends without a value`() {
    for isFailure in [false, true] {
      let values = Emitter<Int, Never>()
      let other = Emitter<String, Mishap>()
      let log = Log<String>()
      let subscription = values.prefix(untilOutputFrom: other).trace(in: log)
      other.send(completion: isFailure ? .failure(.fire) : .finished)
      values.send(1)
      values.finish()
      #expect(log.entries == ["1", "|"])
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func `prefix does not subscribe when the other signal sends at once`() {
    let log = Log<String>()
    let watched = NeverSignal<Int, Never>().handleEvents(receiveSubscription: { log.add("subscribed") })
    let subscription = watched.prefix(untilOutputFrom: MutableProperty(0)).trace(in: log)
    #expect(log.entries == ["|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `drop passes values after the other signal's first one, and cancels that signal`() {
    let values = Emitter<Int, Never>()
    let other = Emitter<String, Never>()
    let log = Log<String>()
    let subscription =
      values.drop(untilOutputFrom: other.handleEvents(receiveCancel: { log.add("other cancelled") })).trace(in: log)
    values.send(1)
    other.send("go")
    values.send(2)
    other.send("go")
    other.finish()
    values.send(3)
    values.finish()
    #expect(log.entries == ["other cancelled", "2", "3", "|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `drop ends when the other signal ends without a value`() {
    let log = Log<String>()
    let values = Emitter<Int, Mishap>()
    let tokens = [
      values.drop(untilOutputFrom: EmptySignal<Int, Mishap>()).trace(in: log),
      values.drop(untilOutputFrom: FailSignal<Int, Mishap>(.fire)).trace(in: log),
    ]
    values.send(1)
    #expect(log.entries == ["|", "#"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `drop begins at once when the other signal sends at once`() {
    #expect((1...3).signal.drop(untilOutputFrom: .just(())).traced == ["1", "2", "3", "|"])
    #expect((1...3).signal.drop(untilOutputFrom: NeverSignal<Void, Never>()).traced == ["|"])
  }

  @Test func `an endless sequence upstream can be stopped`() {
    let never = Emitter<Void, Never>()
    #expect((1...).signal.prefix(untilOutputFrom: never).prefix(2).traced == ["1", "2", "|"])
    #expect((1...).signal.drop(untilOutputFrom: .just(())).prefix(2).traced == ["1", "2", "|"])
    #expect(never.prefix(untilOutputFrom: (1...).signal).traced == ["|"])
    #expect([1].signal.drop(untilOutputFrom: (1...).signal).traced == ["1", "|"])
  }

  @Test func `the other signal may send from inside a callback`() {
    let values = Emitter<Int, Never>()
    let stop = Emitter<Void, Never>()
    let log = Log<String>()
    let subscription = values.prefix(untilOutputFrom: stop).sink(
      receiveCompletion: { _ in log.add("|") },
      receiveValue: { value in
        log.add("\(value)")
        values.send(value + 1)
        if value == 3 { stop.send() }
      }
    )
    values.send(1)
    #expect(log.entries == ["1", "2", "3", "|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `cancelling releases both inputs`() {
    let values = Emitter<Int, Never>()
    let other = Emitter<Int, Never>()
    let released = Counter()
    let tokens: [SignalSubscription]
    do {
      let probe = Probe { released.add() }
      tokens = [
        values.prefix(untilOutputFrom: other).sink { _ in probe.touch() },
        values.drop(untilOutputFrom: other).sink { _ in probe.touch() },
      ]
    }
    values.send(1)
    for token in tokens { token.cancel() }
    #expect(released.value == 1)
    withExtendedLifetime((values, other)) {}
  }

  @Test func `two racing threads produce one end and nothing after it`() {
    for _ in 0..<50 {
      let values = Emitter<Int, Never>()
      let stop = Emitter<Void, Never>()
      let log = Log<String>()
      let subscription = values.prefix(untilOutputFrom: stop).trace(in: log)
      withThreads(2) { thread in
        if thread == 0 {
          for value in 0..<100 { values.send(value) }
        } else {
          stop.send()
        }
      }
      #expect(log.entries.last == "|")
      #expect(log.entries.dropLast() == (0..<log.entries.count - 1).map { "\($0)" }[...])
      withExtendedLifetime(subscription) {}
    }
  }
}
