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
  /// A signal that always fails at once keeps the subscribing thread busy for as long as `retries` allows. To pause
  /// between attempts, use ``retry(_:clock:resetsOnValue:when:)``.
  ///
  /// - Parameters:
  ///   - retries: The maximum number of attempts after the first one. The default is no limit.
  ///   - shouldRetry: A closure that is called with each error while attempts are left, and returns `true` to make
  ///     another. By default, every failure is retried.
  /// - Returns: A signal of the values of all attempts. It fails with the error of the last one.
  @inlinable
  public func retry(
    _ retries: Int = .max, when shouldRetry: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> some Signal<Element, Failure> {
    let limit = retries == .max ? nil : Swift.max(0, retries)
    return retry(.constant(.zero, limit: limit), clock: ContinuousClock(), when: shouldRetry)
  }

  /// Subscribes again when the signal fails, after pauses that a ``Backoff`` determines.
  ///
  /// The backoff specifies how long each pause is, how much it varies, and how many attempts follow the first one.
  /// Values that were sent before a failure are not retracted.
  ///
  /// ```swift
  /// import Signals
  /// import SignalsTesting
  ///
  /// let marbles = Marbles()
  /// let shaky = marbles.cold("a#")
  /// let patient = shaky.retry(.exponential(from: .seconds(1), upTo: .seconds(3), limit: 3), clock: marbles.clock)
  /// print(marbles.diagram(of: patient))
  /// // Prints "a-a--a---a#"
  /// ```
  ///
  /// - **Threads:** An attempt after a pause begins on a thread of the clock, for most clocks a thread of the
  ///   concurrency pool. With a pause of zero, it begins at once on the failing thread, in constant stack space.
  /// - **Cancellation:** Cancelling ends the current attempt or the current pause. No timer remains on the clock.
  /// - **Memory:** Nothing is allocated for a value. A pause allocates its timer.
  ///
  /// - Parameters:
  ///   - backoff: The pauses between attempts. Its `limit` is the maximum number of attempts after the first one or, if
  ///     values reset the pauses, after the last value.
  ///   - clock: The clock that measures the pauses.
  ///   - resetsOnValue: A Boolean value that indicates whether each value starts the series of pauses over. Set it for
  ///     a connection that works for hours between two failures.
  ///   - shouldRetry: A closure that is called with each error while attempts are left, and returns `true` to make
  ///     another. By default, every failure is retried.
  /// - Returns: A signal of the values of all attempts. It fails with the error of the last one.
  @inlinable
  public func retry<C: Clock>(
    _ backoff: Backoff,
    clock: C = ContinuousClock(),
    resetsOnValue: Bool = false,
    when shouldRetry: @escaping @Sendable (Failure) -> Bool = { _ in true }
  ) -> some Signal<Element, Failure> where C.Duration == Duration {
    RetrySignal(
      upstream: self, backoff: backoff, clock: clock, resetsOnValue: resetsOnValue, shouldRetry: shouldRetry
    )
  }
}

/// A signal that subscribes again after a failure; the result of ``Signal/retry(_:when:)`` and
/// ``Signal/retry(_:clock:resetsOnValue:when:)``.
@usableFromInline
struct RetrySignal<Upstream: Signal, C: Clock>: Signal where C.Duration == Duration {
  /// The values of the upstream signal.
  @usableFromInline typealias Element = Upstream.Element

  /// The error of the upstream signal.
  @usableFromInline typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let backoff: Backoff
  @usableFromInline let clock: C
  @usableFromInline let resetsOnValue: Bool
  @usableFromInline let shouldRetry: @Sendable (Failure) -> Bool

  @inlinable @inline(__always)
  init(
    upstream: Upstream, backoff: Backoff, clock: C, resetsOnValue: Bool,
    shouldRetry: @escaping @Sendable (Failure) -> Bool
  ) {
    self.upstream = upstream
    (self.backoff, self.clock, self.resetsOnValue, self.shouldRetry) = (backoff, clock, resetsOnValue, shouldRetry)
  }

  /// Attaches a subscriber to the upstream signal, once for each attempt.
  @inlinable @inline(__always)
  func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    let run = RetryRun(of: self, for: subscriber)
    run.advance()
    return SignalSubscription(owner: run.current)
  }
}

/// One subscription to a signal that is retried after a failure.
@usableFromInline
final class RetryRun<Upstream: Signal, C: Clock, Downstream: SignalSubscriber<Upstream.Element, Upstream.Failure>>:
  InputReceiver, @unchecked Sendable
where C.Duration == Duration {
  // Sound: `pauses` belongs to the running attempt; the rest is immutable, atomic or guards itself.
  @usableFromInline let signal: RetrySignal<Upstream, C>
  @usableFromInline let downstream: Downstream

  /// The subscription of the current attempt, or the timer of the current pause.
  @usableFromInline let current = CurrentUpstream()
  @exclusivity(unchecked) @usableFromInline var pauses: Backoff.Pauses
  @usableFromInline let trampoline = Trampoline()

  @inlinable
  init(of signal: RetrySignal<Upstream, C>, for downstream: Downstream) {
    self.signal = signal
    pauses = signal.backoff.pauses()
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
    current.keep(signal.upstream.subscribe(HubInput(self)), of: input)
  }

  @inlinable @inline(__always)
  func receive(_ value: Upstream.Element, from key: Void) {
    guard !current.isCancelled else { return }
    if signal.resetsOnValue { pauses.reset() }
    downstream.receive(value)
  }

  @inlinable
  func receive(completion: SignalCompletion<Upstream.Failure>, from key: Void) {
    switch completion {
    case .finished: if !current.isCancelled { downstream.receive(completion: .finished) }
    case .failure(let error): fail(error)
    }
  }

  @inlinable @inline(__always)
  func isDone(_ key: Void) -> Bool { isDone }

  /// Starts another attempt, at once or after a pause, or passes the failure on.
  @inlinable
  func fail(_ error: Upstream.Failure) {
    guard !current.isCancelled else { return }
    if let pause = pauses.next(), signal.shouldRetry(error) {
      if pause > .zero { wait(for: pause) } else { advance() }
    } else if !current.isCancelled {
      downstream.receive(completion: .failure(error))
    }
  }

  @inlinable
  func wait(for pause: Duration) {
    let input = current.begin()
    current.keep(Alarm.call(after: pause, on: signal.clock) { [self] in advance() }, of: input)
  }
}

extension RetryRun: IndirectStep {
  var next: Any? { downstream }
}
