import Signals
import TestSupport
import Testing

@Suite("Lock")
struct LockTests {
  private final class Shared: @unchecked Sendable {
    // Sound: the number is guarded by the lock, which is what is tested.
    let lock = Lock()
    var number = 0
  }

  @Test func `threads that share a lock never overlap`() {
    let shared = Shared()
    withThreads(4) { _ in
      for _ in 0..<50_000 { shared.lock.withLock { shared.number += 1 } }
    }
    #expect(shared.number == 200_000)
  }

  @Test func `threads that sleep on a lock are all woken`() {
    let shared = Shared()
    shared.lock.lock()
    let asleep = Counter()
    withThreads(5) { index in
      if index == 0 {
        while asleep.value < 4 {}
        shared.lock.unlock()
      } else {
        asleep.add()
        shared.lock.withLock { shared.number += 1 }
      }
    }
    #expect(shared.number == 4)
  }
}
