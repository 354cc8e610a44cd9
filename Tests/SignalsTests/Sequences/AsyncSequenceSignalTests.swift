import Signals
import Synchronization
import TestSupport
import Testing

@Suite("AsyncSequence.signal", .patient)
struct AsyncSequenceSignalTests {
  @Test func `all elements are sent in order, and then the end`() async {
    let (stream, input) = AsyncStream<Int>.makeStream()
    for number in 0..<10_000 { input.yield(number) }
    input.finish()
    var numbers: [Int] = []
    for await number in stream.signal.values { numbers.append(number) }
    #expect(numbers == Array(0..<10_000))
  }

  @Test func `a sequence's failure becomes the signal's, with its own type`() async {
    let source = Emitter<Int, Mishap>(replay: 1)
    source.send(1)
    source.fail(.flood)
    let signal: some Signal<Int, Mishap> = source.values.signal
    var iterator = signal.values.makeAsyncIterator()
    do throws(Mishap) {
      #expect(try await iterator.next() == 1)
      _ = try await iterator.next()
      Issue.record("The failure was not delivered")
    } catch {
      #expect(error == .flood)
    }
  }

  @Test func `no element produced after the subscribing call is missed`() async {
    let source = Emitter<Int, Never>()
    let log = Log<Int>()
    let ended = Emitter<Void, Never>(replay: 1)
    let subscription = source.values.signal.sink(
      receiveCompletion: { _ in ended.send() },
      receiveValue: { log.add($0) }
    )
    for number in 1...100 { source.send(number) }
    source.finish()
    _ = await ended.firstValue()
    #expect(log.entries == Array(1...100))
    withExtendedLifetime(subscription) {}
  }

  @Test func `each subscription iterates anew`() async {
    let signal = Countdown(from: 3).signal
    for _ in 1...2 {
      var numbers: [Int] = []
      for await number in signal.values { numbers.append(number) }
      #expect(numbers == [3, 2, 1])
    }
  }

  @Test func `cancelling ends the task, and no callback follows`() async {
    let (stream, input) = AsyncStream<Int>.makeStream()
    let isOver = Emitter<Void, Never>(replay: 1)
    input.onTermination = { _ in isOver.send() }
    let first = Emitter<Int, Never>(replay: 1)
    let log = Log<Int>()
    let released = Counter()
    let subscription: SignalSubscription
    do {
      let probe = Probe { released.add() }
      subscription = stream.signal.sink { value in
        probe.touch()
        log.add(value)
        first.send(value)
      }
    }
    input.yield(1)
    _ = await first.firstValue()
    subscription.cancel()
    input.yield(2)
    _ = await isOver.firstValue()
    #expect(log.entries == [1])
    #expect(released.value == 1)
  }

  @Test func `releasing the token cancels`() async {
    let (stream, input) = AsyncStream<Int>.makeStream()
    let isOver = Emitter<Void, Never>(replay: 1)
    input.onTermination = { _ in isOver.send() }
    _ = stream.signal.sink { _ in }
    _ = await isOver.firstValue()
  }

  @Test func `a subscriber that accepts no more values ends the task`() async {
    let (stream, input) = AsyncStream<Int>.makeStream()
    let isOver = Emitter<Void, Never>(replay: 1)
    input.onTermination = { _ in isOver.send() }
    let log = Log<Int>()
    let subscription = stream.signal.prefix(2).sink { log.add($0) }
    for number in 1...5 { input.yield(number) }
    _ = await isOver.firstValue()
    #expect(log.entries == [1, 2])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a sequence that ignores cancellation is abandoned`() async {
    let asked = Emitter<Void, Never>(replay: 1)
    let released = Emitter<Void, Never>(replay: 1)
    let subscription = Endless(asked: asked, probe: Probe { released.send() }).signal.sink { _ in }
    _ = await asked.firstValue()
    subscription.cancel()
    _ = await released.firstValue()
  }

  @Test func `a subscriber may cancel in its own callback and receives nothing more`() async {
    let (stream, input) = AsyncStream<Int>.makeStream()
    let isOver = Emitter<Void, Never>(replay: 1)
    input.onTermination = { _ in isOver.send() }
    let log = Log<Int>()
    let subscription = Box<SignalSubscription>()
    subscription.value = stream.signal.sink { value in
      log.add(value)
      subscription.value?.cancel()
    }
    for number in 1...5 { input.yield(number) }
    _ = await isOver.firstValue()
    #expect(log.entries == [1])
  }

  @Test func `no value follows the return of cancel, wherever the task is`() async {
    for _ in 0..<500 {
      let isCancelled = Atomic<Bool>(false)
      let late = Atomic<Int>(0)
      let started = Emitter<Void, Never>(replay: 1)
      let box = Box<SignalSubscription>()
      let subscription = (0..<1_000).asynchronous.signal.sink { _ in
        // The subscription was cancelled on this very thread, during the burst.
        if isCancelled.load(ordering: .relaxed) { late.add(1, ordering: .relaxed) }
        if let token = box.value {
          token.cancel()
          isCancelled.store(true, ordering: .relaxed)
        }
        started.send()
      }
      box.value = subscription
      _ = await started.firstValue()
      subscription.cancel()
      #expect(late.load(ordering: .relaxed) == 0)
    }
  }
}

private struct Countdown: AsyncSequence, Sendable {
  let start: Int

  init(from start: Int) {
    self.start = start
  }

  struct Iterator: AsyncIteratorProtocol {
    var rest: Int

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      if rest == 0 { return nil }
      rest -= 1
      return rest + 1
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(rest: start) }
}

/// An endless sequence of ones that ignores cancellation.
private struct Endless: AsyncSequence, Sendable {
  let asked: Emitter<Void, Never>
  let probe: Probe

  struct Iterator: AsyncIteratorProtocol {
    let asked: Emitter<Void, Never>
    let probe: Probe

    mutating func next(isolation actor: isolated (any Actor)?) async -> Int? {
      asked.send()
      return 1
    }
  }

  func makeAsyncIterator() -> Iterator { Iterator(asked: asked, probe: probe) }
}

extension Range<Int> {
  fileprivate var asynchronous: AsyncStream<Int> {
    AsyncStream { input in
      for number in self { input.yield(number) }
      input.finish()
    }
  }
}
