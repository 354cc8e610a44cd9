import Foundation
import OpenCombine
import Signals
import Synchronization

/// Reading and writing an observable value.
func registerProperties() {
  measure("propertySet", "Signals") {
    let tally = Tally()
    let property = MutableProperty(0)
    let subscription = property.sink { tally.add($0) }
    return { count in
      for value in 0..<count { property.value = value }
      withExtendedLifetime(subscription) {}
    }
  }
  measure("propertySet", "OpenCombine") {
    let tally = Tally()
    let property = CurrentValueSubject<Int, Never>(0)
    let subscription = property.sink { tally.add($0) }
    return { count in
      for value in 0..<count { property.value = value }
      withExtendedLifetime(subscription) {}
    }
  }
  measure("propertySet", "mutex pair + exchange pair") {
    let tally = Tally()
    let lock = PlainLock()
    let turn = ExchangePair()
    return { count in
      for value in 0..<count {
        lock.pair()
        turn.pair()
        tally.add(value)
      }
    }
  }

  measure("propertyRead", "Signals") {
    let tally = Tally()
    let property = MutableProperty(1)
    return { count in for _ in 0..<count { tally.add(property.value) } }
  }
  measure("propertyRead", "OpenCombine") {
    let tally = Tally()
    let property = CurrentValueSubject<Int, Never>(1)
    return { count in for _ in 0..<count { tally.add(property.value) } }
  }
  measure("propertyRead", "mutex pair") {
    let tally = Tally()
    let lock = PlainLock()
    return { count in
      for value in 0..<count {
        lock.pair()
        tally.add(value)
      }
    }
  }
  measure("sink", "exchange pair") {
    let turn = ExchangePair()
    return { count in for _ in 0..<count { turn.pair() } }
  }
}

/// A bare mutex of the platform.
final class PlainLock: @unchecked Sendable {  // Sound: a mutex may be used from any thread.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  @inline(__always)
  func pair() {
    pthread_mutex_lock(mutex)
    pthread_mutex_unlock(mutex)
  }
}

/// Taking and giving back a token with two atomic compare-and-exchanges.
final class ExchangePair: Sendable {
  private let token = Atomic<UInt8>(0)

  @inline(__always)
  func pair() {
    _ = token.compareExchange(expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed)
    _ = token.compareExchange(expected: 1, desired: 0, successOrdering: .releasing, failureOrdering: .relaxed)
  }
}
