extension Signal {
  /// Transforms each value.
  ///
  /// The closures of consecutive `map`s become one. Those that capture nothing are inlined into it, so that a chain of
  /// them costs about as much as a single `map`.
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it.
  /// - Returns: A signal of the results.
  @inlinable @inline(__always)
  public func map<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Output
  ) -> MapSignal<_MapUpstream, Output> {
    _mapped(transform)
  }
}

extension Signal where _MapUpstream == Self {
  // swift-format-ignore: NoLeadingUnderscores, AllPublicDeclarationsHaveDocumentation
  @inlinable @inline(__always)
  public func _mapped<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Output
  ) -> MapSignal<Self, Output> {
    MapSignal(upstream: self, transform: transform)
  }
}

/// A signal of transformed values; the result of ``Signal/map(_:)``.
public struct MapSignal<Upstream: Signal, Element: Sendable>: Signal {
  /// The error of the upstream signal.
  public typealias Failure = Upstream.Failure

  // swift-format-ignore: NoLeadingUnderscores, AllPublicDeclarationsHaveDocumentation
  public typealias _MapUpstream = Upstream

  @usableFromInline let upstream: Upstream
  @usableFromInline let transform: @Sendable (Upstream.Element) -> Element

  @inlinable @inline(__always)
  init(upstream: Upstream, transform: @escaping @Sendable (Upstream.Element) -> Element) {
    (self.upstream, self.transform) = (upstream, transform)
  }

  /// Attaches a subscriber to the upstream signal.
  @inlinable @inline(__always)
  public func subscribe(_ subscriber: some SignalSubscriber<Element, Failure>) -> SignalSubscription {
    upstream.subscribe(MapStage(downstream: subscriber, transform: transform))
  }

  // swift-format-ignore: NoLeadingUnderscores, AllPublicDeclarationsHaveDocumentation
  @inlinable @inline(__always)
  public func _mapped<Output: Sendable>(
    _ next: @escaping @Sendable (Element) -> Output
  ) -> MapSignal<Upstream, Output> {
    // Not `self` in the closure: the compiler inlines only closures that are captured directly.
    let transform = transform
    return MapSignal<Upstream, Output>(upstream: upstream) { next(transform($0)) }
  }
}

/// A stage of its own, and not a ``SignalOperator``, so that the closures of several can become one.
@usableFromInline
struct MapStage<Downstream: SignalSubscriber, Element: Sendable>: SignalSubscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let transform: @Sendable (Element) -> Downstream.Element

  @inlinable @inline(__always)
  init(downstream: Downstream, transform: @escaping @Sendable (Element) -> Downstream.Element) {
    (self.downstream, self.transform) = (downstream, transform)
  }

  @inlinable @inline(__always)
  func receive(_ value: Element) {
    downstream.receive(transform(value))
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Downstream.Failure>) {
    downstream.receive(completion: completion)
  }

  @inlinable @inline(__always)
  var isDone: Bool { downstream.isDone }
}

extension Signal {
  /// Transforms each value, and sends the results that are not `nil`.
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it.
  /// - Returns: A signal of the results that are not `nil`.
  @inlinable @inline(__always)
  public func compactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) -> Output?
  ) -> some Signal<Output, Failure> {
    OperatorSignal(self, CompactMap(transform))
  }
}

@usableFromInline
struct CompactMap<Input: Sendable, Output: Sendable, Failure: Error>: PassingOperator {
  @usableFromInline let transform: @Sendable (Input) -> Output?

  @inlinable @inline(__always)
  init(_ transform: @escaping @Sendable (Input) -> Output?) {
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Output, Failure>) {
    if let output = transform(value) { next.receive(output) }
  }
}

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
  ) -> some Signal<Output, Failure> {
    OperatorSignal(self, TryMap { value throws(Failure) in .some(try transform(value)) })
  }

  /// Sends only the values that satisfy a condition that can throw, and fails with the thrown error.
  ///
  /// See ``tryMap(_:)->Signal<Output,Self.Failure>``.
  ///
  /// - Parameter isIncluded: A closure that is called with each value, on the thread that sends it, until it throws. It
  ///   returns `true` to keep the value.
  /// - Returns: A signal of the values that satisfy the condition.
  @inlinable @inline(__always)
  public func tryFilter(
    _ isIncluded: @escaping @Sendable (Element) throws(Failure) -> Bool
  ) -> some Signal<Element, Failure> {
    OperatorSignal(self, TryMap { value throws(Failure) in try isIncluded(value) ? .some(value) : nil })
  }

  /// Transforms each value with a closure that can throw, sends the results that are not `nil`, and fails with the
  /// thrown error.
  ///
  /// See ``tryMap(_:)->Signal<Output,Self.Failure>``.
  ///
  /// - Parameter transform: A closure that is called with each value, on the thread that sends it, until it throws.
  /// - Returns: A signal of the results that are not `nil`.
  @inlinable @inline(__always)
  public func tryCompactMap<Output: Sendable>(
    _ transform: @escaping @Sendable (Element) throws(Failure) -> Output?
  ) -> some Signal<Output, Failure> {
    OperatorSignal(self, TryMap(transform))
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
  ) -> some Signal<Output, Mistake> {
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
  ) -> some Signal<Element, Mistake> {
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
  ) -> some Signal<Output, Mistake> {
    setFailureType(to: Mistake.self).tryCompactMap(transform)
  }
}

@usableFromInline
struct TryMap<Input: Sendable, Output: Sendable, Failure: Error>: SignalOperator {
  @usableFromInline let transform: @Sendable (Input) throws(Failure) -> Output?

  @inlinable @inline(__always)
  init(_ transform: @escaping @Sendable (Input) throws(Failure) -> Output?) {
    self.transform = transform
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Output, Failure>) {
    do throws(Failure) {
      if let output = try transform(value) { next.receive(output) }
    } catch {
      next.receive(completion: .failure(error))
    }
  }
}
