/// A record of one attempt of a derived value to read its inputs.
@usableFromInline
struct Look: Sendable {
  /// The sum of the inputs' versions.
  ///
  /// Versions only grow, so an equal sum means equal inputs.
  @usableFromInline var versions: UInt64 = 0

  /// A Boolean value that indicates whether an input was written in an open batch.
  @usableFromInline var isProvisional = false

  /// A Boolean value that indicates whether an input was out of date again before it could be read.
  ///
  /// A write has then passed the input without marking its dependents, because they were marked already. The values
  /// that were read are not consistent.
  @usableFromInline var isTorn = false

  @inlinable @inline(__always)
  init() {}
}
