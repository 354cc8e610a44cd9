import Synchronization

/// The observed derived values that a write or a batch has made out of date, in the order in which they were marked.
///
/// A value may be on the lists of several threads. The first one that reaches it does the work, and the others find it
/// done. No thread leaves its work to another, whose subscribers might be waiting for it.
@usableFromInline
struct FlushList {
  /// A value and the way it is kept alive until its turn.
  struct Entry {
    /// The node, which lives as long as its core.
    let node: Unmanaged<DerivedNode>

    /// A Boolean value that indicates whether its subscribers' tokens keep it alive.
    ///
    /// The common case then counts no references.
    let isPinned: Bool
  }

  /// The first entry, stored inline so that a list of one needs no allocation.
  private var first: Entry?
  private var others: [Entry]

  /// The sources whose dependents still have to be marked.
  private var postponed: [SourceCore] = []

  /// The sources whose postponed dependents have been marked.
  ///
  /// The list may hold the last reference to one of them, and the `deinit` of its value may run code. So they are
  /// released by ``flush()``, without a lock.
  private var marked: [SourceCore] = []
  private var isUnfinished = false

  /// The number of threads that have postponed marking and not finished it yet.
  private static let unfinished = Atomic<Int>(0)

  /// A Boolean value that indicates whether a reader cannot get consistent inputs because writers do not pause.
  var mustYield = false

  let thread = ThreadIdentity.current

  /// Creates an empty list.
  ///
  /// - Parameter spare: An empty array whose memory is reused.
  init(spare: consuming [Entry]) {
    others = spare
  }

  /// Creates an empty list.
  @usableFromInline
  init() {
    others = []
  }

  var isEmpty: Bool { first == nil }

  /// Adds a value that has subscribers, and keeps it alive until its turn.
  ///
  /// The caller holds its lock.
  @inline(__always)
  mutating func append(_ node: DerivedNode) {
    let entry = Entry(node: .passUnretained(node), isPinned: node.state.pointee.pinForFlush())
    if !entry.isPinned { _ = node.core.retain() }
    if first == nil { first = entry } else { others.append(entry) }
  }

  /// Postpones marking the dependents of a source.
  mutating func postpone(_ core: SourceCore) {
    postponed.append(core)
    guard !isUnfinished else { return }
    isUnfinished = true
    Self.unfinished.add(1, ordering: .relaxed)
  }

  /// Marks the postponed dependents, and releases nothing.
  ///
  /// The caller holds the lock of the source that changes, and no other.
  mutating func markPostponed() {
    if isUnfinished {
      while let core = postponed.popLast() {
        core.lock.withLock { core.place?.markDependents(&self, depth: 1) }
        marked.append(core)
      }
      isUnfinished = false
      Self.unfinished.subtract(1, ordering: .releasing)
    }
    // A node that was already out of date was skipped, since its dependents are marked. But the thread that marked the
    // node may have postponed its dependents. That thread needs nothing that this one holds.
    while Self.unfinished.load(ordering: .acquiring) > 0 { ThreadIdentity.pause() }
  }

  /// Brings every value up to date, sends the changes, and empties the list.
  ///
  /// The caller holds no lock.
  ///
  /// - Returns: An empty array whose memory can be reused.
  @discardableResult
  mutating func flush() -> [Entry] {
    marked = []
    if mustYield { ThreadIdentity.pause() }
    // Moved and indexed, because copies and loops would count references to the array.
    var entries: [Entry] = []
    swap(&entries, &others)
    guard let first = first.take() else { return entries }
    Self.update(first, thread)
    if entries.isEmpty { return entries }
    for index in entries.indices { Self.update(entries[index], thread) }
    entries.removeAll(keepingCapacity: true)
    return entries
  }

  private static func update(_ entry: Entry, _ thread: ThreadIdentity) {
    let retained = entry.node._withUnsafeGuaranteedRef { node -> Unmanaged<SourceCore>? in
      let core = node.core
      // Another thread may store its name in between and lose it, which costs it one extra check.
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
