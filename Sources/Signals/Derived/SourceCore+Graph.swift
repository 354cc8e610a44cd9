/// A source as an input of derived values.
extension SourceCore {
  /// The source's place in the graph of derived values, if there is anything to store.
  ///
  /// Guarded by the lock.
  @usableFromInline final var place: GraphPlace? {
    // Sound: the core owns the place until it is replaced, which happens only with the lock held.
    get { placeReference?.takeUnretainedValue() }
    set {
      let old = placeReference
      placeReference = newValue.map { .passRetained($0) }
      old?.release()
    }
  }

  /// Marks the derived values that depend on this source.
  ///
  /// The caller holds the lock.
  @usableFromInline
  final func markDependents() -> FlushList {
    var list = FlushList(spare: placeReference?._withUnsafeGuaranteedRef { $0.takeSpare() } ?? [])
    placeReference?._withUnsafeGuaranteedRef { $0.mark(&list) }
    list.markPostponed()
    return list
  }

  /// Brings the marked derived values up to date.
  ///
  /// The caller holds no lock.
  @usableFromInline
  final func flush(_ list: consuming FlushList) {
    let spare = list.flush()
    guard spare.capacity > 0 else { return }
    lock.lock()
    placeReference?._withUnsafeGuaranteedRef { $0.giveSpare(spare) }
    lock.unlock()
  }
}
