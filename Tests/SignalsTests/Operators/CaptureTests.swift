import Dispatch
import Signals
import SignalsTesting
import TestSupport
import Testing

/// An operator whose closures capture an object.
private struct Capturing: Sendable, CustomStringConvertible {
  let description: String
  let shape: @Sendable (AnySignal<Int, Mishap>, Probe, TestClock) -> AnySignal<Int, Mishap>

  init(
    _ description: String,
    _ shape: @escaping @Sendable (AnySignal<Int, Mishap>, Probe, TestClock) -> AnySignal<Int, Mishap>
  ) {
    self.description = description
    self.shape = shape
  }

  /// Returns a closure that captures an object and returns its argument.
  private static func same<Value>(_ probe: Probe) -> @Sendable (Value) -> Value {
    { value in
      probe.touch()
      return value
    }
  }

  private static func always(_ probe: Probe) -> @Sendable (Int) -> Bool {
    { _ in
      probe.touch()
      return true
    }
  }

  private static func mapped(_ probe: Probe, _ signal: AnySignal<Int, Mishap>) -> AnySignal<Int, Mishap> {
    signal.map(same(probe)).eraseToAnySignal()
  }

  static let all: [Capturing] = transforming + filtering + joining + flattening + failing + timed

  private static let transforming: [Capturing] = [
    Capturing("map") { signal, probe, _ in mapped(probe, signal) },
    Capturing("compactMap") { signal, probe, _ in
      signal.compactMap { value -> Int? in
        probe.touch()
        return value
      }.eraseToAnySignal()
    },
    Capturing("scan") { signal, probe, _ in
      signal.scan(0) { _, value in
        probe.touch()
        return value
      }.eraseToAnySignal()
    },
    Capturing("reduce") { signal, probe, _ in
      signal.reduce(0) { _, value in
        probe.touch()
        return value
      }.eraseToAnySignal()
    },
    Capturing("tryMap") { signal, probe, _ in
      signal.tryMap { value throws(Mishap) in
        probe.touch()
        return value
      }.eraseToAnySignal()
    },
    Capturing("tryScan") { signal, probe, _ in
      signal.tryScan(0) { (_, value) throws(Mishap) in
        probe.touch()
        return value
      }.eraseToAnySignal()
    },
    Capturing("chunked(by:)") { signal, probe, _ in
      signal.chunked { _, _ in
        probe.touch()
        return true
      }.compactMap(\.last).eraseToAnySignal()
    },
    Capturing("handleEvents") { signal, probe, _ in
      signal.handleEvents(receiveOutput: { _ in probe.touch() }, receiveCancel: { probe.touch() }).eraseToAnySignal()
    },
    Capturing("create") { signal, probe, _ in
      AnySignal.create { sink in
        let token = signal.sink(receiveCompletion: { sink.send(completion: $0) }, receiveValue: { sink.send($0) })
        return SignalSubscription {
          probe.touch()
          token.cancel()
        }
      }
    },
    Capturing("share") { signal, probe, _ in mapped(probe, signal).share(replay: 1).eraseToAnySignal() },
    Capturing("receive(on:)") { signal, probe, _ in
      mapped(probe, mapped(probe, signal).receive(on: DispatchQueue(label: "captures")).eraseToAnySignal())
    },
  ]

  private static let filtering: [Capturing] = [
    Capturing("filter") { signal, probe, _ in signal.filter(always(probe)).eraseToAnySignal() },
    Capturing("removeDuplicates(by:)") { signal, probe, _ in
      signal.removeDuplicates { _, _ in
        probe.touch()
        return false
      }.eraseToAnySignal()
    },
    Capturing("prefix(while:)") { signal, probe, _ in signal.prefix(while: always(probe)).eraseToAnySignal() },
    Capturing("allSatisfy") { signal, probe, _ in
      signal.allSatisfy(always(probe)).map { $0 ? 1 : 0 }.eraseToAnySignal()
    },
    Capturing("suffix") { signal, probe, _ in mapped(probe, signal).suffix(2).eraseToAnySignal() },
    Capturing("prefix(untilOutputFrom:)") { signal, probe, _ in
      mapped(probe, signal).prefix(untilOutputFrom: mapped(probe, Emitter().eraseToAnySignal())).eraseToAnySignal()
    },
    Capturing("drop(untilOutputFrom:)") { signal, probe, _ in
      mapped(probe, signal).drop(untilOutputFrom: mapped(probe, signal)).eraseToAnySignal()
    },
  ]

  private static let joining: [Capturing] = [
    Capturing("merge") { signal, probe, _ in merge(mapped(probe, signal), signal).eraseToAnySignal() },
    Capturing("combineLatest") { signal, probe, _ in
      mapped(probe, signal).combineLatest(mapped(probe, signal)).map(\.0).eraseToAnySignal()
    },
    Capturing("zip") { signal, probe, _ in
      mapped(probe, signal).zip(mapped(probe, signal)).map(\.0).eraseToAnySignal()
    },
    Capturing("race") { signal, probe, _ in race(mapped(probe, signal), signal).eraseToAnySignal() },
    Capturing("append") { signal, probe, _ in
      mapped(probe, signal).append(mapped(probe, AnySignal.just(3))).eraseToAnySignal()
    },
    Capturing("switchIfEmpty") { signal, probe, _ in
      mapped(probe, signal).switchIfEmpty(mapped(probe, AnySignal.just(3))).eraseToAnySignal()
    },
    Capturing("sample(by:)") { signal, probe, _ in
      mapped(probe, signal).sample(by: mapped(probe, signal)).eraseToAnySignal()
    },
  ]

  private static let flattening: [Capturing] = [
    Capturing("flatMap") { signal, probe, _ in
      signal.flatMap { value in
        probe.touch()
        return mapped(probe, AnySignal.just(value))
      }.eraseToAnySignal()
    },
    Capturing("flatMapLatest") { signal, probe, _ in
      signal.flatMapLatest { value in
        probe.touch()
        return mapped(probe, AnySignal.just(value))
      }.eraseToAnySignal()
    },
    Capturing("flatMapFirst") { signal, probe, _ in
      signal.flatMapFirst { value in
        probe.touch()
        return mapped(probe, AnySignal.just(value))
      }.eraseToAnySignal()
    },
  ]

  private static let failing: [Capturing] = [
    Capturing("catch") { signal, probe, _ in
      signal.catch { _ in
        probe.touch()
        return mapped(probe, AnySignal.just(4))
      }.eraseToAnySignal()
    },
    Capturing("mapError") { signal, probe, _ in signal.mapError(same(probe)).eraseToAnySignal() },
    Capturing("retry") { signal, probe, _ in mapped(probe, signal).retry(1).eraseToAnySignal() },
  ]

  private static let timed: [Capturing] = TimeOperator.all.map { operation in
    Capturing(operation.description) { signal, probe, clock in
      mapped(probe, operation.shape(mapped(probe, signal), clock))
    }
  }
}

@Suite("Operators release what their closures capture", .patient)
struct CaptureTests {
  /// The ways in which a subscription ends.
  enum End: CaseIterable {
    case completion, failure, cancellation
  }

  @Test(arguments: Capturing.all, End.allCases)
  fileprivate func `the captures of an operator's closures are released at its end, even if the token is kept`(
    operation: Capturing, end: End
  ) async {
    let clock = TestClock()
    let emitter = Emitter<Int, Mishap>()
    let released = Counter()
    func subscribe() -> SignalSubscription {
      let probe = Probe { released.add() }
      return operation.shape(emitter.eraseToAnySignal(), probe, clock).sink(
        receiveCompletion: { _ in probe.touch() },
        receiveValue: { _ in probe.touch() }
      )
    }
    let token = subscribe()
    emitter.send(1)
    emitter.send(2)
    switch end {
    case .completion: emitter.finish()
    case .failure: emitter.fail(.fire)
    case .cancellation: token.cancel()
    }
    await clock.run()
    // A queue may still have to deliver the end.
    for _ in 0..<100_000 {
      if released.value > 0 { break }
      await Task.yield()
    }
    #expect(released.value == 1)
    withExtendedLifetime((token, emitter)) {}
  }

  /// The ways in which a value may be derived from a property.
  enum Derivation: CaseIterable {
    case one, two, array, list, chain, tall, lens, withOther, shared
  }

  private func derive(_ how: Derivation, from source: MutableProperty<Int>, _ probe: Probe) -> Property<Int> {
    let same: @Sendable (Int) -> Int = { value in
      probe.touch()
      return value
    }
    switch how {
    case .one: return Property.derived(source, same)
    case .two: return Property.derived(source, source) { first, _ in same(first) }
    case .list:
      return Property.derived(source, source, source, source, source, source) { first, _, _, _, _, _ in same(first) }
    case .array: return Property.derived([source, source]) { same($0[0]) }
    case .chain: return Property.derived(Property.derived(source, same), source) { first, _ in same(first) }
    case .tall: return (0..<200).reduce(source as Property<Int>) { last, _ in Property.derived(last, same) }
    case .lens: return Property.derived(source.lens(\.self), same)
    case .withOther: return Property.derived(source, Property.constant(1)) { first, _ in same(first) }
    case .shared:
      let inner = Property.derived(source, same)
      return Property.derived(inner, inner) { first, _ in same(first) }
    }
  }

  @Test(arguments: Derivation.allCases, [false, true])
  func `the captures of a derived value's closure are released when its sources end`(
    how: Derivation, isLate: Bool
  ) throws {
    let released = Counter()
    var source: MutableProperty<Int>? = MutableProperty(1)
    func derived() throws -> Property<Int> {
      let probe = Probe { released.add() }
      return derive(how, from: try #require(source), probe)
    }
    let value = try derived()
    var tokens: [SignalSubscription] = []
    // Nobody observes the value in the other case, so nobody tells it.
    if !isLate { tokens = [value.sink { _ in }, value.changes.sink { _ in }] }
    source?.value = 2
    #expect(released.value == 0)
    source = nil
    if isLate { #expect(value.value == 2) }
    #expect(released.value == 1)
    #expect(value.value == 2)
    #expect(value.traced == ["2", "|"])
    #expect(value.changes.traced == ["|"])
    #expect(Property.derived(value) { $0 + 1 }.value == 3)
    withExtendedLifetime(tokens) {}
  }

  @Test func `a subscriber that cancels at the end keeps no captures of a derived value's closure`() {
    let released = Counter()
    var source: MutableProperty<Int>? = MutableProperty(1)
    func make(_ source: Property<Int>) -> Property<Int> {
      let probe = Probe { released.add() }
      return Property.derived(source) { value in
        probe.touch()
        return value
      }
    }
    let value = source.map(make)
    let tokens = Box<Set<SignalSubscription>>([])
    var first: Set<SignalSubscription> = []
    value?.sink(receiveCompletion: { _ in tokens.value = nil }, receiveValue: { _ in }).store(in: &first)
    tokens.value = first
    first = []
    source = nil
    #expect(tokens.value == nil)
    #expect(released.value == 1)
    #expect(value?.value == 1)
  }

  @Test func `a derived value lets go of an input that has ended while another one lives`() {
    let released = Counter()
    var short: MutableProperty<Int>? = MutableProperty(1)
    let long = MutableProperty(10)
    func make(_ short: Property<Int>) -> Property<Int> {
      let probe = Probe { released.add() }
      let inner = Property.derived(short) { value in
        probe.touch()
        return value
      }
      return Property.derived(inner, long) { $0 + $1 }
    }
    let sum = short.map(make)
    let log = Log<String>()
    let token = sum?.trace(in: log)
    short?.value = 2
    short = nil
    #expect(released.value == 1)
    long.value = 20
    #expect(log.entries == ["11", "12", "22"])
    withExtendedLifetime(token) {}
  }

  @Test func `a source that ends on another thread leaves a running closure alone`() async throws {
    let (released, calls) = (Counter(), Counter())
    let source = Box(MutableProperty(1))
    let (entered, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    func make() -> Property<Int>? {
      let probe = Probe { released.add() }
      return source.value.map { source in
        Property.derived(source) { value in
          calls.add()
          if calls.value == 1 {
            entered.signal()
            gate.wait()
            #expect(released.value == 0)
          }
          probe.touch()
          return value
        }
      }
    }
    let value = try #require(make())
    async let read = onThread { value.value }
    try await onThread {
      entered.wait()
      source.value = nil
      #expect(released.value == 0)
      gate.signal()
    }
    #expect(try await read == 1)
    #expect(released.value == 1)
    #expect(value.value == 1)
    #expect(calls.value == 2)
  }
}
