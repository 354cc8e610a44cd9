import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("CreateSignal", .patient)
struct CreateSignalTests {
  @Test func `values and the completion arrive as the closure sends them`() {
    let marbles = Marbles()
    let created = CreateSignal<String, MarbleFailure> { sink in
      marbles.cold("a-b#").sink(
        receiveCompletion: { sink.send(completion: $0) }, receiveValue: { sink.send($0) }
      )
    }
    #expect(marbles.diagram(of: created) == "a-b#")
    #expect(marbles.diagram(of: created.prefix(1)) == "[a|]")
  }

  @Test func `a closure may send everything inside the subscribing call`() {
    let stopped = Counter()
    let created = CreateSignal<Int, Never> { sink in
      for value in 1...3 { sink.send(value) }
      sink.finish()
      sink.send(4)
      sink.finish()
      return SignalSubscription { stopped.add() }
    }
    #expect(Watch(created).entries == ["1", "2", "3", "|"])
    #expect(stopped.value == 1)
  }

  @Test func `the work is stopped once, however the subscription ends`() {
    let stopped = Counter()
    let sink = Box<SignalSink<Int, Mishap>>()
    let created = CreateSignal<Int, Mishap> {
      sink.value = $0
      return SignalSubscription { stopped.add() }
    }
    let cancelled = Watch(created)
    cancelled.cancel()
    cancelled.cancel()
    sink.value?.finish()
    #expect(stopped.value == 1)
    let finished = Watch(created)
    sink.value?.finish()
    #expect(stopped.value == 2)
    let failed = Watch(created)
    sink.value?.fail(.fire)
    sink.value?.finish()
    #expect(stopped.value == 3)
    #expect([cancelled, finished, failed].map(\.entries) == [[], ["|"], ["#fire"]])
  }

  @Test func `each subscription calls the closure`() {
    let made = Counter()
    let created = CreateSignal<Int, Never> { sink in
      sink.send(made.add())
      return SignalSubscription {}
    }
    let watches = [Watch(created), Watch(created)]
    #expect(watches.map(\.entries) == [["1"], ["2"]])
  }

  @Test func `an endless loop stops when the subscriber needs no more values`() {
    let created = CreateSignal<Int, Never> { sink in
      var value = 0
      while !sink.isDone {
        value += 1
        sink.send(value)
      }
      return SignalSubscription {}
    }
    #expect(Watch(created.prefix(3)).entries == ["1", "2", "3", "|"])
  }

  @Test func `a value sent from inside a delivery follows it`() {
    let sink = Box<SignalSink<Int, Never>>()
    let created = CreateSignal<Int, Never> {
      sink.value = $0
      $0.send(1)
      return SignalSubscription { sink.value = nil }
    }
    let watch = Watch(created) { if $0 < 3 { sink.value?.send($0 + 1) } else { sink.value?.finish() } }
    #expect(watch.entries == ["1", "2", "3", "|"])
    #expect(sink.value == nil)
  }

  @Test func `nothing follows cancelling, and captures are released`() {
    let sink = Box<SignalSink<Int, Never>>()
    let released = Counter()
    let watched = Box<Watch>()
    do {
      let probe = Probe { released.add() }
      let created = CreateSignal<Int, Never> {
        sink.value = $0
        return SignalSubscription {}
      }
      watched.value = Watch(created) { _ in
        probe.touch()
        watched.value?.cancel()
      }
    }
    sink.value?.send(1)
    sink.value?.send(2)
    sink.value?.finish()
    #expect(watched.value?.entries == ["1"])
    #expect(released.value == 1)
    #expect(sink.value?.isDone == true)
    watched.value = nil
  }

  @Test func `the short spellings infer their types`() {
    func watch(_ signal: some Signal<Int, Mishap>) -> [String] { Watch(signal).entries }
    let started: @Sendable (SignalSink<Int, Mishap>) -> SignalSubscription = { sink in
      sink.fail(.fire)
      return SignalSubscription {}
    }
    #expect(watch(.create(started)) == ["#fire"])
    #expect(watch(AnySignal<Int, Mishap>.create(started)) == ["#fire"])
    let pulse = CreateSignal<Void, Never> { sink in
      sink.send()
      return SignalSubscription {}
    }
    #expect(Watch(pulse).entries == ["()"])
  }

  @Test func `sends of many threads are serial, lose nothing, and end once`() {
    for round in 0..<100 {
      let (inside, faults, stopped) = (Counter(), Counter(), Counter())
      let sink = Box<SignalSink<Int, Never>>()
      let created = CreateSignal<Int, Never> {
        sink.value = $0
        return SignalSubscription { stopped.add() }
      }
      let log = Log<Int>()
      let ends = Counter()
      let token = created.sink(
        receiveCompletion: { _ in ends.add() },
        receiveValue: { value in
          if inside.add() > 1 || ends.value > 0 { faults.add() }
          log.add(value)
          inside.add(-1)
        }
      )
      withThreads(4) { thread in
        for step in 0..<50 { sink.value?.send(thread * 100 + step) }
        if round.isMultiple(of: 2) { sink.value?.finish() }
      }
      sink.value?.finish()
      #expect(faults.value == 0)
      #expect(ends.value == 1)
      #expect(stopped.value == 1)
      for thread in 0..<4 {
        let numbers = log.entries.filter { $0 / 100 == thread }
        #expect(numbers == Array((thread * 100..<thread * 100 + 50).prefix(numbers.count)))
        if !round.isMultiple(of: 2) { #expect(numbers.count == 50) }
      }
      withExtendedLifetime(token) {}
    }
  }
}
