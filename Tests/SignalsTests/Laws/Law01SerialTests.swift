import Signals
import Synchronization
import TestSupport
import Testing

@Suite("Law 1: Serial", .patient)
struct Law01SerialTests {
  /// Detects two threads that are inside it at once.
  private final class Gate: Sendable {
    private let inside = Atomic<Int>(0)
    private let overlaps = Atomic<Int>(0)
    private let passed = Atomic<Int>(0)

    var overlapCount: Int { overlaps.load(ordering: .relaxed) }
    var passCount: Int { passed.load(ordering: .relaxed) }

    func pass() {
      if inside.add(1, ordering: .relaxed).newValue > 1 { overlaps.add(1, ordering: .relaxed) }
      passed.add(1, ordering: .relaxed)
      inside.subtract(1, ordering: .relaxed)
    }
  }

  @Test func `a subscriber is never called concurrently with itself, whichever threads send`() {
    let emitter = Emitter<Int, Never>()
    let gates = [Gate(), Gate(), Gate()]
    let subscriptions = gates.map { gate in emitter.sink { _ in gate.pass() } }
    withThreads(4) { _ in for number in 0..<25_000 { emitter.send(number) } }
    for gate in gates {
      #expect(gate.overlapCount == 0)
      #expect(gate.passCount == 100_000)
    }
    withExtendedLifetime(subscriptions) {}
  }

  @Test func `a property's subscriber is never called concurrently, even while it receives the current value`() {
    let property = MutableProperty(0)
    let gates = Log<Gate>()
    withThreads(4) { index in
      for number in 0..<2_000 {
        if index < 2 {
          property.value = number
        } else {
          let gate = Gate()
          gates.add(gate)
          let subscription = property.sink { _ in gate.pass() }
          withExtendedLifetime(subscription) {}
        }
      }
    }
    #expect(gates.entries.allSatisfy { $0.overlapCount == 0 && $0.passCount >= 1 })
  }

  @Test func `operators with several inputs call their subscriber serially`() {
    let left = Emitter<Int, Never>()
    let right = Emitter<Int, Never>()
    let mergeGate = Gate()
    let combineGate = Gate()
    let subscriptions = [
      merge(left, right).sink { _ in mergeGate.pass() },
      left.combineLatest(right).sink { _ in combineGate.pass() },
    ]
    left.send(0)
    right.send(0)
    withThreads(4) { index in
      for number in 0..<20_000 { (index % 2 == 0 ? left : right).send(number) }
    }
    #expect(mergeGate.overlapCount == 0)
    #expect(mergeGate.passCount == 80_002)
    #expect(combineGate.overlapCount == 0)
    #expect(combineGate.passCount == 80_001)
    withExtendedLifetime(subscriptions) {}
  }
}
