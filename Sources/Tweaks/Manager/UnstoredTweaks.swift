import Signals

/// The tweaks that threads are writing several at a time, until what has come of it is stored as one.
struct UnstoredTweaks {
  private var writes: [(thread: ThreadIdentity, ids: Set<TweakID>)] = []

  /// This thread begins to write; a single tweak is whole in any case.
  mutating func insert(_ ids: Set<TweakID>) {
    if ids.count > 1 { writes.append((.current, ids)) }
  }

  /// What came of what this thread has written is stored, or is about to be, under the same lock.
  mutating func remove(_ ids: Set<TweakID>) {
    if writes.isEmpty || ids.isEmpty { return }
    let thread = ThreadIdentity.current
    if let index = writes.lastIndex(where: { $0.thread == thread && $0.ids == ids }) { writes.remove(at: index) }
  }

  /// Whether another thread is writing a tweak.
  func isWrittenElsewhere(_ id: TweakID) -> Bool {
    if writes.isEmpty { return false }
    let thread = ThreadIdentity.current
    return writes.contains { $0.thread != thread && $0.ids.contains(id) }
  }
}
