import Dispatch
package import Foundation
import Signals
import Synchronization

/// A queue of calls that may block, for tasks, which must not block the threads of the concurrency pool.
///
/// ```
/// let calls = BlockingCalls(width: 1)
/// let result = try await calls.run { try waitForAnotherProcess() }
/// ```
///
/// - **Threads:** Calls run on threads of Dispatch, at most ``width`` at a time, and never on a thread of the
///   concurrency pool. Calls that block do not prevent another queue of the process from getting a thread.
/// - **Order:** Calls start in the order in which they are made.
/// - **Cancellation:** If the task is cancelled before its call has started, `CancellationError` is thrown at once and
///   the call never runs. After the start, cancellation has no effect: the call runs to its end, and its result is
///   returned or its error is thrown.
package final class BlockingCalls: Sendable {
  /// The maximum number of calls that run at the same time.
  package let width: Int

  /// A serial queue for each call that may run at the same time.
  ///
  /// Dispatch creates a thread for a serial queue even if all others block. Concurrent queues share a few threads,
  /// which blocking calls would exhaust.
  private let queues: [DispatchQueue]
  private let state: Guarded<State>

  package init(width: Int) {
    self.width = max(1, width)
    queues = (0..<self.width).map { _ in DispatchQueue(label: "org.signals.blocking", qos: .userInitiated) }
    state = Guarded(State(idle: Array(queues.indices)))
  }

  /// Runs a call that may block.
  ///
  /// - Parameter body: A closure that runs at most once.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, or `CancellationError` if the task was cancelled before the call started.
  package func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await hold { answer in answer(Swift.Result(catching: body)) }
  }

  /// Runs a call that keeps its thread after it has returned its result, such as a call that holds a lock for a task.
  ///
  /// Until the call returns, it counts towards ``width``.
  ///
  /// - Parameter body: A closure that runs at most once and calls its argument exactly once.
  /// - Returns: The value that `body` passed to its argument.
  /// - Throws: The error that `body` passed, or `CancellationError` if the task was cancelled before the call started.
  package func hold<Result: Sendable>(
    _ body: @escaping @Sendable (_ answer: (Swift.Result<Result, any Error>) -> Void) -> Void
  ) async throws -> Result {
    let ticket = Ticket()
    let cause = Cause.current
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(ticket) { isCancelled in
          if isCancelled { return continuation.resume(throwing: CancellationError()) }
          // A thread of Dispatch knows no values of the task.
          Cause.withValue(cause) { body { continuation.resume(with: $0) } }
        }
      }
    } onCancel: {
      if let number = ticket.cancel() { cancel(number) }
    }
  }

  // MARK: Queue

  /// A function that runs a call, or ends its wait without running it.
  private typealias Call = @Sendable (_ isCancelled: Bool) -> Void

  private func add(_ ticket: Ticket, _ call: @escaping Call) {
    // Otherwise the call could start before it is removed below.
    if ticket.isCancelled { return call(true) }
    let (number, idle) = state.withLock { ($0.waiting.append(call), $0.idle.popLast()) }
    if let idle { queues[idle].async { [self] in work(on: idle) } }
    if ticket.isCancelled(afterNumbering: number) { cancel(number) }
  }

  private func cancel(_ number: Int) {
    state.withLock { $0.waiting.remove(number) }?(true)
  }

  /// The number of calls that have not started, including cancelled ones.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  private func work(on index: Int) {
    while let call = next(for: index) { call(false) }
  }

  private func next(for index: Int) -> Call? {
    state.withLock { state in
      if let call = state.waiting.removeFirst() { return call }
      state.idle.append(index)
      return nil
    }
  }

  private struct State {
    var waiting = Line<Call>()
    /// The indices of the queues on which no call runs.
    var idle: [Int]
  }
}

// MARK: One queue for each file

extension BlockingCalls {
  private static let files = Guarded<[String: (calls: BlockingCalls, users: Int)]>([:])

  /// Runs a call that may wait for a file.
  ///
  /// Calls for the same file run one at a time.
  ///
  /// However many tasks wait for a file, only one thread waits. The queue of a file exists while it is used.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - body: A closure that runs at most once.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` throws, or `CancellationError` if the task was cancelled before the call started.
  package static func run<Result: Sendable>(
    for url: URL, _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let path = url.path
    let calls = files.withLock { files in
      let calls = files[path]?.calls ?? BlockingCalls(width: 1)
      files[path, default: (calls, 0)].users += 1
      return calls
    }
    defer {
      files.withLock { files in
        files[path]?.users -= 1
        if files[path]?.users == 0 { files[path] = nil }
      }
    }
    return try await calls.run(body)
  }

  /// The paths of the files that have a queue.
  static var filesInUse: Set<String> { files.withLock { Set($0.keys) } }
}

// MARK: Cancellation

/// The number of a call in its queue, or a mark that its task was cancelled before the call got one.
private final class Ticket: Sendable {
  private let number = Atomic(Ticket.none)

  private static let none = -1
  private static let cancelled = -2

  /// Records that the task was cancelled, and returns the number of the call if it has one.
  func cancel() -> Int? {
    let known = number.exchange(Self.cancelled, ordering: .acquiringAndReleasing)
    return known >= 0 ? known : nil
  }

  /// A Boolean value that indicates whether the task was cancelled.
  var isCancelled: Bool { number.load(ordering: .acquiring) == Self.cancelled }

  /// Records the number, and returns `true` if the task had already been cancelled.
  func isCancelled(afterNumbering number: Int) -> Bool {
    !self.number.compareExchange(expected: Self.none, desired: number, ordering: .acquiringAndReleasing).exchanged
  }
}

/// A queue of numbered elements, from which any element can be removed by its number.
private struct Line<Element> {
  private var elements: [Element?] = []
  private var head = 0
  /// The number of the first of `elements`.
  private var offset = 0

  /// The number of elements, including gaps.
  var count: Int { elements.count - head }

  /// Appends an element and returns its number.
  mutating func append(_ element: Element) -> Int {
    elements.append(element)
    return offset + elements.count - 1
  }

  /// Removes and returns the oldest element, or returns `nil` if there is none.
  mutating func removeFirst() -> Element? {
    while head < elements.count {
      let element = elements[head].take()
      head += 1
      if let element {
        // Space is reclaimed when there are as many gaps as elements, so that each is moved once on average.
        if head * 2 > elements.count { compact() }
        return element
      }
    }
    compact()
    return nil
  }

  /// Removes and returns the element with a number, if it is still there.
  mutating func remove(_ number: Int) -> Element? {
    let index = number - offset
    return elements.indices.contains(index) ? elements[index].take() : nil
  }

  private mutating func compact() {
    elements.removeFirst(head)
    offset += head
    head = 0
  }
}
