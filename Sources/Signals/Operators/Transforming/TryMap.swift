extension Signal {
  /// Transforms each value with a closure that can throw, and fails with the thrown error.
  ///
  /// The closure throws the failure type of the signal. Write that type in the closure, because the compiler infers
  /// `any Error` otherwise. At the first error, the upstream signal is cancelled.
  ///
  /// ```swift
  /// import Signals
  ///
  /// struct NoNumber: Error {}
  /// let texts = ["1", "2", "x", "4"].signal.setFailureType(to: NoNumber.self)
  /// let numbers = texts.tryMap { text throws(NoNumber) in
  ///   guard let number = Int(text) else { throw NoNumber() }
  ///   return number
  /// }
  /// let subscription = numbers.replaceError(with: -1).sink { print($0) }
  /// // Prints "1"
  /// // Prints "2"
  /// // Prints "-1"
  /// ```
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it, until it throws.
  /// - Returns: A signal of the results.
  /// - Complexity: O(1) for each value, without an allocation.
  @inlinable @inline(__always)
  public func tryMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Output
  ) -> TryMapSignal<Self, Output> {
    TryMapSignal(upstream: self) { value throws(Failure) in .some(try transform(value)) }
  }

  /// Sends only the values that satisfy a condition that can throw, and fails with the thrown error.
  ///
  /// See ``tryMap(_:)->TryMapSignal<Self,Output>``.
  ///
  /// - Parameter isIncluded: A closure that is called with each value, on the thread that sends it, until it throws. It
  ///   returns `true` to keep the value.
  /// - Returns: A signal of the values that satisfy the condition.
  @inlinable @inline(__always)
  public func tryFilter(
    _ isIncluded: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> TryMapSignal<Self, Element> {
    TryMapSignal(upstream: self) { value throws(Failure) in try isIncluded(value) ? .some(value) : nil }
  }

  /// Transforms each value with a closure that can throw, sends the results that are not `nil`, and fails with the
  /// thrown error.
  ///
  /// See ``tryMap(_:)->TryMapSignal<Self,Output>``.
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it, until it throws.
  /// - Returns: A signal of the results that are not `nil`.
  @inlinable @inline(__always)
  public func tryCompactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Output?
  ) -> TryMapSignal<Self, Output> {
    TryMapSignal(upstream: self, transform: transform)
  }
}

extension Signal where Failure == Never {
  /// Transforms each value of this signal, which cannot fail, with a closure that can throw, and fails with the thrown
  /// error.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `tryMap(_:)`. If the closure does not name the
  /// type of its error, the result fails with `any Error`.
  ///
  /// ```swift
  /// import Signals
  ///
  /// struct TooLow: Error {}
  /// let levels = [3, 0].signal.tryMap { level throws(TooLow) in
  ///   if level < 1 { throw TooLow() }
  ///   return level * 2
  /// }
  /// let subscription = levels.replaceError(with: 1).sink { print($0) }
  /// // Prints "6"
  /// // Prints "1"
  /// ```
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it, until it throws.
  /// - Returns: A signal of the results, which fails with the error of the closure.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func tryMap<Output: Sendable, Mistake: Error>(
    _ transform: @escaping @Sendable (Element) throws(Mistake) -> Output
  ) -> TryMapSignal<SetFailureTypeSignal<Self, Mistake>, Output> {
    setFailureType(to: Mistake.self).tryMap(transform)
  }

  /// Sends only the values of this signal, which cannot fail, that satisfy a condition that can throw.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `tryFilter(_:)`.
  ///
  /// - Parameter isIncluded: A closure that is called with each value, on the thread that sends it, until it throws. It
  ///   returns `true` to keep the value.
  /// - Returns: A signal of the values that satisfy the condition, which fails with the error of the closure.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func tryFilter<Mistake: Error>(
    _ isIncluded: @escaping @Sendable (Element) throws(Mistake) -> Bool
  ) -> TryMapSignal<SetFailureTypeSignal<Self, Mistake>, Element> {
    setFailureType(to: Mistake.self).tryFilter(isIncluded)
  }

  /// Transforms each value of this signal, which cannot fail, with a closure that can throw, and sends the results that
  /// are not `nil`.
  ///
  /// This method is equivalent to ``setFailureType(to:)`` followed by `tryCompactMap(_:)`.
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it, until it throws.
  /// - Returns: A signal of the results that are not `nil`, which fails with the error of the closure.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func tryCompactMap<Output: Sendable, Mistake: Error>(
    _ transform: @escaping @Sendable (Element) throws(Mistake) -> Output?
  ) -> TryMapSignal<SetFailureTypeSignal<Self, Mistake>, Output> {
    setFailureType(to: Mistake.self).tryCompactMap(transform)
  }
}

/// A signal of values that a throwing closure transforms; the result of
/// ``Signal/tryMap(_:)->TryMapSignal<Self,Output>`` and related operators.
public struct TryMapSignal<Upstream: Signal, Element: Sendable>: Signal {
  /// The error of the upstream signal and of the closure.
  public typealias Failure = Upstream.Failure

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: @Sendable (Upstream.Element) throws(Failure) -> Element?

  @inlinable @inline(__always)
  init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Element) throws(Failure) -> Element?) {
    self.upstream = upstream
    self.transform = transform
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe<Subscriber: SignalSubscriber<Element, Failure>>(
    _ subscriber: Subscriber
  ) -> SignalSubscription {
    let upstreams = Upstreams()
    let stage = TryMapStage<Subscriber, Upstream.Element>(
      downstream: subscriber, upstreams: upstreams, transform: transform
    )
    upstreams.add(upstream.subscribe(stage))
    return SignalSubscription(owner: upstreams)
  }
}

@usableFromInline
struct TryMapStage<Downstream: SignalSubscriber, Element: Sendable>: SignalSubscriber {
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let downstream: Downstream
  @usableFromInline let upstreams: Upstreams
  @usableFromInline let transform: @Sendable (Element) throws(Failure) -> Downstream.Element?
  @usableFromInline let hasEnded = StageState(false)

  @inlinable @inline(__always)
  init(
    downstream: Downstream, upstreams: Upstreams,
    transform: @escaping @Sendable (Element) throws(Failure) -> Downstream.Element?
  ) {
    self.downstream = downstream
    self.upstreams = upstreams
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    guard !hasEnded.value else { return }
    do throws(Failure) {
      if let output = try transform(value) { downstream.receive(output) }
    } catch {
      hasEnded.value = true
      downstream.end(.failure(error), cancelling: upstreams)
    }
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>) {
    if !hasEnded.value { downstream.receive(completion: completion) }
  }

  @inlinable @inline(__always)
  var isDone: Bool { hasEnded.value || downstream.isDone }
}
