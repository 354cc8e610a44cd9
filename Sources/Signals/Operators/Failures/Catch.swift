extension Signal {
  /// Replaces a failure with another signal.
  ///
  /// ```swift
  /// import Signals
  ///
  /// struct Offline: Error {}
  /// let fetched = FailSignal<String, Offline>(Offline())
  /// let subscription = fetched.catch { _ in JustSignal("from the cache") }.sink { print($0) }
  /// // Prints "from the cache"
  /// ```
  ///
  /// - Parameter handler: A closure that is called with the error, on the thread that sends it, and returns the signal
  ///   to continue with. The result fails only if that signal fails.
  /// - Returns: A signal of the values of this signal and, after a failure, of the other.
  @inlinable @inline(__always)
  public func `catch`<Replacement: Signal>(
    _ handler: @escaping @Sendable (Failure) -> Replacement
  ) -> some Signal<Element, Replacement.Failure> where Replacement.Element == Element {
    ContinuedSignal<Self, Replacement>(self) { completion, _ in
      switch completion {
      case .finished: .end(.finished)
      case .failure(let error): .signal(handler(error))
      }
    }
  }
}

extension Signal {
  /// Replaces a failure with a value, and then finishes.
  ///
  /// - Parameter value: The value to send, as the last one, if the signal fails.
  /// - Returns: A signal that cannot fail.
  @inlinable @inline(__always)
  public func replaceError(with value: Element) -> some Signal<Element, Never> {
    OperatorSignal(self, ReplaceError(value))
  }
}

@usableFromInline
struct ReplaceError<Input: Sendable, InputFailure: Error>: SignalOperator {
  @usableFromInline typealias Failure = Never

  @usableFromInline let replacement: Input

  @inlinable @inline(__always)
  init(_ replacement: Input) {
    self.replacement = replacement
  }

  @inlinable @inline(__always)
  func receive(_ value: Input, state: inout Void, next: some SignalSubscriber<Input, Never>) {
    next.receive(value)
  }

  @inlinable @inline(__always)
  func receive(
    completion: SignalCompletion<InputFailure>, state: inout Void, next: some SignalSubscriber<Input, Never>
  ) {
    if case .failure = completion, !next.isDone { next.receive(replacement) }
    next.receive(completion: .finished)
  }
}
