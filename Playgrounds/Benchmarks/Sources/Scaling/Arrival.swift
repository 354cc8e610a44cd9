import Dispatch
import Foundation

/// The latest number that has arrived, and the time of its arrival.
final class Arrival: @unchecked Sendable {  // Sound: guarded by the condition.
  private let condition = NSCondition()
  private var number = 0
  private var time: UInt64 = 0

  func note(_ number: Int) {
    let now = DispatchTime.now().uptimeNanoseconds
    condition.withLock {
      (self.number, time) = (number, now)
      condition.broadcast()
    }
  }

  /// Notes one more than the latest number.
  func noteNext() {
    let now = DispatchTime.now().uptimeNanoseconds
    condition.withLock {
      (number, time) = (number + 1, now)
      condition.broadcast()
    }
  }

  /// Waits until a number has arrived, and returns the time of its arrival in nanoseconds.
  func wait(for expected: Int) throws -> UInt64 {
    try condition.withLock {
      let limit = Date(timeIntervalSinceNow: 20)
      while number < expected {
        guard condition.wait(until: limit) else { throw NothingArrived(expected: expected) }
      }
      return time
    }
  }
}

struct NothingArrived: Error {
  let expected: Int
}

/// The sum of received values, so that the work cannot be optimised away.
final class Tally: @unchecked Sendable {  // Sound: a delivery never overlaps another one of the same source.
  @exclusivity(unchecked) var sum = 0

  @inline(__always)
  func add(_ value: Int) {
    sum &+= value
  }
}
