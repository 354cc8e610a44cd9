extension Signal {
  /// Subscribes again when the signal fails.
  ///
  /// The next attempt begins at once, and any number of attempts uses constant stack space. Values that were sent
  /// before a failure are not retracted. A new attempt may send them again.
  ///
  /// ```swift
  /// import Signals
  ///
  /// struct Offline: Error {}
  /// let attempts = MutableProperty(0)
  /// let connection = DeferredSignal {
  ///   attempts.modify { $0 += 1 }
  ///   return attempts.value < 3 ? AnySignal<String, Offline>.fail(Offline()) : .just("connected")
  /// }
  /// let subscription = connection.retry(5).replaceError(with: "gave up").sink { print($0, attempts.value) }
  /// // Prints "connected 3"
  /// ```
  ///
  /// Attempts follow each other without a pause. A signal that always fails at once keeps the subscribing thread busy
  /// for as long as `retries` allows.
  ///
  /// - Parameters:
  ///   - retries: The maximum number of attempts after the first one. The default is no limit.
  ///   - shouldRetry: A closure that is called with each error while attempts are left, and returns `true` to make
  ///     another. By default, every failure is retried.
  /// - Returns: A signal of the values of all attempts. It fails with the error of the last one.
  @inlinable
  public func retry(
    _ retries: Int = .max,
    when shouldRetry: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> RetrySignal<Self> {
    RetrySignal(upstream: self, retries: retries, shouldRetry: shouldRetry)
  }
}

/// A signal that subscribes again after a failure; the result of ``Signal/retry(_:when:)``.
@frozen
public struct RetrySignal<Upstream: Signal>: Signal {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let retries: Int
  @usableFromInline let shouldRetry: @Sendable (Failure) -> Bool

  @inlinable @inline(__always)
  init(upstream: Upstream, retries: Int, shouldRetry: @escaping @Sendable (Failure) -> Bool) {
    self.upstream = upstream
    self.retries = retries
    self.shouldRetry = shouldRetry
  }

  /// Attaches a subscriber to the upstream signal, once for each attempt.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let run = RetryRun(of: self, for: subscriber)
    run.advance()
    return SignalSubscription(owner: run.current)
  }
}

/// One subscription to a signal that is retried after a failure.
@usableFromInline
final class RetryRun<Upstream: Signal, Downstream: SignalSubscriber<Upstream.Element, Upstream.Failure>>:
  @unchecked Sendable
{
  // Sound: `left` belongs to the running attempt; the rest is immutable, atomic or guards itself.
  @usableFromInline let upstream: Upstream
  @usableFromInline let downstream: Downstream
  @usableFromInline let shouldRetry: @Sendable (Upstream.Failure) -> Bool
  @usableFromInline let current = CurrentUpstream()
  @usableFromInline var left: Int
  @usableFromInline let trampoline = Trampoline()

  @inlinable
  init(of signal: RetrySignal<Upstream>, for downstream: Downstream) {
    upstream = signal.upstream
    left = signal.retries
    shouldRetry = signal.shouldRetry
    self.downstream = downstream
  }

  @inlinable @inline(__always)
  var isDone: Bool { current.isCancelled || downstream.isDone }

  /// Starts an attempt.
  @inlinable
  func advance() {
    trampoline.run { attempt() }
  }

  @inlinable
  func attempt() {
    guard !isDone else { return }
    let input = current.begin()
    current.keep(upstream.subscribe(RetryStage(run: self)), of: input)
  }

  /// Starts another attempt, or passes the failure on.
  @inlinable
  func fail(_ error: Upstream.Failure) {
    guard !current.isCancelled else { return }
    if left > 0, shouldRetry(error) {
      if left < .max { left -= 1 }
      advance()
    } else if !current.isCancelled {
      downstream.receive(completion: .failure(error))
    }
  }
}

/// A subscriber that passes on the values of one attempt.
@usableFromInline
@frozen
struct RetryStage<Upstream: Signal, Downstream: SignalSubscriber<Upstream.Element, Upstream.Failure>>: SignalSubscriber
{
  @usableFromInline typealias Element = Upstream.Element
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let run: RetryRun<Upstream, Downstream>

  @inlinable @inline(__always)
  init(run: RetryRun<Upstream, Downstream>) {
    self.run = run
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    if !run.current.isCancelled { run.downstream.receive(value) }
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    switch completion {
    case .finished: if !run.current.isCancelled { run.downstream.receive(completion: .finished) }
    case .failure(let error): run.fail(error)
    }
  }

  @inlinable @inline(__always)
  var isDone: Bool { run.isDone }
}

extension RetryStage: IndirectStep {
  var next: Any? { run.downstream }
}
