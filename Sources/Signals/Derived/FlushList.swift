import Synchronization

/// The observed derived values that one write, or one batch of writes, has made out of date, in the order in which it
/// met them.
///
/// A value may be on the lists of several threads; the first to come to it does the work, and the others find it done.
/// No thread leaves its work to another one, whose subscribers might be waiting for it.
@usableFromInline
struct FlushList {
  /// A value, and how it is kept alive until its turn comes.
  struct Entry {
    /// Lives as long as its core.
    let node: Unmanaged<DerivedNode>

    /// Whether its subscribers' tokens keep it alive, so that the common case counts no references.
    let isPinned: Bool
  }

  /// The first one, so that the common list of one needs no memory.
  private var first: Entry?
  private var others: [Entry]

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
  init(spare: consuming [Entry] = []) {
    others = spare
  }

  var isEmpty: Bool { first == nil }

  /// Adds a value that has subscribers, and stays alive until its turn comes; to be called with its lock held.
  mutating func append(_ node: DerivedNode) {
    let entry = Entry(node: .passUnretained(node), isPinned: node.state.pointee.pinForFlush())
    if !entry.isPinned { _ = node.core.retain() }
    if first == nil { first = entry } else { others.append(entry) }
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

  /// Brings every value up to date and tells its subscribers, and empties the list; to be called without any lock.
  ///
  /// - Returns: An empty array whose memory may be used again.
  @discardableResult
  mutating func flush() -> [Entry] {
    if mustYield { ThreadIdentity.pause() }
    // Moved and indexed, because copies and loops would count references to the array.
    var entries: [Entry] = []
    swap(&entries, &others)
    guard let first = first.take() else { return entries }
    Self.update(first, thread)
    for index in entries.indices { Self.update(entries[index], thread) }
    entries.removeAll(keepingCapacity: true)
    return entries
  }

  private static func update(_ entry: Entry, _ thread: ThreadIdentity) {
    let retained = entry.node._withUnsafeGuaranteedRef { node -> Unmanaged<SourceCore>? in
      let core = node.core
      // Another thread may put its name there in between, and is then forgotten, which costs it a look.
      if node.state.pointee.scheduledBy.load(ordering: .relaxed) == thread.address {
        node.state.pointee.scheduledBy.store(0, ordering: .relaxed)
      }
      node.update(publishing: true)
      return !entry.isPinned || node.state.pointee.unpin() ? core : nil
    }
    retained?.release()
  }
}

@available(*, unavailable)
extension FlushList: Sendable {}
