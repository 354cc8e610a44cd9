import CLibrary
@testable import Signals
import Synchronization
import TestSupport
import Testing

@Suite("Lock", .patient)
struct LockTests {
  private final class Shared: @unchecked Sendable {
    // Sound: the number is guarded by the lock, as this test verifies.
    let lock = Lock()
    var number = 0

    /// A Boolean value that indicates whether a thread sleeps until the lock is free, or is about to.
    var isContended: Bool {
      #if canImport(Darwin)
        true
      #else
        lock.state.load(ordering: .relaxed) == Lock.State.contended
      #endif
    }
  }

  @Test func `threads that share a lock never overlap`() {
    let shared = Shared()
    withThreads(4) { _ in
      for _ in 0..<50_000 { shared.lock.withLock { shared.number += 1 } }
    }
    #expect(shared.number == 200_000)
  }

  @Test func `all threads that wait for a lock are woken`() {
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

  @Test func `no wake-up is lost while threads fall asleep and others are woken`() {
    let locks = (0..<3).map { _ in Shared() }
    withThreads(12) { index in
      for round in 0..<4_000 {
        let shared = locks[(index + round) % locks.count]
        shared.lock.lock()
        shared.number += 1
        // While this thread gives up its time, others fall asleep.
        if round % 4 == 0 { sched_yield() }
        shared.lock.unlock()
      }
    }
    #expect(locks.reduce(0) { $0 + $1.number } == 48_000)
  }

  @Test func `each thread is woken if more locks have sleeping threads than there are waiting rooms`() {
    let locks = (0..<300).map { _ in Shared() }
    let woken = Counter()
    for shared in locks { shared.lock.lock() }
    withThreads(locks.count + 1) { index in
      if index == locks.count {
        for shared in locks { while !shared.isContended {} }
        // The thread that fell asleep last is due first.
        for (count, shared) in locks.reversed().enumerated() {
          shared.lock.unlock()
          while woken.value == count {}
        }
      } else {
        locks[index].lock.withLock { locks[index].number += 1 }
        woken.add()
      }
    }
    #expect(locks.allSatisfy { $0.number == 1 })
  }

  private final class Owned: Sendable {
    let lock = OwnedLock()
    var isHeld: Bool { lock.isHeld }
    var isMine: Bool { lock.isHeldByThisThread }
  }

  @Test func `an owned lock knows whether the calling thread holds it`() {
    let shared = Owned()
    #expect(!shared.isHeld && !shared.isMine)
    shared.lock.withLock {
      #expect(shared.isHeld && shared.isMine)
      withThreads(2) { _ in #expect(shared.isHeld && !shared.isMine) }
      #expect(shared.isMine)
    }
    #expect(!shared.isHeld && !shared.isMine)
  }

  @Test func `threads that share an owned lock each see themselves as its only owner`() {
    let shared = Owned()
    let number = Counter()
    withThreads(4) { _ in
      for _ in 0..<20_000 {
        if shared.isMine { Issue.record("The lock has not been acquired yet") }
        shared.lock.withLock {
          let before = number.value
          if !shared.isMine { Issue.record("Another thread holds the lock too") }
          number.add()
          if number.value != before + 1 { Issue.record("Another thread entered") }
        }
      }
    }
    #expect(number.value == 80_000)
  }
}
