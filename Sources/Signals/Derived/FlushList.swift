import Synchronization

/// The observed derived values that one write, or one batch of writes, has made out of date, in the order in which it
/// met them.
///
/// A value may be on the lists of several threads; the first to come to it does the work, and the others find it done.
/// No thread leaves its work to another one, whose subscribers might be waiting for it.
@usableFromInline
struct FlushList {
  /// The first one, so that the common list of one needs no memory.
  private var first: Unmanaged<SourceCore>?
  private var others: [Unmanaged<SourceCore>]

  /// Sources whose dependents are still to be marked.
  private var postponed: [SourceCore] = []
  private var isUnfinished = false

  /// How many threads have left marking for later and not done it yet.
  private static let unfinished = Atomic<Int>(0)

  /// Whether somebody cannot get a consistent look at the values because writers do not pause.
  var mustYield = false

  let thread = ThreadIdentity.current

  /// Makes an empty list.
  ///
  /// - Parameter spare: An empty array whose memory may be used.
  init(spare: consuming [Unmanaged<SourceCore>] = []) {
    others = spare
  }

  var isEmpty: Bool { first == nil }

  /// Adds a value, which stays alive until its turn comes; to be called with its lock held.
  mutating func append(_ core: SourceCore) {
    let core = Unmanaged.passRetained(core)
    if first == nil { first = core } else { others.append(core) }
  }

  /// Leaves the marking of a source's dependents for later.
  mutating func postpone(_ core: SourceCore) {
    postponed.append(core)
    guard !isUnfinished else { return }
    isUnfinished = true
    Self.unfinished.add(1, ordering: .relaxed)
  }

  /// Marks what was left for later; to be called with the lock of the source that changes held, and no other.
  mutating func markPostponed() {
    while let core = postponed.popLast() {
      core.lock.withLock { core.place?.mark(&self, depth: 1) }
    }
    if isUnfinished {
      isUnfinished = false
      Self.unfinished.subtract(1, ordering: .releasing)
    }
    // A node that was out of date already was passed over, since its dependents know; unless another thread, which made
    // it so, has left telling them for later. That thread needs nothing that this one holds.
    while Self.unfinished.load(ordering: .acquiring) > 0 { ThreadIdentity.pause() }
  }

  /// Brings every value up to date and tells its subscribers; to be called without any lock.
  ///
  /// - Returns: An empty array whose memory may be used again.
  @discardableResult
  consuming func flush() -> [Unmanaged<SourceCore>] {
    if mustYield { ThreadIdentity.pause() }
    guard let first else { return others }
    Self.update(first, thread)
    for core in others { Self.update(core, thread) }
    others.removeAll(keepingCapacity: true)
    return others
  }

  private static func update(_ core: Unmanaged<SourceCore>, _ thread: ThreadIdentity) {
    core._withUnsafeGuaranteedRef { core in
      guard let state = core.nodeState else { return }
      // Another thread may put its name there in between, and is then forgotten, which costs it a look.
      if state.pointee.scheduledBy.load(ordering: .relaxed) == thread.address {
        state.pointee.scheduledBy.store(0, ordering: .relaxed)
      }
      core.updateDerived()
    }
    core.release()
  }
}

@available(*, unavailable)
extension FlushList: Sendable {}
