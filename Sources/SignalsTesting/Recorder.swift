public import Signals

/// A list of recorded elements for which tests can wait.
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
/// A wait neither sleeps nor polls. It ends in the call that records the element it waits for. Without a `timeout`, a
/// wait fails after 10 seconds. Only a failing test reaches the limit, so raise it if a busy machine may need longer,
/// for example to start other processes. Any thread may record and wait.
public final class Recorder<Element: Sendable>: Sendable {
  private struct Waiter: Sendable {
    let condition: Condition
    let continuation: CheckedContinuation<[Element], any Error>

    /// The task that ends the wait when its time is up.
    let limit: Task<Void, Never>
  }

  private enum Condition: Sendable {
    /// A condition for the list of elements as a whole.
    case whole(@Sendable ([Element]) -> Bool)

    /// A condition for a single element, so that no element is checked twice.
    case some(@Sendable (Element) -> Bool)

    func holds(for elements: [Element]) -> Bool {
      switch self {
      case .whole(let condition): condition(elements)
      case .some(let condition): elements.contains(where: condition)
      }
    }

    /// Returns a Boolean value that indicates whether a condition that did not hold before holds with one more element.
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

  /// Creates an empty recorder.
  public init() {}

  /// The recorded elements, in order.
  public var elements: [Element] {
    state.withLock { $0.elements }
  }

  /// Records an element, and ends the waits that it satisfies.
  ///
  /// - Parameter element: The element to append.
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

  /// Waits until the recorded elements satisfy a condition, and returns them.
  ///
  /// - Parameters:
  ///   - purpose: A description of the wait, for the error.
  ///   - timeout: The maximum time to wait; 10 seconds by default.
  ///   - isSatisfied: A closure that is called with all elements, now and each time one more is recorded. A lock is
  ///     held, so it must not use the recorder.
  /// - Returns: All elements at the moment when the condition was satisfied.
  /// - Throws: ``RecorderTimeout`` if the time is up, or `CancellationError` if the task is cancelled.
  @discardableResult
  public func wait(
    for purpose: String = "a condition",
    timeout: Duration = .seconds(10),
    until isSatisfied: @escaping @Sendable ([Element]) -> Bool
  ) async throws -> [Element] {
    try await wait(for: purpose, timeout, until: .whole(isSatisfied))
  }

  /// Waits for the first element that satisfies a condition, which may already have been recorded.
  ///
  /// - Parameters:
  ///   - purpose: A description of the wait, for the error.
  ///   - timeout: The maximum time to wait; 10 seconds by default.
  ///   - isWanted: A closure that is called with each element. A lock is held, so it must not use the recorder.
  /// - Returns: The element.
  /// - Throws: ``RecorderTimeout`` if the time is up, or `CancellationError` if the task is cancelled.
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

  /// Ends a wait with an error that is created from the recorded elements.
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
  /// Waits until an element has been recorded.
  ///
  /// - Parameters:
  ///   - element: The element to wait for.
  ///   - timeout: The maximum time to wait; 10 seconds by default.
  /// - Throws: ``RecorderTimeout`` if the time is up, or `CancellationError` if the task is cancelled.
  public func wait(for element: Element, timeout: Duration = .seconds(10)) async throws {
    try await first(String("\(element)".prefix(200)), timeout: timeout) { $0 == element }
  }
}

extension Signal where Failure == Never {
  /// Records the values of the signal as long as the recorder lives.
  ///
  /// - Returns: The recorder.
  public func recorded() -> Recorder<Element> {
    let recorder = Recorder<Element>()
    recorder.keep(sink { [weak recorder] in recorder?.record($0) })
    return recorder
  }
}

/// The error of a wait that timed out.
public struct RecorderTimeout: Error, CustomStringConvertible {
  /// A description of the wait and of the last recorded elements.
  public let description: String

  init<Element>(waitingFor purpose: String, elements: [Element]) {
    let last = elements.suffix(5).map { String("\($0)".prefix(200)) }
    description = "Timed out waiting for \(purpose). Elements recorded: \(elements.count). Last: \(last)"
  }
}
