public import Synchronization

/// A copy of a small, trivial value in one atomic word, which is read without a lock.
///
/// It is written under the lock that guards the value. Values of other types have no mirror.
@usableFromInline
struct ValueMirror<Value: Sendable>: ~Copyable, Sendable {
  @usableFromInline let word = Atomic<UInt64>(0)

  /// A Boolean value that indicates whether the values are trivial and fit into a word; a constant in specialised code.
  @inlinable @inline(__always)
  static var isPossible: Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size }

  @inlinable @inline(__always)
  init() {}

  /// Stores a copy of the value.
  @inlinable @inline(__always)
  func store(_ value: Value) {
    guard Self.isPossible else { return }
    var bits: UInt64 = 0
    withUnsafeMutableBytes(of: &bits) { bits in
      // Sound: plain bytes, and no more than fit into the word.
      withUnsafeBytes(of: value) { bits.copyMemory(from: $0) }
    }
    word.store(bits, ordering: .releasing)
  }

  /// Returns the copy.
  ///
  /// One must have been stored.
  @inlinable @inline(__always)
  func load() -> Value {
    // Sound: the bytes of a value of this type, with at least its alignment.
    withUnsafeBytes(of: word.load(ordering: .acquiring)) { $0.load(as: Value.self) }
  }
}
