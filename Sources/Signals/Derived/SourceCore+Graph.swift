/// A source as an input of derived values.
extension SourceCore {
  /// The state that only some sources need, if there is any.
  ///
  /// Guarded by the lock.
  @usableFromInline final var place: GraphPlace? {
    // Sound: the core owns the place until it drops it, which happens only with the lock held.
    placeReference?.takeUnretainedValue()
  }

  /// The node of a derived value, or `nil` for another source.
  @inlinable @inline(__always)
  final var derivation: DerivedNode? {
    // Sound: set once, during the initialisation of the core of a derived value.
    isDerived ? unsafeDowncast(placeReference.unsafelyUnwrapped.takeUnretainedValue(), to: DerivedNode.self) : nil
  }

  /// Returns the place, after creating it if necessary.
  ///
  /// The caller holds the lock.
  final func makePlace() -> GraphPlace {
    if let place { return place }
    let place = GraphPlace()
    placeReference = .passRetained(place)
    return place
  }

  /// Releases the place if there is nothing in it.
  ///
  /// The caller holds the lock.
  final func dropEmptyPlace() {
    guard !isDerived, let place = placeReference, place._withUnsafeGuaranteedRef({ $0.isEmpty }) else { return }
    placeReference = nil
    place.release()
  }

  /// Records the thread that has just stored a value, if another thread is repeating `modify`.
  ///
  /// The caller holds the lock, and there is a place.
  ///
  /// - Returns: `true` if the change concerns no one but the subscribers.
  @usableFromInline
  final func noteQuietWrite() -> Bool {
    // Sound: the core owns the place until it drops it, which happens only with the lock held.
    placeReference.unsafelyUnwrapped._withUnsafeGuaranteedRef { place in
      if place.contenders > 0 { place.lastWriter = ThreadIdentity.current }
      return place.isQuiet
    }
  }

  /// Marks the derived values that depend on some parts of this source's value, or on all of it.
  ///
  /// The caller holds the lock.
  final func markDependents(of parts: [UInt32]) -> FlushList {
    var list = FlushList(spare: placeReference?._withUnsafeGuaranteedRef { $0.takeSpare() } ?? [])
    placeReference?._withUnsafeGuaranteedRef { $0.markEach(of: parts, &list) }
    list.markPostponed()
    return list
  }

  /// Marks the derived values that depend on this source.
  ///
  /// The caller holds the lock.
  @usableFromInline
  final func markDependents() -> FlushList {
    var list = FlushList(spare: placeReference?._withUnsafeGuaranteedRef { $0.takeSpare() } ?? [])
    placeReference?._withUnsafeGuaranteedRef { $0.markEach(&list, depth: 0) }
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
