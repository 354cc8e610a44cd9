extension Signal {
  /// Sends a value once no other has followed it for a time.
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
  /// A value that comes at the very moment at which the one before would be sent still replaces it. When the signal
  /// finishes, the value that waits is sent at once, before the end; a failure passes at once and drops it.
  ///
  /// Values arrive on a thread of the clock: with most clocks, one of those that tasks share. Putting the deadline off
  /// costs neither an allocation nor a task per value.
  ///
  /// - Parameters:
  ///   - interval: How long the silence must last.
  ///   - clock: What measures it.
  /// - Returns: A signal of the values before each silence.
  @inlinable @inline(__always)
  public func debounce<C: Clock>(
    for interval: Duration,
    clock: C = ContinuousClock()
  ) -> DebounceSignal<Self, C> where C.Duration == Duration {
    DebounceSignal(upstream: self, interval: interval, clock: clock)
  }
}

/// A signal of the values that no other followed soon; made by ``Signal/debounce(for:clock:)``.
@frozen
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

  /// Attaches a subscriber to the upstream signal, behind a delay of its own.
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

  /// The value that waits.
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
