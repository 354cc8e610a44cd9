/// What a derived value notices while it reads its inputs.
@usableFromInline
@frozen
struct Look: Sendable {
  /// The sum of the inputs' versions, which only grow, so an equal sum means equal inputs.
  @usableFromInline var versions: UInt64 = 0

  /// Whether an input comes from a batch that is not over.
  @usableFromInline var isProvisional = false

  /// Whether an input was out of date again before it could be read.
  ///
  /// A write has passed it by then without a word to those who depend on it, because they had been told already; so
  /// what was read does not belong together.
  @usableFromInline var isTorn = false

  @inlinable @inline(__always)
  init() {}
}
