extension Signal {
  /// Sends, for each value, the time since the previous value.
  ///
  /// The first interval begins with the subscription.
  ///
  /// ```swift
  /// import Signals
  /// import SignalsTesting
  ///
  /// let clock = TestClock()
  /// let steps = Emitter<Void, Never>()
  /// let subscription = steps.measureInterval(using: clock).sink { print($0) }
  /// clock.advance(by: .seconds(2))
  /// steps.send()  // Prints "2.0 seconds"
  /// clock.advance(by: .seconds(1))
  /// steps.send()  // Prints "1.0 seconds"
  /// ```
  ///
  /// - Parameter clock: The clock that measures the intervals. Its duration type can be any.
  /// - Returns: A signal of durations, which are delivered on the threads that send the values.
  @inlinable @inline(__always)
  public func measureInterval<C: Clock>(using clock: C = ContinuousClock()) -> MeasureIntervalSignal<Self, C> {
    MeasureIntervalSignal(upstream: self, clock: clock)
  }
}

/// A signal of the intervals between values; the result of ``Signal/measureInterval(using:)``.
public struct MeasureIntervalSignal<Upstream: Signal, C: Clock>: Signal {
  /// The clock's duration type.
  public typealias Element = C.Duration

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let clock: C

  @inlinable @inline(__always)
  init(upstream: Upstream, clock: C) {
    self.upstream = upstream
    self.clock = clock
  }

  /// Attaches a subscriber to the upstream signal, with a measurement of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    upstream.subscribe(
      MeasureIntervalStage<Upstream.Element, Subscriber, C>(downstream: subscriber, clock: clock)
    )
  }
}

@usableFromInline
struct MeasureIntervalStage<Element: Sendable, Downstream: SignalSubscriber, C: Clock>: PassThroughStage
where Downstream.Element == C.Duration {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let clock: C
  @usableFromInline let last: StageState<C.Instant>

  @inlinable @inline(__always)
  init(downstream: Downstream, clock: C) {
    self.downstream = downstream
    self.clock = clock
    last = StageState(clock.now)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    let now = clock.now
    let interval = last.value.duration(to: now)
    last.value = now
    downstream.receive(interval)
  }
}
