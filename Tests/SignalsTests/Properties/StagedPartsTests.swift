import Foundation
import SignalsTesting
import Synchronization
import TestSupport
import Testing

@testable import Signals

/// Derived values that depend on one part of a value, which is staged with the parts that have changed.
@Suite("Values that depend on a part")
struct StagedPartsTests {
  private static func changes(_ old: [Int], _ new: [Int]) -> [UInt32]? {
    new.indices.filter { old[$0] != new[$0] }.map { UInt32($0) + 1 }
  }

  private static func part(_ index: Int, of numbers: MutableProperty<[Int]>) -> Property<Int> {
    Property.derived(numbers) { $0[index] }.depending(onPart: UInt32(index) + 1)
  }

  @Test func `a change of one part computes and sends nothing for the others`() {
    let numbers = MutableProperty([0, 0, 0])
    let computed = Mutex([0, 0, 0])
    let parts = (0..<3).map { index in
      Property.derived(numbers) { numbers in
        computed.withLock { $0[index] += 1 }
        return numbers[index]
      }
      .depending(onPart: UInt32(index) + 1)
    }
    let received = parts.map { $0.recorded() }
    let before = computed.withLock { $0 }
    numbers.stage([0, 7, 0], changes: Self.changes).send()
    #expect(computed.withLock { $0 } == [before[0], before[1] + 1, before[2]])
    #expect(received.map(\.elements) == [[0], [0, 7], [0]])
    #expect(parts.map(\.value) == [0, 7, 0])
    numbers.stage([1, 7, 2], changes: Self.changes).send()
    #expect(received.map(\.elements) == [[0, 1], [0, 7], [0, 2]])
  }

  @Test func `unknown changes, other writes and batches concern every part`() {
    let numbers = MutableProperty([0, 0])
    let received = (0..<2).map { Self.part($0, of: numbers).recorded() }
    numbers.stage([1, 1], changes: { _, _ in nil }).send()
    numbers.stage([2, 2]).send()
    numbers.value = [3, 3]
    batch {
      numbers.stage([4, 3], changes: Self.changes).send()
      numbers.stage([4, 4], changes: Self.changes).send()
    }
    #expect(received.map(\.elements) == [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]])
  }

  @Test func `a part that nobody observes is computed from the latest value when it is read`() {
    let numbers = MutableProperty([0, 0])
    let part = Self.part(0, of: numbers)
    #expect(part.value == 0)
    numbers.stage([5, 0], changes: Self.changes).send()
    numbers.stage([5, 6], changes: Self.changes).send()
    #expect(part.value == 5)
  }

  @Test(.patient) func `values of several parts are never mixed from old and new ones, whatever other threads do`()
    async
  {
    await runRandomPrograms(seconds: 2, repetitions: 1) { seed in
      let count = 6
      let numbers = MutableProperty(Array(repeating: 0, count: count))
      // Each pair of parts always has the sum 0.
      let parts = (0..<count).map { Self.part($0, of: numbers) }
      let sums = (0..<count / 2).map { Property.derived(parts[2 * $0], parts[2 * $0 + 1]) { $0 + $1 } }
      let wrong = Mutex<[Int]>([])
      let subscriptions = sums.map { sum in sum.sink { if $0 != 0 { wrong.withLock { $0.append(1) } } } }
      let lock = Lock()
      DispatchQueue.concurrentPerform(iterations: 4) { thread in
        var chance = Chance(seed: seed &+ UInt64(thread))
        for _ in 0..<500 {
          if thread == 0 {
            for sum in sums where sum.value != 0 { wrong.withLock { $0.append(2) } }
            if chance.once(in: 8) { parts[chance.number(below: count)].sink { _ in }.cancel() }
            continue
          }
          let staged = lock.withLock {
            var new = numbers.value
            let pair = 2 * chance.number(below: count / 2)
            new[pair] += 1
            new[pair + 1] -= 1
            return numbers.stage(new, changes: chance.once(in: 10) ? { _, _ in nil } : Self.changes)
          }
          staged.send()
        }
      }
      for subscription in subscriptions { subscription.cancel() }
      let isRight = wrong.withLock(\.isEmpty) && parts.map(\.value) == numbers.value
      #expect(isRight, "SIGNALS_SEED=\(seed): \(wrong.withLock { $0 })")
      return isRight
    }
  }
}
