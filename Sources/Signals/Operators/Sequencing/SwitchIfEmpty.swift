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
