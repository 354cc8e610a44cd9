import Signals
import TestSupport
import Testing

@Suite("Law 5: The end is the end", .patient)
struct Law05TheEndIsTheEndTests {
  private func record<Element: Sendable>(
    _ signal: some Signal<Element, Mishap>,
    in log: Log<String>
  ) -> SignalSubscription {
    signal.sink(
      receiveCompletion: { completion in
        switch completion {
        case .finished: log.add("finished")
        case .failure(let mishap): log.add("failed: \(mishap)")
        }
      },
      receiveValue: { log.add("\($0)") }
    )
  }

  @Test func `no value follows completion`() {
    let emitter = Emitter<Int, Mishap>()
    let log = Log<String>()
    let subscription = record(emitter, in: log)
    emitter.send(1)
    emitter.fail(.fire)
    emitter.send(2)
    emitter.finish()
    emitter.send(completion: .failure(.flood))
    #expect(log.entries == ["1", "failed: fire"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a late subscriber receives the replayed values, then the completion`() {
    let emitter = Emitter<Int, Mishap>(replay: 2)
    for number in 1...5 { emitter.send(number) }
    emitter.finish()
    let log = Log<String>()
    let subscription = record(emitter, in: log)
    #expect(log.entries == ["4", "5", "finished"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a late subscriber to a plain emitter receives only the completion`() {
    let emitter = Emitter<Int, Mishap>()
    emitter.send(1)
    emitter.finish()
    let log = Log<String>()
    let subscription = record(emitter, in: log)
    #expect(log.entries == ["finished"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `completion releases all subscribers, even if their tokens are kept`() {
    let emitter = Emitter<Int, Never>()
    let released = Counter()
    let subscriptions = (0..<10).map { _ in
      let probe = Probe { released.add() }
      return emitter.sink { _ in probe.touch() }
    }
    emitter.finish()
    #expect(released.value == 10)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `values sent before the end in the same callback are delivered, later ones are not`() {
    let emitter = Emitter<Int, Mishap>()
    let log = Log<String>()
    let first = emitter.sink(receiveCompletion: { _ in }) { value in
      if value == 1 {
        emitter.send(2)
        emitter.finish()
        emitter.send(3)
      }
    }
    let second = record(emitter, in: log)
    emitter.send(1)
    #expect(log.entries == ["1", "2", "finished"])
    withExtendedLifetime((first, second)) {}
  }

  @Test func `a send inside a completion handler is ignored`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    let first = emitter.sink(receiveCompletion: { _ in emitter.send(1) }, receiveValue: { log.add($0) })
    let second = emitter.sink { log.add($0) }
    emitter.finish()
    #expect(log.entries.isEmpty)
    withExtendedLifetime((first, second)) {}
  }

  @Test func `one completion is delivered, however many threads finish`() {
    for _ in 0..<200 {
      let emitter = Emitter<Int, Never>()
      let ends = Counter()
      let subscription = emitter.sink(receiveCompletion: { _ in ends.add() }, receiveValue: { _ in })
      withThreads(3) { _ in emitter.finish() }
      #expect(ends.value == 1)
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func `releasing the last reference to an emitter finishes it`() {
    let ends = Counter()
    var emitter: Emitter<Int, Never>? = Emitter()
    let subscription = emitter?.sink(receiveCompletion: { _ in ends.add() }, receiveValue: { _ in })
    emitter = nil
    #expect(ends.value == 1)
    withExtendedLifetime(subscription) {}
  }

  @Test func `a released property sends late subscribers of its view the last value, then the end`() {
    let log = Log<String>()
    var property: MutableProperty<Int>? = MutableProperty(1)
    let doubled = property?.map { $0 * 2 }.property(initial: 0)
    property?.value = 4
    property = nil
    let subscription = doubled?.sink(receiveCompletion: { log.add("\($0)") }, receiveValue: { log.add("\($0)") })
    #expect(doubled?.value == 8)
    #expect(log.entries == ["8", "finished"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `unheard values are not kept for later subscribers`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<Int>()
    emitter.send(1)
    let subscription = emitter.sink { log.add($0) }
    #expect(log.entries.isEmpty)
    emitter.send(2)
    #expect(log.entries == [2])
    withExtendedLifetime(subscription) {}
  }

  @Test func `a constant completes after its value`() async {
    let log = Log<String>()
    let constant = Property.constant(5)
    let subscriptions = [constant, constant].map { record($0.setFailureType(to: Mishap.self), in: log) }
    #expect(log.entries == ["5", "finished", "5", "finished"])
    let changes = record(constant.changes.setFailureType(to: Mishap.self), in: log)
    #expect(log.entries.suffix(1) == ["finished"])
    var values: [Int] = []
    for await value in constant.values { values.append(value) }
    #expect(values == [5])
    #expect(constant.value == 5)
    withExtendedLifetime((subscriptions, changes)) {}
  }

  @Test func `a value derived only from constants completes after its value`() {
    let log = Log<String>()
    let sum = Property.derived(Property.constant(1), Property.derived(Property.constant(2)) { $0 * 10 }) { $0 + $1 }
    #expect(sum.value == 21)
    let subscriptions = (0..<2).map { _ in record(sum.setFailureType(to: Mishap.self), in: log) }
    #expect(log.entries == ["21", "finished", "21", "finished"])
    #expect(sum.value == 21)
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a value derived from a constant and a property ends with the property`() {
    let log = Log<String>()
    var property: MutableProperty<Int>? = MutableProperty(1)
    let sum = Property.derived(property ?? .init(0), Property.constant(10)) { $0 + $1 }
    let subscription = record(sum.setFailureType(to: Mishap.self), in: log)
    property?.value = 2
    #expect(log.entries == ["11", "12"])
    property = nil
    #expect(log.entries == ["11", "12", "finished"])
    withExtendedLifetime(subscription) {}
  }
}
