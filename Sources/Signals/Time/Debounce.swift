extension Signal {
  /// Sends a value after no other value has followed it for an interval.
  ///
  /// ```swift
  /// import Signals
  /// import SignalsTesting
  ///
  /// let clock = TestClock()
  /// let query = Emitter<String, Never>()
  /// let search = query.debounce(for: .milliseconds(300), clock: clock).sink { print("searching", $0) }
  /// for text in ["s", "si", "sig"] {
  ///   query.send(text)
  ///   clock.advance(by: .milliseconds(100))
  /// }
  /// clock.advance(by: .milliseconds(200))  // Prints "searching sig"
  /// ```
  ///
  /// A value that arrives exactly when the previous one would be sent still replaces it. When the signal finishes, a
  /// waiting value is sent at once, before the completion. A failure is passed on at once, and a waiting value is
  /// dropped.
  ///
  /// Values are delivered on a thread of the clock, for most clocks a thread of the concurrency pool. Postponing the
  /// deadline needs neither an allocation nor a task per value.
  ///
  /// - Parameters:
  ///   - interval: The length of the silence that must follow a value. If it is not positive,
  ///     each value is sent at once.
  ///   - clock: The clock that measures the interval.
  /// - Returns: A signal of the values that precede a silence.
  @inlinable @inline(__always)
  public func debounce<C: Clock>(
    for interval: Duration,
    clock: C = ContinuousClock()
  ) -> DebounceSignal<Self, C> where C.Duration == Duration {
    DebounceSignal(upstream: self, interval: interval, clock: clock)
  }
}

/// A signal of the values that precede a silence; the result of ``Signal/debounce(for:clock:)``.
public struct DebounceSignal<Upstream: Signal, C: Clock>: Signal where C.Duration == Duration {
  /// The values of the upstream signal.
  public typealias Element = Upstream.Element

  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let interval: Duration
  @usableFromInline let clock: C

  @inlinable @inline(__always)
  init(upstream: Upstream, interval: Duration, clock: C) {
    self.upstream = upstream
    self.interval = interval
    self.clock = clock
  }

  /// Attaches a subscriber to the upstream signal, with a delay of its own.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let hub = DebounceHub<Element, Failure, C>(interval: interval, clock: clock)
    let subscription = hub.open(for: subscriber)
    hub.upstreams.add(upstream.subscribe(TimedStage(hub: hub)))
    return subscription
  }
}

@usableFromInline
final class DebounceHub<Element: Sendable, Failure: Error, C: Clock>: TimedHub<Element, Failure, C>, TimedInput,
  @unchecked Sendable
where C.Duration == Duration {
  // Sound: the state belongs to the core's turn.
  @usableFromInline let interval: Duration

  /// The waiting value.
  @exclusivity(unchecked) @usableFromInline var pending: Element?

  @usableFromInline
  init(interval: Duration, clock: C) {
    self.interval = interval
    super.init(clock: clock)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    let deadline = clock.now.advanced(by: interval)
    core.withTurn { [self] in keep(value, until: deadline) }
  }

  @inlinable
  func keep(_ value: Element, until deadline: C.Instant) {
    guard !core.hasEnded else { return }
    pending = value
    wait(until: deadline)
  }

  @usableFromInline
  override func expire(_ deadline: C.Instant) {
    if let value = pending.take() { core.deliver(value) }
  }

  @usableFromInline
  func receive(completion: SignalCompletion<Failure>) {
    core.withTurn { [self] in
      let value = pending.take()
      if let value, case .finished = completion { core.deliver(value) }
      finish(completion)
    }
  }
}
