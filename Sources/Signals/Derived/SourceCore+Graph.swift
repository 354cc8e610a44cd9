/// A source as an input of derived values.
extension SourceCore {
  /// The place in the graph of derived values, while there is anything in it; guarded by the lock.
  @usableFromInline final var place: GraphPlace? {
    get { placeReference?.takeUnretainedValue() }
    set {
      let old = placeReference
      placeReference = newValue.map { .passRetained($0) }
      old?.release()
    }
  }

  /// Tells the derived values that depend on this one that it changes; to be called with the lock held.
  @usableFromInline
  final func markDependents() -> FlushList {
    var list = FlushList(spare: placeReference?._withUnsafeGuaranteedRef { $0.takeSpare() } ?? [])
    placeReference?._withUnsafeGuaranteedRef { $0.mark(&list) }
    list.markPostponed()
    return list
  }

  /// Brings the derived values that were marked up to date; to be called without any lock.
  @usableFromInline
  final func flush(_ list: consuming FlushList) {
    let spare = list.flush()
    guard spare.capacity > 0 else { return }
    lock.lock()
    placeReference?._withUnsafeGuaranteedRef { $0.giveSpare(spare) }
    lock.unlock()
  }
}
