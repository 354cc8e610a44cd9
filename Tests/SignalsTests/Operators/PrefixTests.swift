import Signals
import TestSupport
import Testing

@Suite("Operators that end the signal", .patient)
struct PrefixTests {
  /// All ways to end a signal with the value 2, after 1.
  private static let endings: [(name: String, shape: @Sendable (AnySignal<Int, Never>) -> AnySignal<String, Never>)] = [
    ("prefix", { $0.prefix(2).map { "\($0)" }.eraseToAnySignal() }),
    ("prefix while", { $0.prefix { $0 < 2 }.map { "\($0)" }.eraseToAnySignal() }),
    ("first where", { $0.first { $0 == 2 }.map { "\($0)" }.eraseToAnySignal() }),
    ("contains", { $0.contains(2).map { "\($0)" }.eraseToAnySignal() }),
    ("all satisfy", { $0.allSatisfy { $0 < 2 }.map { "\($0)" }.eraseToAnySignal() }),
    ("output at", { $0.output(at: 1).map { "\($0)" }.eraseToAnySignal() }),
  ]

  @Test(arguments: endings.indices) func `the value that ends the signal also cancels the upstream`(index: Int) {
    let ending = Self.endings[index]
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let watched = emitter.handleEvents(receiveCancel: { log.add("cancelled") }).eraseToAnySignal()
    let subscription = ending.shape(watched).trace(in: log)
    emitter.send(1)
    #expect(!log.entries.contains("cancelled"), "\(ending.name)")
    emitter.send(2)
    #expect(log.entries.suffix(2) == ["cancelled", "|"], "\(ending.name)")
    let before = log.entries
    emitter.send(3)
    emitter.finish()
    #expect(log.entries == before, "\(ending.name)")
    withExtendedLifetime(subscription) {}
  }

  @Test(arguments: endings.indices) func `an endless sequence stops after the value that ends the signal`(index: Int) {
    let computed = Log<Int>()
    let numbers = sequence(first: 1) { last in
      computed.add(last + 1)
      return last + 1
    }
    let endless = SequenceSignal(Shared(numbers)).eraseToAnySignal()
    #expect(Self.endings[index].shape(endless).traced.last == "|")
    #expect(computed.entries == [2], "no element is computed needlessly")
  }

  @Test(arguments: endings.indices) func `captures are released when the signal ends`(index: Int) {
    let emitter = Emitter<Int, Never>()
    let released = Counter()
    let subscription: SignalSubscription
    do {
      let probe = Probe { released.add() }
      subscription = Self.endings[index].shape(emitter.map { $0 }.eraseToAnySignal()).sink { _ in probe.touch() }
    }
    emitter.send(1)
    #expect(released.value == 0)
    emitter.send(2)
    #expect(released.value == 1)
    withExtendedLifetime((subscription, emitter)) {}
  }

  @Test(arguments: endings.indices) func `captures are released when the subscription is cancelled`(index: Int) {
    let emitter = Emitter<Int, Never>()
    let released = Counter()
    let subscription: SignalSubscription
    do {
      let probe = Probe { released.add() }
      subscription = Self.endings[index].shape(emitter.map { $0 }.eraseToAnySignal()).sink { _ in probe.touch() }
    }
    emitter.send(1)
    subscription.cancel()
    #expect(released.value == 1)
    withExtendedLifetime(emitter) {}
  }

  @Test(arguments: endings.indices) func `values sent from inside the last callback are not delivered`(index: Int) {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let subscription = Self.endings[index].shape(emitter.eraseToAnySignal()).sink(
      receiveCompletion: { _ in
        log.add("|")
        emitter.send(2)
      },
      receiveValue: { value in
        log.add(value)
        emitter.send(2)
        emitter.send(2)
      }
    )
    emitter.send(1)
    emitter.send(2)
    #expect(log.entries.count { $0 == "|" } == 1)
    #expect(log.entries.last == "|")
    #expect(Set(log.entries).count == log.entries.count, "no value arrives twice")
    withExtendedLifetime(subscription) {}
  }

  @Test func `cancelling in the last callback suppresses the completion`() {
    for shape in Self.endings {
      let emitter = Emitter<Int, Never>()
      let log = Log<String>()
      let token = Box<SignalSubscription>()
      token.value = shape.shape(emitter.eraseToAnySignal()).sink(
        receiveCompletion: { _ in log.add("|") },
        receiveValue: { value in
          log.add(value)
          token.value?.cancel()
        }
      )
      emitter.send(1)
      emitter.send(2)
      #expect(log.entries.isEmpty == false || shape.name == "prefix while", "\(shape.name)")
      #expect(!log.entries.contains("|"), "\(shape.name)")
    }
  }

  @Test func `cancelling in the closure suppresses the value and the completion`() {
    typealias Ask = @Sendable (Int) -> Bool
    let shapes: [@Sendable (Emitter<Int, Never>, @escaping Ask) -> AnySignal<String, Never>] = [
      { emitter, ask in emitter.prefix(while: ask).map { "\($0)" }.eraseToAnySignal() },
      { emitter, ask in emitter.prefix { !ask($0) }.map { "\($0)" }.eraseToAnySignal() },
      { emitter, ask in emitter.first(where: ask).map { "\($0)" }.eraseToAnySignal() },
      { emitter, ask in emitter.contains(where: ask).map { "\($0)" }.eraseToAnySignal() },
      { emitter, ask in emitter.allSatisfy { !ask($0) }.map { "\($0)" }.eraseToAnySignal() },
    ]
    for (index, shape) in shapes.enumerated() {
      let emitter = Emitter<Int, Never>()
      let log = Log<String>()
      let token = Box<SignalSubscription>()
      let cancelling: Ask = { _ in
        token.value?.cancel()
        return true
      }
      token.value = shape(emitter, cancelling).trace(in: log)
      emitter.send(1)
      emitter.send(2)
      #expect(log.entries.isEmpty, "shape \(index)")
    }
  }

  @Test func `prefix 0 completes at once without subscribing`() {
    let log = Log<String>()
    let watched = NeverSignal<Int, Never>().handleEvents(receiveSubscription: { log.add("subscribed") })
    let subscription = watched.prefix(0).trace(in: log)
    #expect(log.entries == ["|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `one prefix inside another ends both`() {
    let log = Log<String>()
    let emitter = Emitter<Int, Never>()
    let watched = emitter.handleEvents(receiveCancel: { log.add("cancelled") })
    let subscription = watched.prefix(5).prefix(2).map { $0 * 10 }.prefix(3).trace(in: log)
    emitter.send(1)
    emitter.send(2)
    #expect(log.entries == ["10", "20", "cancelled", "|"])
    withExtendedLifetime(subscription) {}
  }

  @Test func `each subscription counts for itself`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let firstTwo = emitter.prefix(2)
    let early = firstTwo.map { "early \($0)" }.trace(in: log)
    emitter.send(1)
    let late = firstTwo.map { "late \($0)" }.trace(in: log)
    emitter.send(2)
    emitter.send(3)
    #expect(log.entries == ["early 1", "early 2", "|", "late 2", "late 3", "|"])
    withExtendedLifetime((early, late)) {}
  }

  @Test func `prefix sends exactly its count, whichever threads send`() {
    let emitter = Emitter<Int, Never>()
    let log = Log<String>()
    let subscription = emitter.prefix(1000).trace(in: log)
    withThreads(4) { thread in
      for value in 0..<2000 { emitter.send(thread * 10_000 + value) }
    }
    #expect(log.entries.count == 1001)
    #expect(log.entries.last == "|")
    withExtendedLifetime(subscription) {}
  }
}

/// A sequence that tests share, although its closure is not known to be `Sendable`.
private struct Shared<Base: Sequence>: Sequence, @unchecked Sendable {  // Sound: one thread iterates it.
  private let base: Base

  init(_ base: Base) {
    self.base = base
  }

  func makeIterator() -> Base.Iterator { base.makeIterator() }
}
