/// The state that only some sources need: the dependents, the tracker for Swift Observation, the batches that hold back
/// changes, and the threads that change the value in place or repeatedly.
///
/// A source has one only while there is something to store; a derived value's is its ``DerivedNode``. Guarded by the
/// source's lock.
@usableFromInline
class GraphPlace: SubscriptionOwner, @unchecked Sendable {  // Sound: guarded by the lock of the source that owns it.
  /// One input of one node.
  ///
  /// The node's observers keep it alive, and it is removed before it is released.
  struct Dependent {
    let node: Unmanaged<DerivedNode>
    let input: Int32

    /// The node's ``DerivedNode/part``, here so that a change of another part need not touch the node.
    let part: UInt32

    /// A Boolean value that indicates whether the node counts this input as one that can still change.
    var isLive: Bool
  }

  /// The observed values that are computed from this source, in the order in which their observation began.
  ///
  /// They are in manually allocated memory, so that iterating costs no reference counting.
  @exclusivity(unchecked) private final var dependents: UnsafeMutablePointer<Dependent?>
  @exclusivity(unchecked) private final var count = 0
  @exclusivity(unchecked) private final var capacity = 0
  @exclusivity(unchecked) private final var holes = 0

  /// The number of threads that are repeating `modify`.
  ///
  /// While it is not zero, each write records its thread.
  @exclusivity(unchecked) final var contenders: UInt32 = 0
  @exclusivity(unchecked) final var lastWriter: ThreadIdentity?

  /// The batches that have written the source and have not finished sending.
  @exclusivity(unchecked) private(set) final var holds: [Hold] = []

  /// A Boolean value that indicates whether the source ends as soon as those batches are over.
  @exclusivity(unchecked) final var isEnding = false

  /// The gate that the thread changing the value in place holds; created on first use.
  @exclusivity(unchecked) final var gate: Gate?

  /// The tracker that announces changes to Swift Observation, if the value has been read in a tracked closure.
  @exclusivity(unchecked) @usableFromInline final var tracker: ObservationTracker?

  /// The memory of the last flush list, which the next one reuses.
  @exclusivity(unchecked) private final var spare: [FlushList.Entry] = []

  override init() {
    // Sound: no alignment is zero, and the pointer is never dereferenced, because the capacity is zero.
    dependents = UnsafeMutablePointer(bitPattern: MemoryLayout<Dependent?>.alignment).unsafelyUnwrapped
  }

  deinit {
    if capacity > 0 { dependents.deallocate() }
  }

  @usableFromInline final var hasDependents: Bool { count > 0 }

  /// A Boolean value that indicates whether a change of the value concerns no one but the subscribers.
  final var isQuiet: Bool { count == 0 && holds.isEmpty && tracker == nil && !isEnding }

  final var isEmpty: Bool { isQuiet && contenders == 0 && gate == nil }

  // MARK: Dependents

  final func append(_ node: DerivedNode, input: Int, isLive: Bool) {
    if count == capacity { makeRoom() }
    node.places[input] = count
    (dependents + count).initialize(
      to: Dependent(
        node: .passUnretained(node), input: Int32(truncatingIfNeeded: input), part: node.part, isLive: isLive))
    count += 1
  }

  private final func makeRoom() {
    if holes > count / 2 { return compact() }
    // Most values have one dependent.
    let roomierCapacity = capacity * 2 + 1
    let roomier = UnsafeMutablePointer<Dependent?>.allocate(capacity: roomierCapacity)
    roomier.moveInitialize(from: dependents, count: count)
    if capacity > 0 { dependents.deallocate() }
    dependents = roomier
    capacity = roomierCapacity
  }

  /// Removes a node from the list, in O(1) amortised, because the node knows its position.
  final func remove(_ node: DerivedNode, input: Int) {
    dependents[node.places[input]] = nil
    holes += 1
    while count > 0, dependents[count - 1] == nil {
      count -= 1
      holes -= 1
    }
    if holes > 16, holes > count / 2 { compact() }
  }

  /// Closes the gaps without changing the order.
  private final func compact() {
    var next = 0
    for index in 0..<count {
      guard let dependent = dependents[index] else { continue }
      dependent.node._withUnsafeGuaranteedRef { $0.places[Int(dependent.input)] = next }
      dependents[next] = dependent
      next += 1
    }
    count = next
    holes = 0
  }

  /// The cores of the nodes, retained.
  final var dependentCores: [SourceCore] {
    (0..<count).compactMap { dependents[$0]?.node._withUnsafeGuaranteedRef { $0.core.takeUnretainedValue() } }
  }

  /// Marks every dependent node, because an input of it changes, and the dependents of these.
  @inline(never)
  final func markDependents(_ list: inout FlushList, depth: Int = 0) {
    markEach(&list, depth: depth)
  }

  /// Marks every dependent node; inlined once into the write of a property, and once into the recursion.
  @inline(__always)
  final func markEach(_ list: inout FlushList, depth: Int) {
    let dependents = dependents
    for index in 0..<count {
      dependents[index]?.node._withUnsafeGuaranteedRef { $0.mark(&list, depth: depth) }
    }
  }

  /// Marks the dependent nodes that depend on the whole value or on one of some parts.
  final func markEach(of parts: [UInt32], _ list: inout FlushList) {
    let dependents = dependents
    for index in 0..<count {
      guard let dependent = dependents[index], dependent.part == 0 || parts.contains(dependent.part) else { continue }
      dependent.node._withUnsafeGuaranteedRef { $0.mark(&list, depth: 0) }
    }
  }

  /// Notifies every dependent node that this source cannot change any more.
  ///
  /// - Returns: The nodes whose inputs can all no longer change.
  final func close() -> [DerivedNode] {
    var ended: [DerivedNode] = []
    for index in 0..<count {
      guard let dependent = dependents[index], dependent.isLive else { continue }
      dependents[index]?.isLive = false
      let node = dependent.node.takeUnretainedValue()
      node.liveInputs -= 1
      if node.liveInputs == 0 { ended.append(node) }
    }
    return ended
  }

  // MARK: Batches

  /// A Boolean value that indicates whether an open batch has changed the source.
  @usableFromInline final var isHeld: Bool { holds.contains { !$0.isReleased } }

  final func append(_ hold: Hold) {
    holds.append(hold)
  }

  final func remove(_ hold: Hold) {
    holds.removeAll { $0 === hold }
  }

  // MARK: Flush lists

  final func takeSpare() -> [FlushList.Entry] {
    exchange(&spare, with: [])
  }

  final func giveSpare(_ memory: consuming [FlushList.Entry]) {
    if memory.capacity > spare.capacity { spare = memory }
  }
}

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
  @usableFromInline
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
