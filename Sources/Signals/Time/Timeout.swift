extension Signal {
  /// Ends the signal if no value arrives for an interval.
  ///
  /// The interval begins with the subscription and starts over with each value. A value that arrives exactly at the end
  /// of the interval is in time. When the interval ends, the upstream signal is cancelled, and the result fails with
  /// `customError` or, without one, finishes.
  ///
  /// ```swift
  /// import Signals
  /// import SignalsTesting
  ///
  /// struct TooSlow: Error {}
  ///
  /// let clock = TestClock()
  /// let answers = Emitter<String, TooSlow>()
  /// let subscription = answers.timeout(.seconds(5), clock: clock, customError: { TooSlow() }).sink(
  ///   receiveCompletion: { if case .failure(let error) = $0 { print("failed:", type(of: error)) } },
  ///   receiveValue: { print($0) }
  /// )
  /// clock.advance(by: .seconds(3))
  /// answers.send("one")  // Prints "one"
  /// clock.advance(by: .seconds(5))
  /// // Prints "failed: TooSlow"
  /// ```
  ///
  /// Values are delivered on the thread that sends, and the completion on a thread of the clock.
  ///
  /// - Parameters:
  ///   - interval: The maximum time to wait for each value. If it is not positive, the signal ends at once.
  ///   - clock: The clock that measures the interval.
  ///   - customError: A closure that returns the error with which to fail. By default, the signal finishes. Apply
  ///     ``setFailureType(to:)`` first if the signal cannot fail.
  /// - Returns: A signal that ends after an interval without a value.
  @inlinable @inline(__always)
  public func timeout<C: Clock>(
    _ interval: Duration,
    clock: C = ContinuousClock(),
    customError: (@Sendable () -> Failure)? = nil
  ) -> TimeoutSignal<Self, C> where C.Duration == Duration {
    TimeoutSignal(upstream: self, interval: interval, clock: clock, customError: customError)
  }
}

/// A signal that ends after an interval without a value; the result of ``Signal/timeout(_:clock:customError:)``.
public struct TimeoutSignal<Upstream: Signal, C: Clock>: Signal where C.Duration == Duration {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let interval: Duration
  @usableFromInline let clock: C
  @usableFromInline let customError: (@Sendable () -> Failure)?

  @inlinable @inline(__always)
  init(upstream: Upstream, interval: Duration, clock: C, customError: (@Sendable () -> Failure)?) {
    self.upstream = upstream
    self.interval = interval
    self.clock = clock
    self.customError = customError
  }

  /// Attaches a subscriber to the upstream signal and starts the interval.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = TimeoutHub<Element, Failure, C>(interval: interval, clock: clock, customError: customError)
    let subscription = hub.open(for: subscriber)
    hub.upstreams.add(upstream.subscribe(TimedStage(hub: hub)))
    hub.begin()
    return subscription
  }
}

@usableFromInline
final class TimeoutHub<Element: Sendable, Failure: Error, C: Clock>: TimedHub<Element, Failure, C>, TimedInput,
  @unchecked Sendable
where C.Duration == Duration {
  // Sound: the mutable state belongs to the turn or is guarded by the superclass.
  @usableFromInline let interval: Duration
  private let beginning: C.Instant

  /// The closure that creates the error.
  ///
  /// It is released at the end, because the subscription's token keeps the hub alive.
  private var customError: (@Sendable () -> Failure)?

  @usableFromInline
  init(interval: Duration, clock: C, customError: (@Sendable () -> Failure)?) {
    self.interval = interval
    self.customError = customError
    beginning = clock.now
    super.init(clock: clock)
  }

  /// Starts the interval for the first value, unless a value has already arrived.
  ///
  /// This is called after the subscription to the upstream, so that a value that is due at the same moment comes first.
  @usableFromInline
  func begin() {
    core.withTurn { [self] in
      if !core.hasEnded, deadline == nil { wait(until: beginning.advanced(by: interval)) }
    }
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    let deadline = clock.now.advanced(by: interval)
    core.withTurn { [self] in pass(value, until: deadline) }
  }

  @inlinable
  func pass(_ value: Element, until deadline: C.Instant) {
    guard !core.hasEnded else { return }
    wait(until: deadline)
    core.deliver(value)
  }

  @usableFromInline
  override func expire(_ deadline: C.Instant) {
    let customError = takeError()
    finish(customError.map { .failure($0()) } ?? .finished)
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in
      _ = takeError()
      finish(completion)
    }
  }

  private func takeError() -> (@Sendable () -> Failure)? {
    let taken = customError
    customError = nil
    return taken
  }
}
