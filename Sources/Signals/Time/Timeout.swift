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
  /// Values are delivered on the thread that sends, and the completion of a timeout on a thread of the clock, or during
  /// the subscription if the interval is not positive.
  ///
  /// - Parameters:
  ///   - interval: The maximum time to wait for each value. If it is not positive, the signal ends at once
  ///     and does not subscribe.
  ///   - clock: The clock that measures the interval.
  ///   - customError: A closure that returns the error with which to fail. By default, the signal finishes. Apply
  ///     ``setFailureType(to:)`` first if the signal cannot fail.
  /// - Returns: A signal that ends after an interval without a value.
  @inlinable @inline(__always)
  public func timeout<C: Clock>(
    _ interval: Duration, clock: C = ContinuousClock(), customError: (@Sendable () -> Failure)? = nil
  ) -> some Signal<Element, Failure> where C.Duration == Duration {
    timed(Timeout(interval: interval, clock: clock, customError: customError))
  }
}

@usableFromInline
struct Timeout<Input: Sendable, Failure: Error, TimeSource: Clock>: TimedOperator
where TimeSource.Duration == Duration {
  @usableFromInline let interval: Duration
  @usableFromInline let clock: TimeSource
  @usableFromInline let customError: (@Sendable () -> Failure)?

  @inlinable @inline(__always)
  init(interval: Duration, clock: TimeSource, customError: (@Sendable () -> Failure)?) {
    (self.interval, self.clock, self.customError) = (interval, clock, customError)
  }

  /// The beginning of the subscription.
  @inlinable @inline(__always)
  func makeState() -> TimeSource.Instant { clock.now }

  // Before the upstream signal is subscribed to, because that may send without end.
  @inlinable
  func begin(_ hub: TimedHub<Self>) {
    if interval <= .zero { end(hub) }
  }

  // Only now, so that a value that is due at the same moment comes first.
  @inlinable
  func didSubscribe(_ hub: TimedHub<Self>) {
    if hub.deadline == nil { hub.wait(until: hub.state.advanced(by: interval)) }
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, at now: TimeSource.Instant, _ hub: TimedHub<Self>) {
    hub.wait(until: now.advanced(by: interval))
    hub.core.deliver(value)
  }

  @inlinable
  func expire(_ deadline: TimeSource.Instant, _ hub: TimedHub<Self>) {
    end(hub)
  }

  @inlinable
  func end(_ hub: TimedHub<Self>) {
    hub.finish(customError.map { .failure($0()) } ?? .finished)
  }
}
