import Dispatch
import Signals
import TestSupport
import Testing

@Suite(.patient) struct `State owned by a lock` {
  @Test func `loses no change made by concurrent threads`() {
    let count = Guarded(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 { count.withLock { $0 += 1 } }
    }
    #expect(count.withLock { $0 } == 80_000)
  }

  @Test func `is released with its owner`() {
    final class Witness: Sendable {}
    weak var witness: Witness?
    do {
      let state = Guarded<Witness?>(Witness())
      witness = state.withLock { $0 }
      #expect(witness != nil)
    }
    #expect(witness == nil)
  }

  @Test func `is unlocked when its closure throws`() {
    struct Refusal: Error {}
    let state = Guarded([1])
    #expect(throws: Refusal.self) {
      try state.withLock { state throws(Refusal) in
        state.append(2)
        throw Refusal()
      }
    }
    #expect(state.withLock { $0 } == [1, 2])
  }

  /// A guarded value that acquires the lock when it is released.
  private final class Owner: Sendable {
    let probe = Guarded<Probe?>(nil)
    let released = Counter()

    init() {
      let probe = Probe { [weak self] in self?.noteRelease() }
      self.probe.withLock { $0 = probe }
    }

    private func noteRelease() {
      // Deadlocks if the lock is held.
      probe.withLock { _ in }
      released.add()
    }
  }

  @Test func `releases a replaced value after unlocking`() {
    let owner = Owner()
    owner.probe.replace { exchange(&$0, with: Probe()) }
    #expect(owner.released.value == 1)
    #expect(owner.probe.withLock { $0 } != nil)
    owner.probe.replace { $0.take() }
    #expect(owner.probe.withLock { $0 } == nil)
  }

  @Test func `can be noncopyable`() {
    struct Ticket: ~Copyable { var number = 0 }
    let ticket = Guarded(Ticket())
    ticket.withLock { $0.number += 1 }
    #expect(ticket.withLock { $0.number } == 1)
  }
}
