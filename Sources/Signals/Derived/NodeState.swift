public import Synchronization

/// What changes in a derived value's node, in memory of its own so that reaching it costs no reference counting.
///
/// Guarded by the core's lock; what is atomic may be read without it, wherefore no method may demand exclusive access
/// to the whole.
@usableFromInline
@frozen
struct NodeState: ~Copyable {
  /// How often something below has changed.
  @usableFromInline let marks = Atomic<UInt64>(1)

  /// How many marks there were when the value was last known to be up to date.
  @usableFromInline let settledMarks = Atomic<UInt64>(0)

  /// Whether the sources know of the node; what is read while they do not is not to be trusted.
  @usableFromInline var isLinked = false

  /// The thread that last put the value on its flush list, until it comes to it; zero is none.
  let scheduledBy = Atomic<UInt>(0)

  /// How a flush list keeps the derived value alive.
  enum Pin: Sendable {
    /// No list relies on the tokens.
    static let none: UInt8 = 0
    /// One list relies on the tokens, each of which retains the value until it has been cancelled.
    static let pinned: UInt8 = 1
    /// A token has been cancelled meanwhile, and has retained the value for the list.
    static let kept: UInt8 = 2
  }

  let pin = Atomic<UInt8>(0)

  /// How many threads cannot get a consistent look at the inputs because they change all the time.
  var starving = 0

  @usableFromInline
  init() {}

  /// Whether the value is known to be up to date.
  @inlinable @inline(__always)
  var isSettled: Bool { marks.load(ordering: .acquiring) == settledMarks.load(ordering: .relaxed) }

  /// Counts up the marks.
  @inlinable @inline(__always)
  func mark() {
    marks.store(marks.load(ordering: .relaxed) &+ 1, ordering: .releasing)
  }

  /// Has the tokens keep the value alive for a flush list, unless they do so for another one; to be called with the
  /// core's lock held, while there is a subscriber.
  ///
  /// - Returns: Whether the list can rely on them.
  func pinForFlush() -> Bool {
    guard pin.load(ordering: .acquiring) == Pin.none else { return false }
    pin.store(Pin.pinned, ordering: .relaxed)
    return true
  }

  /// Ends what ``pinForFlush()`` began; from then on the value may be released at any time.
  ///
  /// - Returns: Whether a token has retained the value, which the caller has to release.
  func unpin() -> Bool {
    pin.exchange(Pin.none, ordering: .acquiringAndReleasing) == Pin.kept
  }

  /// Notes that the value is up to date with that many marks, unless there are more by now.
  @inlinable @inline(__always)
  func settle(at marks: UInt64) {
    guard isLinked, self.marks.load(ordering: .relaxed) == marks else { return }
    settledMarks.store(marks, ordering: .relaxed)
  }
}

@available(*, unavailable)
extension NodeState: Sendable {}
