public import Synchronization

/// A copy of a small, trivial value in one atomic word, so that reading takes no lock.
///
/// Written under the lock that guards the value; other values do without.
@usableFromInline
@frozen
struct ValueMirror<Value: Sendable>: ~Copyable, Sendable {
  @usableFromInline let word = Atomic<UInt64>(0)

  /// Whether the values are plain bytes that fit; known when the code is specialised for the type.
  @inlinable @inline(__always)
  static var isPossible: Bool { _isPOD(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<UInt64>.size }

  @inlinable @inline(__always)
  init() {}

  /// Takes a copy.
  @inlinable @inline(__always)
  func store(_ value: Value) {
    guard Self.isPossible else { return }
    var bits: UInt64 = 0
    withUnsafeMutableBytes(of: &bits) { bits in
      // Sound: plain bytes, not more than there are.
      withUnsafeBytes(of: value) { bits.copyMemory(from: $0) }
    }
    word.store(bits, ordering: .releasing)
  }

  /// The copy; there must be one.
  @inlinable @inline(__always)
  func load() -> Value {
    // Sound: the bytes of a value of this type, aligned at least as it must be.
    withUnsafeBytes(of: word.load(ordering: .acquiring)) { $0.load(as: Value.self) }
  }
}
