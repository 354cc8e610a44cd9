public import Signals

/// Keeps what it is given, in order, and lets tests wait for it.
///
/// ```swift
/// import Signals
/// import SignalsTesting
///
/// let numbers = Emitter<Int, Never>()
/// let recorder = numbers.recorded()
/// Task.detached { for number in 1...3 { numbers.send(number) } }
/// let elements = try await recorder.wait(for: "three numbers") { $0.count == 3 }
/// print(elements)  // Prints "[1, 2, 3]"
/// ```
///
/// Nothing sleeps and nothing polls: a wait ends in the call that records the element it is for. Without a `timeout`, a
/// wait fails after 10 seconds. Only a failure reaches the limit, so raise it where a busy machine may need longer, as
/// for other processes. Any thread may record and wait.
public final class Recorder<Element: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let condition: Condition
    let continuation: CheckedContinuation<[Element], any Error>

    /// Ends the wait when its time is over.
    let limit: Task<Void, Never>
  }

  private enum Condition: Sendable {
    /// Concerns the elements as a whole.
    case whole(@Sendable ([Element]) -> Bool)

    /// Concerns one element alone, so that none need be looked at twice.
    case some(@Sendable (Element) -> Bool)

    func holds(for elements: [Element]) -> Bool {
      switch self {
      case .whole(let condition): condition(elements)
      case .some(let condition): elements.contains(where: condition)
      }
    }

    /// Whether the condition, which did not hold before, holds with one more element.
    func holds(for elements: [Element], newest: Element) -> Bool {
      switch self {
      case .whole(let condition): condition(elements)
      case .some(let condition): condition(newest)
      }
    }
  }

  private struct State {
    var elements: [Element] = []
    var waiters: [Int: Waiter] = [:]
    var waiterCount = 0
    var subscription: SignalSubscription?
  }

  private let state = Guarded(State())

  /// Makes an empty recorder.
  public init() {}

  /// Everything so far, in order.
  public var elements: [Element] {
    state.withLock { $0.elements }
  }

  /// Keeps an element, and ends the waits that it satisfies.
  ///
  /// - Parameter element: The element, which comes after all that were recorded before.
  public func record(_ element: Element) {
    let (satisfied, elements) = state.withLock { state in
      state.elements.append(element)
      let satisfied = state.waiters.filter { $0.value.condition.holds(for: state.elements, newest: element) }
      for key in satisfied.keys { state.waiters[key] = nil }
      return (Array(satisfied.values), satisfied.isEmpty ? [] : state.elements)
    }
    for waiter in satisfied {
      waiter.limit.cancel()
      waiter.continuation.resume(returning: elements)
    }
  }

  /// Waits until what was recorded satisfies a condition, and returns it.
  ///
  /// - Parameters:
  ///   - purpose: What is waited for, in words, for the error.
  ///   - timeout: How long to wait at most; 10 seconds unless you say otherwise.
  ///   - isSatisfied: Called with all elements, now and each time that one more is recorded, with a lock held: it must
  ///     not use the recorder.
  /// - Returns: All elements at the moment when the condition was satisfied.
  /// - Throws: ``RecorderTimeout`` if the time is over, `CancellationError` if the task is cancelled.
  @discardableResult
  public func wait(
    for purpose: String = "a condition",
    timeout: Duration = .seconds(10),
    until isSatisfied: @escaping @Sendable ([Element]) -> Bool
  ) async throws -> [Element] {
    try await wait(for: purpose, timeout, until: .whole(isSatisfied))
  }

  /// Waits for the first element that satisfies a condition, whether it has come already or not.
  ///
  /// - Parameters:
  ///   - purpose: What is waited for, in words, for the error.
  ///   - timeout: How long to wait at most; 10 seconds unless you say otherwise.
  ///   - isWanted: Called with each element, with a lock held: it must not use the recorder.
  /// - Returns: The element.
  /// - Throws: ``RecorderTimeout`` if the time is over, `CancellationError` if the task is cancelled.
  @discardableResult
  public func first(
    _ purpose: String = "an element",
    timeout: Duration = .seconds(10),
    where isWanted: @escaping @Sendable (Element) -> Bool
  ) async throws -> Element {
    let elements = try await wait(for: purpose, timeout, until: .some(isWanted))
    guard let element = elements.first(where: isWanted) else {
      throw RecorderTimeout(waitingFor: purpose, elements: elements)
    }
    return element
  }

  private func wait(for purpose: String, _ timeout: Duration, until condition: Condition) async throws -> [Element] {
    let key = state.withLock { state in
      state.waiterCount += 1
      return state.waiterCount
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let outcome: Result<[Element], any Error>? = state.withLock { state in
          if condition.holds(for: state.elements) { return .success(state.elements) }
          if Task.isCancelled { return .failure(CancellationError()) }
          let limit = Task.detached { [weak self] in
            do {
              try await Task.sleep(for: timeout)
            } catch {
              // Cancelled, because the wait has ended.
              return
            }
            self?.end(key) { RecorderTimeout(waitingFor: purpose, elements: $0) }
          }
          state.waiters[key] = Waiter(condition: condition, continuation: continuation, limit: limit)
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    } onCancel: {
      end(key) { _ in CancellationError() }
    }
  }

  /// Ends a wait with an error, made from what has come so far.
  private func end(_ key: Int, _ error: ([Element]) -> any Error) {
    let (waiter, elements) = state.withLock { ($0.waiters.removeValue(forKey: key), $0.elements) }
    guard let waiter else { return }
    waiter.limit.cancel()
    waiter.continuation.resume(throwing: error(elements))
  }

  fileprivate func keep(_ subscription: SignalSubscription) {
    state.withLock { $0.subscription = subscription }
  }
}

extension Recorder where Element: Equatable {
  /// Waits until an element has come.
  ///
  /// - Parameters:
  ///   - element: What to wait for.
  ///   - timeout: How long to wait at most; 10 seconds unless you say otherwise.
  /// - Throws: ``RecorderTimeout`` if the time is over, `CancellationError` if the task is cancelled.
  public func wait(for element: Element, timeout: Duration = .seconds(10)) async throws {
    try await first(String("\(element)".prefix(200)), timeout: timeout) { $0 == element }
  }
}

extension Signal where Failure == Never {
  /// Records what the signal sends, for as long as the recorder lives.
  ///
  /// - Returns: The recorder.
  public func recorded() -> Recorder<Element> {
    let recorder = Recorder<Element>()
    recorder.keep(sink { [weak recorder] in recorder?.record($0) })
    return recorder
  }
}
