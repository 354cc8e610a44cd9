import Dispatch
import Signals
import SignalsTesting
import TestSupport
import Testing

@Suite("Live subscriptions", .patient)
struct SubscriptionTraceTests {
  @Test func `counts live subscriptions`() {
    let emitter = Emitter<Int, Never>()
    let replaying = Emitter<Int, Never>(replay: 2)
    let property = MutableProperty(1)
    #expect([emitter.subscriberCount, replaying.subscriberCount, property.subscriberCount] == [0, 0, 0])
    let subscriptions = [
      emitter.sink { _ in }, emitter.sink { _ in }, replaying.sink { _ in }, property.sink { _ in },
    ]
    #expect([emitter.subscriberCount, replaying.subscriberCount, property.subscriberCount] == [2, 1, 1])
    for subscription in subscriptions { subscription.cancel() }
    #expect([emitter.subscriberCount, replaying.subscriberCount, property.subscriberCount] == [0, 0, 0])
    replaying.finish()
    #expect(replaying.subscriberCount == 0)
  }

  @Test func `lists live subscriptions in order, with their operators and names`() async {
    let emitter = Emitter<Int, Never>()
    let first = emitter.map { $0 + 1 }.named("next").filter { $0 > 0 }.sink { _ in }
    let second = emitter.scan(0, +).removeDuplicates().sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    let third = emitter.eraseToAnySignal().map { $0 }.sink { _ in }
    #expect(
      await emitter.subscriptions().map(\.description) == [
        "map → \"next\" → filter → sink", "scan → removeDuplicates → sink", "map → sink",
      ]
    )
    #expect(await emitter.subscriptions()[0].names == ["next"])
    second.cancel()
    #expect(await emitter.subscriptions().count == 2)
    withExtendedLifetime((first, third)) {}
  }

  @Test func `follows signals that are combined, delayed or delivered elsewhere`() async {
    let left = MutableProperty(1)
    let right = MutableProperty(2)
    let merged = merge(left.map { $0 }, right.named("right")).sink { _ in }
    let combined = left.combineLatest(right).sink { _ in }
    let debounced = left.debounce(for: .seconds(100)).sink { _ in }
    let elsewhere = left.receive(on: .global()).map { $0 }.sink { _ in }
    #expect(
      Set(await left.subscriptions().map(\.description)) == [
        "map → merge → sink", "combineLatest → sink", "debounce → sink", "receive(on:) → map → sink",
      ]
    )
    #expect(
      Set(await right.subscriptions().map(\.description)) == ["\"right\" → merge → sink", "combineLatest → sink"]
    )
    withExtendedLifetime((merged, combined, debounced, elsewhere)) {}
  }

  @Test func `follows retried and shared signals`() async {
    let emitter = Emitter<Int, Mishap>()
    let retried = emitter.retry(2).named("net").sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    let shared = emitter.share().named("all").sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    #expect(
      await emitter.subscriptions().map(\.description) == ["retry → \"net\" → sink", "share → \"all\" → sink"]
    )
    withExtendedLifetime((retried, shared)) {}
  }

  @Test func `inspects no foreign object`() async {
    let emitter = Emitter<Int, Never>()
    let subscription = emitter.map { $0 }.subscribe(Listener())
    #expect(await emitter.subscriptions().map(\.description) == ["map → listener"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `can be listed while waiting values are sent and replaced`() async throws {
    let clock = TestClock()
    let emitter = Emitter<String, Never>()
    let tokens = [
      emitter.debounce(for: .seconds(1), clock: clock).sink { _ in },
      emitter.throttle(for: .seconds(1), latest: true, clock: clock).sink { _ in },
      emitter.receive(on: .global()).sink { _ in },
    ]
    let rounds = Scale.count(5_000, torture: 100_000)
    async let sent: Void = onThread {
      for round in 0..<rounds {
        emitter.send("a text that needs memory of its own, number \(round)")
        clock.advance(by: .seconds(1))
      }
    }
    let mistakes = Counter()
    for _ in 0..<rounds where await emitter.subscriptions().count != 3 { mistakes.add() }
    try await sent
    #expect(mistakes.value == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test func `can be counted while the source ends`() {
    let emitters = (0..<Scale.count(5_000, torture: 100_000)).map { _ in Emitter<Int, Never>(replay: 1) }
    let mistakes = Counter()
    withThreads(2) { thread in
      for emitter in emitters {
        if thread == 0 { emitter.finish() } else if emitter.subscriberCount != 0 { mistakes.add() }
      }
    }
    #expect(mistakes.value == 0)
  }

  @Test func `follows derived values and loops`() async {
    let source = MutableProperty(1)
    let double = Property.derived(source) { $0 * 2 }
    let subscription = double.named("double").sink { _ in }
    var iterator = source.values.makeAsyncIterator()
    _ = await iterator.next()
    #expect(
      await source.subscriptions().map(\.description) == ["values", "derived → \"double\" → sink"]
    )
    subscription.cancel()
    #expect(await source.subscriptions().map(\.description) == ["values"])
    _ = await iterator.next(isolation: nil, ifWritten: { source.value = 2 })
  }

  @Test func `a path that leads in a circle ends where it returns`() async {
    let source = Emitter<Int, Mishap>()
    let box = Box<AnySignal<Int, Mishap>>()
    let countdown = DeferredSignal { [box] in
      (box.value ?? Emitter<Int, Mishap>().eraseToAnySignal()).filter { $0 > 0 }.map { $0 - 1 }
    }
    let all = source.merge(with: countdown).share().eraseToAnySignal()
    box.value = all
    let subscription = all.sink(receiveCompletion: { _ in }, receiveValue: { _ in })
    #expect(
      Set(await source.subscriptions().map(\.description)) == [
        "merge → share → sink", "merge → share → filter → map → merge → …",
      ]
    )
    // The circle keeps itself alive until the signal ends.
    source.fail(.fire)
    box.value = nil
    withExtendedLifetime(subscription) {}
  }

  @Test func `of paths that part and meet again, only a limited number is listed`() async {
    let source = MutableProperty(1)
    var (left, right) = (Property.derived(source) { $0 }, Property.derived(source) { -$0 })
    for _ in 1...30 {
      (left, right) = (Property.derived(left, right) { $0 &+ $1 }, Property.derived(left, right) { $0 &- $1 })
    }
    let subscriptions = [left.sink { _ in }, right.sink { _ in }]
    #expect(await source.subscriptions().count == 10_000)
    for subscription in subscriptions { subscription.cancel() }
  }

  @Test func `can be listed inside a callback, without side effects`() async throws {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let answers = Emitter<Int, Never>()
    let counts = answers.recorded()
    let subscription = emitter.sink { value in
      log.add("\(value)")
      if value == 1 {
        Task { answers.send(await emitter.subscriptions().count) }
        emitter.send(2)
      }
    }
    emitter.send(1)
    #expect(log.entries == ["1", "2"])
    _ = try await counts.first { $0 == 1 }
    #expect(counts.elements == [1])
    withExtendedLifetime(subscription) {}
  }
}

/// A subscriber object that resembles an operator.
private final class Listener: SignalSubscriber {
  let downstream = "the next"

  func receive(_ value: Int) {}
  func receive(completion: SignalCompletion<Never>) {}
}

extension SignalValues.Iterator {
  /// Keeps the iterator in use until a value arrives that was written just before.
  fileprivate mutating func next(isolation: (any Actor)?, ifWritten write: () -> Void) async -> Element?
  where Failure == Never {
    write()
    return await next()
  }
}
