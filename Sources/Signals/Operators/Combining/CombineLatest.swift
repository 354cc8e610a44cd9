extension Signal {
  /// Sends a pair of the latest values of this signal and another whenever either of them sends.
  ///
  /// The first pair is sent once both signals have sent a value.
  ///
  /// The result finishes when both signals have finished, or as soon as one finishes without having sent a value. It
  /// fails as soon as one of them fails.
  ///
  /// ```swift
  /// import Signals
  ///
  /// let width = MutableProperty(2)
  /// let height = MutableProperty(3)
  /// let subscription = width.combineLatest(height).map { $0 * $1 }.sink { print("area", $0) }  // Prints "area 6"
  /// height.value = 5  // Prints "area 10"
  /// ```
  ///
  /// - Parameter other: The other signal.
  /// - Returns: A signal of pairs.
  @inlinable @inline(__always)
  public func combineLatest<Other: Signal>(_ other: Other) -> some Signal<(Element, Other.Element), Failure>
  where Other.Failure == Failure {
    combined(with: other, in: (LatestValue<Element>.self, LatestValue<Other.Element>.self))
  }
}

/// The latest value of one input of a combination.
@usableFromInline
final class LatestValue<Value: Sendable>: CombinedSlot, @unchecked Sendable {
  // Sound: only touched with the hub's turn.
  @exclusivity(unchecked) @usableFromInline var value: Value?
  @exclusivity(unchecked) @usableFromInline var hasEnded = false

  @inlinable @inline(__always)
  init() {}

  @inlinable @inline(__always)
  var isMissing: Bool { value == nil }

  @inlinable @inline(__always)
  func keep(_ value: Value) {
    self.value = value
  }

  @inlinable @inline(__always)
  func take(for hub: CombinedHub<some Sendable, some Error>) -> Value {
    value.unsafelyUnwrapped  // Sound: the hub has checked that no value is missing.
  }
}
