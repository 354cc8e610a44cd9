public import Synchronization

/// The mutable state of a derived value's node, in separate memory so that reaching it costs no reference counting.
///
/// Guarded by the core's lock. The atomic fields may be read without it, so no method may require exclusive access to
/// the whole.
@usableFromInline
struct NodeState: ~Copyable {
  /// The number of changes below this node.
  @usableFromInline let marks = Atomic<UInt64>(1)

  /// The number of marks when the value was last known to be up to date.
  @usableFromInline let settledMarks = Atomic<UInt64>(0)

  /// A Boolean value that indicates whether the node is linked to its sources.
  ///
  /// While it is not, the inputs that were read cannot be trusted.
  @usableFromInline var isLinked = false

  /// The thread that last put the value on its flush list and has not processed it yet; 0 for none.
  let scheduledBy = Atomic<UInt>(0)

  /// The ways in which a flush list keeps the derived value alive.
  enum Pin: Sendable {
    /// No list relies on the tokens.
    static let none: UInt8 = 0
    /// One list relies on the tokens, each of which retains the value until it is cancelled.
    static let pinned: UInt8 = 1
    /// A token has been cancelled since and has retained the value for the list.
    static let kept: UInt8 = 2
  }

  let pin = Atomic<UInt8>(0)

  /// The number of threads that cannot read the inputs consistently because they change all the time.
  var starving = 0

  @usableFromInline
  init() {}

  /// A Boolean value that indicates whether the value is known to be up to date.
  @inlinable @inline(__always)
  var isSettled: Bool { marks.load(ordering: .acquiring) == settledMarks.load(ordering: .relaxed) }

  /// Increments the marks.
  @inlinable @inline(__always)
  func mark() {
    marks.store(marks.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Makes the tokens keep the value alive for a flush list, unless they already do so for another one.
  ///
  /// The caller holds the core's lock, and there is a subscriber.
  ///
  /// - Returns: `true` if the list can rely on the tokens.
  func pinForFlush() -> Bool {
    guard pin.load(ordering: .acquiring) == Pin.none else { return false }
    pin.store(Pin.pinned, ordering: .relaxed)
    return true
  }

  /// Ends what ``pinForFlush()`` began.
  ///
  /// After that, the value may be released at any time.
  ///
  /// - Returns: `true` if a token has retained the value, which the caller must then release.
  func unpin() -> Bool {
    pin.exchange(Pin.none, ordering: .acquiringAndReleasing) == Pin.kept
  }

  /// Records that the value is up to date with a number of marks, unless there are more of them.
  @inlinable @inline(__always)
  func settle(at marks: UInt64) {
    guard isLinked, self.marks.load(ordering: .relaxed) == marks else { return }
    settledMarks.store(marks, ordering: .relaxed)
  }
}

@available(*, unavailable)
extension NodeState: Sendable {}
