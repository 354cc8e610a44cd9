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
  public func measureInterval<C: Clock>(using clock: C = ContinuousClock()) -> some Signal<C.Duration, Failure> {
    OperatorSignal(self, MeasureInterval(clock))
  }
}

@usableFromInline
struct MeasureInterval<Input: Sendable, Failure: Error, C: Clock>: PassingOperator {
  @usableFromInline typealias Output = C.Duration

  @usableFromInline let clock: C

  @inlinable @inline(__always)
  init(_ clock: C) {
    self.clock = clock
  }

  @inlinable @inline(__always)
  func makeState() -> C.Instant { clock.now }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout C.Instant, next: some SignalSubscriber<C.Duration, Failure>) {
    let now = clock.now
    let interval = state.duration(to: now)
    state = now
    next.receive(interval)
  }
}
