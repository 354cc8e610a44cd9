public import Dispatch
public import Signals

/// What a test waited for and did not get.
public struct Timeout: Error, CustomStringConvertible {
  /// Which wait it was, and what had come until then.
  public let description: String
}

/// Keeps what it is given, in order, and lets tests wait for it.
///
/// Nothing sleeps and nothing polls: a wait ends in the call that records the element it is for. The time limit is generous,
/// because only a failure reaches it.
public final class Recorder<Element: Sendable>: Sendable {
  private struct Waiter {
    let isSatisfied: ([Element]) -> Bool
    let continuation: CheckedContinuation<[Element], any Error>
  }

  private let lock = Lock()
  private nonisolated(unsafe) var recorded: [Element] = []  // Sound: guarded by the lock, as is the next.
  private nonisolated(unsafe) var waiters: [Int: Waiter] = [:]
  private nonisolated(unsafe) var waiterCount = 0
  private nonisolated(unsafe) var subscription: SignalSubscription?

  /// Makes an empty recorder.
  public init() {}

  /// Everything so far, in order.
  public var elements: [Element] {
    lock.withLock { recorded }
  }

  /// Keeps an element, and ends the waits that it satisfies.
  public func record(_ element: Element) {
    let satisfied = lock.withLock {
      recorded.append(element)
      let satisfied = waiters.filter { $0.value.isSatisfied(recorded) }
      for key in satisfied.keys { waiters[key] = nil }
      return satisfied.values.map { ($0.continuation, recorded) }
    }
    for (continuation, elements) in satisfied { continuation.resume(returning: elements) }
  }

  /// Waits until what was recorded satisfies a condition, and returns it.
  @discardableResult
  public func wait(
    for purpose: String = "a condition",
    timeout: DispatchTimeInterval = .seconds(30),
    until isSatisfied: @escaping @Sendable ([Element]) -> Bool
  ) async throws -> [Element] {
    try await withCheckedThrowingContinuation { continuation in
      let key: Int? = lock.withLock {
        if isSatisfied(recorded) { return nil }
        waiterCount += 1
        waiters[waiterCount] = Waiter(isSatisfied: isSatisfied, continuation: continuation)
        return waiterCount
      }
      guard let key else { return continuation.resume(returning: elements) }
      DispatchQueue.global().asyncAfter(deadline: .now() + timeout) { [weak self] in self?.expire(key, purpose) }
    }
  }

  /// Waits for the first element that satisfies a condition, whether it has come already or not.
  @discardableResult
  public func first(
    _ purpose: String = "an element",
    where isWanted: @escaping @Sendable (Element) -> Bool
  ) async throws -> Element {
    let elements = try await wait(for: purpose) { $0.contains(where: isWanted) }
    guard let element = elements.first(where: isWanted) else { throw Timeout(description: purpose) }
    return element
  }

  private func expire(_ key: Int, _ purpose: String) {
    let expired = lock.withLock { () -> (CheckedContinuation<[Element], any Error>, [Element])? in
      waiters.removeValue(forKey: key).map { ($0.continuation, recorded) }
    }
    guard let (continuation, elements) = expired else { return }
    let last = elements.suffix(5).map { String("\($0)".prefix(200)) }
    continuation.resume(
      throwing: Timeout(description: "Waited in vain for \(purpose); \(elements.count) came, the last \(last)")
    )
  }

  fileprivate func keep(_ subscription: SignalSubscription) {
    self.subscription = subscription
  }
}

extension Recorder where Element: Equatable {
  /// Waits until an element has come.
  public func wait(for element: Element) async throws {
    try await wait(for: String("\(element)".prefix(200))) { $0.contains(element) }
  }
}

extension Signal where Failure == Never {
  /// Records what the signal sends, for as long as the recorder lives.
  public func recorded() -> Recorder<Element> {
    let recorder = Recorder<Element>()
    recorder.keep(sink { [weak recorder] in recorder?.record($0) })
    return recorder
  }

  /// Waits for the first value that satisfies a condition.
  @discardableResult
  public func firstValue(
    _ purpose: String = "a value",
    where isWanted: @escaping @Sendable (Element) -> Bool
  ) async throws -> Element {
    try await recorded().first(purpose, where: isWanted)
  }
}
