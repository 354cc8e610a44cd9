import Foundation
import Signals
import Testing

/// Collects what a callback is given, on whatever thread, for a test to wait for.
final class Log<Element: Sendable>: @unchecked Sendable {  // Sound: guarded by the condition.
  private let condition = NSCondition()
  private var elements: [Element] = []

  func append(_ element: Element) {
    condition.lock()
    elements.append(element)
    condition.broadcast()
    condition.unlock()
  }

  var all: [Element] {
    condition.lock()
    defer { condition.unlock() }
    return elements
  }

  /// Blocks until the elements fulfil a condition; only a failure makes it wait for the time limit.
  @discardableResult
  func wait(
    _ seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation, until isFulfilled: ([Element]) -> Bool
  ) -> [Element] {
    let limit = Date(timeIntervalSinceNow: seconds)
    condition.lock()
    defer { condition.unlock() }
    while !isFulfilled(elements) {
      if !condition.wait(until: limit) {
        Issue.record("Waited in vain; got \(elements.suffix(20))", sourceLocation: sourceLocation)
        break
      }
    }
    return elements
  }
}

/// Waits until something holds that no event tells of, such as that a thread of the system has let go of something.
func eventually(
  _ seconds: Double = 60, sourceLocation: SourceLocation = #_sourceLocation, _ holds: () throws -> Bool
) rethrows {
  let limit = Date(timeIntervalSinceNow: seconds)
  while try !holds() {
    guard Date() < limit else {
      Issue.record("It never came to hold", sourceLocation: sourceLocation)
      return
    }
    usleep(2000)
  }
}
