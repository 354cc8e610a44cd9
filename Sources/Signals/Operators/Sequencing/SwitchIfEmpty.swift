extension Signal {
  /// Continues with another signal if this one finishes without having sent a value.
  ///
  /// Values are delivered on the thread that sends them. RxSwift calls this operator `ifEmpty(switchTo:)`. For a single
  /// replacement value, use ``replaceEmpty(with:)``.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let cached = EmptySignal<String, Never>()
  /// let fetched = ["fresh", "fresher"].signal
  /// let subscription = cached.switchIfEmpty(fetched).sink { print($0) }
  /// // Prints "fresh"
  /// // Prints "fresher"
  /// ```
  ///
  /// - Parameter other: The signal to continue with. It is subscribed to when this one has finished, and not at all if
  ///   this one sends a value or fails.
  /// - Returns: A signal of the values of this signal or, if there are none, of the other.
  /// - Complexity: O(1) for each value, without an allocation.
  @inlinable @inline(__always)
  public func switchIfEmpty<Other: Signal<Element, Failure>>(_ other: Other) -> some Signal<Element, Failure> {
    ContinuedSignal(self) { completion, isEmpty in
      if case .finished = completion, isEmpty { .signal(other) } else { .end(completion) }
    }
  }
}

extension Signal where Failure == Never {
  /// Continues with another signal, which can fail, if this one finishes without having sent a value.
  ///
  /// - Parameter other: The signal to continue with.
  /// - Returns: A signal of the values of this signal or, if there are none, of the other.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func switchIfEmpty<Other: Signal>(
    _ other: Other
  ) -> some Signal<Element, Other.Failure> where Other.Element == Element {
    setFailureType(to: Other.Failure.self).switchIfEmpty(other)
  }
}

extension Signal {
  /// Sends a value if the signal finishes without having sent one.
  ///
  /// - Parameter value: The value to send in that case.
  /// - Returns: A signal that sends at least one value, unless it fails.
  @inlinable @inline(__always)
  public func replaceEmpty(with value: Element) -> some Signal<Element, Failure> {
    OperatorSignal(self, ReplaceEmpty(value))
  }

  /// Replaces each `nil` with a value.
  ///
  /// - Parameter value: The replacement for `nil`.
  /// - Returns: A signal of non-optional values.
  @inlinable @inline(__always)
  public func replaceNil<Wrapped: Sendable>(with value: Wrapped) -> some Signal<Wrapped, Failure>
  where Element == Wrapped? {
    map { $0 ?? value }
  }
}

@usableFromInline
struct ReplaceEmpty<Input: Sendable, Failure: Error>: SignalOperator {
  @usableFromInline let replacement: Input

  @inlinable @inline(__always)
  init(_ replacement: Input) {
    self.replacement = replacement
  }

  @inlinable @inline(__always)
  func makeState() -> Bool { true }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Bool, next: some SignalSubscriber<Input, Failure>) {
    state = false
    next.receive(value)
  }

  @inlinable @inline(__always)
  func receive(completion: SignalCompletion<Failure>, state: inout Bool, next: some SignalSubscriber<Input, Failure>) {
    if case .finished = completion, state { next.receive(replacement) }
    next.receive(completion: completion)
  }
}
