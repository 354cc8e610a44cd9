/// The mutable state of a stage.
///
/// It needs neither a lock nor an exclusivity check, because a source never calls one subscriber concurrently.
@usableFromInline
final class StageState<Value>: @unchecked Sendable {  // Sound: only its stage touches it, and a stage runs serially.
  @exclusivity(unchecked) @usableFromInline var value: Value

  @inlinable @inline(__always)
  init(_ value: Value) {
    self.value = value
  }
}
