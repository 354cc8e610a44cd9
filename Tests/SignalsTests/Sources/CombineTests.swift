#if canImport(Combine)
  import Combine
  import Signals
  import TestSupport
  import Testing

  @Suite("Combine", .patient)
  struct CombineTests {
    @Test func `values wait for the subscriber's demand, and the end comes last`() {
      let emitter = Emitter<Int, Mishap>()
      let asker = Asker(first: .max(2))
      emitter.publisher.subscribe(asker)
      for number in 1...5 { emitter.send(number) }
      #expect(asker.log.entries == ["1", "2"])
      asker.request(.max(1))
      emitter.fail(.fire)
      #expect(asker.log.entries == ["1", "2", "3"])
      asker.request(.unlimited)
      #expect(asker.log.entries == ["1", "2", "3", "4", "5", "fire"])
    }

    @Test func `a subscriber that requests one more each time receives every value, also from many threads`() {
      let emitter = Emitter<Int, Mishap>()
      let asker = Asker(first: .max(1), each: .max(1))
      emitter.publisher.subscribe(asker)
      withThreads(3) { _ in for number in 0..<2_000 { emitter.send(number) } }
      emitter.finish()
      #expect(asker.log.entries.count == 6_001)
      #expect(asker.log.entries.last == "finished")
    }

    @Test func `no value follows a subscriber's cancellation`() {
      let emitter = Emitter<Int, Mishap>()
      let asker = Asker(first: .unlimited)
      emitter.publisher.subscribe(asker)
      emitter.send(1)
      asker.cancel()
      emitter.send(2)
      emitter.finish()
      #expect(asker.log.entries == ["1"])
    }

    @Test(arguments: [true, false])
    func `cancelling and ending release the subscriber`(isCancelled: Bool) {
      let emitter = Emitter<Int, Mishap>()
      weak var released: Asker?
      do {
        let asker = Asker(first: .unlimited)
        released = asker
        emitter.publisher.subscribe(asker)
        if isCancelled { asker.cancel() } else { emitter.finish() }
      }
      #expect(released == nil)
    }

    @Test func `an operator that needs no more values cancels a publisher that publishes at once`() {
      let cancelled = Counter()
      let log = Log<Int>()
      let subscription = Numbers(below: .max) { cancelled.add() }.signal.prefix(3).sink { log.add($0) }
      #expect(log.entries == [0, 1, 2])
      #expect(cancelled.value == 1)
      withExtendedLifetime(subscription) {}
    }

    @Test func `a publisher's values and end become the signal's, and the publisher is not cancelled after its end`() {
      let cancelled = Counter()
      let log = Log<Int>()
      let ended = Counter()
      let subscription = Numbers(below: 4) { cancelled.add() }.signal.sink(
        receiveCompletion: { _ in ended.add() },
        receiveValue: { log.add($0) }
      )
      #expect(log.entries == [0, 1, 2, 3])
      #expect(ended.value == 1)
      subscription.cancel()
      #expect(cancelled.value == 0)
    }

    @Test func `a property converted to a publisher and back sends its values`() {
      let property = MutableProperty(1)
      let log = Log<Int>()
      let subscription = property.publisher.signal.sink { log.add($0) }
      property.value = 2
      subscription.cancel()
      property.value = 3
      #expect(log.entries == [1, 2])
    }
  }

  /// A subscriber with an explicit demand.
  private final class Asker: Combine.Subscriber, Sendable {
    private struct Held: @unchecked Sendable {  // Sound: a single-threaded test requests and cancels.
      let subscription: any Combine.Subscription
    }

    let log = Log<String>()
    private let first: Subscribers.Demand
    private let each: Subscribers.Demand
    private let held = Box<Held>()

    init(first: Subscribers.Demand, each: Subscribers.Demand = .none) {
      self.first = first
      self.each = each
    }

    func request(_ demand: Subscribers.Demand) {
      held.value?.subscription.request(demand)
    }

    func cancel() {
      held.value?.subscription.cancel()
      held.value = nil
    }

    func receive(subscription: any Combine.Subscription) {
      held.value = Held(subscription: subscription)
      subscription.request(first)
    }

    func receive(_ input: Int) -> Subscribers.Demand {
      log.add("\(input)")
      return each
    }

    func receive(completion: Subscribers.Completion<Mishap>) {
      switch completion {
      case .finished: log.add("finished")
      case .failure(let mishap): log.add("\(mishap)")
      }
      held.value = nil
    }
  }

  /// Publishes the numbers from zero as soon as there is demand.
  private struct Numbers: Combine.Publisher {
    typealias Output = Int
    typealias Failure = Never

    let limit: Int
    let onCancel: @Sendable () -> Void

    init(below limit: Int, onCancel: @escaping @Sendable () -> Void) {
      self.limit = limit
      self.onCancel = onCancel
    }

    func receive<Downstream: Combine.Subscriber>(subscriber: Downstream)
    where Downstream.Input == Int, Downstream.Failure == Never {
      subscriber.receive(subscription: Counting(to: subscriber, below: limit, onCancel: onCancel))
    }

    private final class Counting<Downstream: Combine.Subscriber>: Combine.Subscription
    where Downstream.Input == Int, Downstream.Failure == Never {
      private var downstream: Downstream?
      private let limit: Int
      private let onCancel: @Sendable () -> Void

      init(to downstream: Downstream, below limit: Int, onCancel: @escaping @Sendable () -> Void) {
        self.downstream = downstream
        self.limit = limit
        self.onCancel = onCancel
      }

      func request(_ demand: Subscribers.Demand) {
        var number = 0
        while let downstream, number < limit {
          _ = downstream.receive(number)
          number += 1
        }
        downstream?.receive(completion: .finished)
        downstream = nil
      }

      func cancel() {
        downstream = nil
        onCancel()
      }
    }
  }
#endif
