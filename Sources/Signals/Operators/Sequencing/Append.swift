extension Signal {
  /// Sends the values of this signal and, after it has finished, the values of another.
  ///
  /// The other signal is subscribed to when this one has finished; its earlier values are not received. A failure of
  /// this signal ends the result.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let subscription = (1...2).signal.append(JustSignal(9)).sink { print($0) }
  /// // Prints "1"
  /// // Prints "2"
  /// // Prints "9"
  /// ```
  ///
  /// - Parameter other: The signal that follows.
  /// - Returns: A signal of the values of both, in sequence.
  @inlinable @inline(__always)
  public func append<Other: Signal<Element, Failure>>(_ other: Other) -> some Signal<Element, Failure> {
    ContinuedSignal(self) { completion, _ in
      if case .finished = completion { .signal(other) } else { .end(completion) }
    }
  }

  /// Sends the values of this signal and, after it has finished, the elements of a sequence.
  ///
  /// - Parameter elements: The values to append.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func append<Elements: Sequence<Element> & Sendable>(_ elements: Elements) -> some Signal<Element, Failure> {
    append(SequenceSignal(elements))
  }

  /// Sends the values of this signal and, after it has finished, more values.
  ///
  /// - Parameter elements: The values to append.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func append(_ elements: Element...) -> some Signal<Element, Failure> {
    append(SequenceSignal(elements))
  }

  /// Sends the values of another signal and, after it has finished, the values of this one.
  ///
  /// This signal is subscribed to when the other has finished; its earlier values are not received. A failure of the
  /// other signal ends the result.
  ///
  /// - Parameter other: The signal that comes first.
  /// - Returns: A signal of the values of both, in sequence.
  @inlinable @inline(__always)
  public func prepend<Other: Signal<Element, Failure>>(_ other: Other) -> some Signal<Element, Failure> {
    other.append(self)
  }

  /// Sends the elements of a sequence, and then the values of this signal.
  ///
  /// - Parameter elements: The values that come first. Each subscriber receives them before `subscribe(_:)` returns.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func prepend<Elements: Sequence<Element> & Sendable>(_ elements: Elements) -> some Signal<Element, Failure> {
    prepend(SequenceSignal(elements))
  }

  /// Sends some values, and then the values of this signal.
  ///
  /// - Parameter elements: The values that come first. Each subscriber receives them before `subscribe(_:)` returns.
  /// - Returns: A signal of all values.
  @inlinable @inline(__always)
  public func prepend(_ elements: Element...) -> some Signal<Element, Failure> {
    prepend(SequenceSignal(elements))
  }
}

extension Signal where Failure == Never {
  /// Sends the values of this signal, which cannot fail, and then the values of another, which can.
  ///
  /// - Parameter other: The signal that follows.
  /// - Returns: A signal of the values of both, in sequence.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func append<Other: Signal>(
    _ other: Other
  ) -> some Signal<Element, Other.Failure> where Other.Element == Element {
    setFailureType(to: Other.Failure.self).append(other)
  }

  /// Sends the values of another signal, which can fail, and then the values of this one, which cannot.
  ///
  /// - Parameter other: The signal that comes first.
  /// - Returns: A signal of the values of both, in sequence.
  @_disfavoredOverload
  @inlinable @inline(__always)
  public func prepend<Other: Signal>(
    _ other: Other
  ) -> some Signal<Element, Other.Failure> where Other.Element == Element {
    setFailureType(to: Other.Failure.self).prepend(other)
  }
}
