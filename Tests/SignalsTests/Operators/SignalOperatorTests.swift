import Signals
import TestSupport
import Testing

@Suite("Operators of one's own")
struct SignalOperatorTests {
  @Test func `each subscription has a state of its own`() {
    let pairs = (1...4).signal.lift(Every(step: 2))
    #expect(pairs.traced == ["2", "4", "|"])
    #expect(pairs.traced == ["2", "4", "|"])
  }

  @Test func `an operator may send a completion before it receives one, and cancels the signal before it`() {
    let cancelled = Log<String>()
    let source = Emitter<Int, Never>()
    let log = Log<String>()
    let subscription = source.handleEvents(receiveCancel: { cancelled.add("cancelled") })
      .lift(UntilZero()).trace(in: log)
    for number in [2, 1, 0, 3] { source.send(number) }
    #expect(log.entries == ["2", "1", "|"])
    #expect(cancelled.entries == ["cancelled"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `nothing follows the completion, even from a signal that does not ask whether it should stop`() {
    #expect(Stubborn().lift(UntilZero()).traced == ["1", "|"])
  }

  @Test func `nothing follows the completion, even from an operator that goes on to send`() {
    #expect((1...5).signal.lift(Careless(limit: 3)).traced == ["1", "2", "|"])
  }

  @Test func `of several values for one, none follows a cancellation`() {
    let source = Emitter<Int, Never>()
    let log = Log<Int>()
    let token = Box<SignalSubscription>()
    token.value = source.lift(Twice()).sink {
      log.add($0)
      token.value?.cancel()
    }
    source.send(1)
    #expect(log.entries == [1])
  }

  @Test func `a completion at the beginning prevents the subscription`() {
    let subscriptions = Log<String>()
    let source = (1...3).signal.handleEvents(receiveSubscription: { subscriptions.add("subscribed") })
    #expect(source.lift(Nothing()).traced == ["|"])
    #expect(subscriptions.entries.isEmpty)
  }

  @Test func `it is told of a cancellation before it sends the rest`() {
    let source = Emitter<Int, Never>()
    let log = Log<Int>()
    let token = Box<SignalSubscription>()
    token.value = source.lift(Hoard()).sink {
      log.add($0)
      token.value?.cancel()
    }
    for number in 1...3 { source.send(number) }
    source.finish()
    #expect(log.entries == [1])
  }

  @Test(arguments: [false, true]) func `values that wait are released with the subscription, even if its token is kept`(
    isCancelled: Bool
  ) {
    let source = Emitter<Probe, Mishap>()
    let released = Counter()
    let token = source.lift(Hoard()).sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    source.send(Probe { released.add() })
    #expect(released.value == 0)
    if isCancelled { token.cancel() } else { source.fail(.fire) }
    #expect(released.value == 1)
    withExtendedLifetime(token) {}
  }

  @Test func `a trace has the name of its type`() async {
    let source = Emitter<Int, Never>()
    let subscription = source.lift(Every(step: 2)).filter { $0 > 0 }.lift(UntilZero()).sink { _ in }
    #expect(await source.subscriptions().map(\.steps) == [["every", "filter", "untilZero", "sink"]])
    withExtendedLifetime(subscription) {}
  }
}

private struct Every<Input: Sendable, Failure: Error>: SignalOperator {
  static var endsSignal: Bool { false }
  let step: Int

  func makeState() -> Int { 0 }

  func receive(_ value: Input, state: inout Int, next: some SignalSubscriber<Input, Failure>) {
    state += 1
    if state.isMultiple(of: step) { next.receive(value) }
  }
}

private struct UntilZero<Failure: Error>: SignalOperator {
  func receive(_ value: Int, state: inout Void, next: some SignalSubscriber<Int, Failure>) {
    if value == 0 { next.receive(completion: .finished) } else { next.receive(value) }
  }
}

/// Sends the value that reaches the limit, too, although it has ended the signal.
private struct Careless<Failure: Error>: SignalOperator {
  let limit: Int

  func receive(_ value: Int, state: inout Void, next: some SignalSubscriber<Int, Failure>) {
    if value >= limit { next.receive(completion: .finished) }
    next.receive(value)
  }
}

/// Sends each value twice.
private struct Twice<Input: Sendable, Failure: Error>: SignalOperator {
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Input, Failure>) {
    for _ in 1...2 { next.receive(value) }
  }
}

private struct Nothing<Input: Sendable, Failure: Error>: SignalOperator {
  func begin(state: inout Void, next: some SignalSubscriber<Input, Failure>) {
    next.receive(completion: .finished)
  }

  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Input, Failure>) {
    next.receive(value)
  }
}

/// Keeps all values until the end.
private struct Hoard<Input: Sendable, Failure: Error>: SignalOperator {
  func makeState() -> [Input] { [] }

  func receive(_ value: Input, state: inout [Input], next: some SignalSubscriber<Input, Failure>) {
    state.append(value)
  }

  func receive(
    completion: SignalCompletion<Failure>, state: inout [Input], next: some SignalSubscriber<Input, Failure>
  ) {
    for value in state where !next.isDone { next.receive(value) }
    next.receive(completion: completion)
  }
}

/// A signal that sends everything it has.
private struct Stubborn: Signal {
  typealias Element = Int
  typealias Failure = Never

  func subscribe(_ subscriber: some SignalSubscriber<Int, Never>) -> SignalSubscription {
    for number in [1, 0, 2] { subscriber.receive(number) }
    subscriber.receive(completion: .finished)
    return SignalSubscription {}
  }
}
