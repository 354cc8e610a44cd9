/// A copy of a derived value that was up to date, made while its lock was held for another reason.
///
/// A dependent value that had its input computed thus needs no second lock to read it.
@usableFromInline
struct DerivedSample<Value: Sendable>: Sendable {
  /// The value, or `nil` if it was out of date again at once.
  @usableFromInline var value: Value?

  @usableFromInline var version: UInt64

  /// A Boolean value that indicates whether the value was computed from an open batch.
  @usableFromInline var isProvisional: Bool

  /// Creates a sample, by default an empty one.
  @inlinable @inline(__always)
  init(value: Value? = nil, version: UInt64 = 0, isProvisional: Bool = false) {
    (self.value, self.version, self.isProvisional) = (value, version, isProvisional)
  }
}
