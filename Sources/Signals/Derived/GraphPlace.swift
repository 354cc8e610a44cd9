/// The dependents of a source, its tracker for Swift Observation, and the batches that hold back its changes.
///
/// A source has one only while there is something to store. Guarded by the source's lock.
@usableFromInline
final class GraphPlace: @unchecked Sendable {  // Sound: guarded by the lock of the source that owns it.
  /// One input of one node.
  ///
  /// The node's observers keep it alive, and it is removed before it is released.
  struct Dependent {
    let node: Unmanaged<DerivedNode>
    let input: Int

    /// A Boolean value that indicates whether the node counts this input as one that can still change.
    var isLive: Bool
  }

  /// The observed values that are computed from this source, in the order in which their observation began.
  ///
  /// They are in manually allocated memory, so that iterating costs no reference counting.
  @exclusivity(unchecked) private var dependents: UnsafeMutablePointer<Dependent?>
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var capacity = 4
  @exclusivity(unchecked) private var holes = 0

  /// The batches that have written the source and have not finished sending.
  @exclusivity(unchecked) private(set) var holds: [Hold] = []

  /// A Boolean value that indicates whether the source ends as soon as those batches are over.
  @exclusivity(unchecked) var isEnding = false

  /// The tracker that announces changes to Swift Observation, if the value has been read in a tracked closure.
  @exclusivity(unchecked) @usableFromInline var tracker: ObservationTracker?

  /// The memory of the last flush list, which the next one reuses.
  @exclusivity(unchecked) private var spare: [FlushList.Entry] = []

  init() {
    dependents = .allocate(capacity: 4)
  }

  deinit {
    dependents.deallocate()
  }

  var isEmpty: Bool { count == 0 && holds.isEmpty && tracker == nil && !isEnding }

  // MARK: Dependents

  func append(_ node: DerivedNode, input: Int, isLive: Bool) {
    if count == capacity { makeRoom() }
    node.places[input] = count
    (dependents + count).initialize(to: Dependent(node: .passUnretained(node), input: input, isLive: isLive))
    count += 1
  }

  private func makeRoom() {
    if holes > count / 2 { return compact() }
    let roomier = UnsafeMutablePointer<Dependent?>.allocate(capacity: capacity * 2)
    roomier.moveInitialize(from: dependents, count: count)
    dependents.deallocate()
    dependents = roomier
    capacity *= 2
  }

  /// Removes a node from the list, in O(1) amortised, because the node knows its position.
  func remove(_ node: DerivedNode, input: Int) {
    dependents[node.places[input]] = nil
    holes += 1
    while count > 0, dependents[count - 1] == nil {
      count -= 1
      holes -= 1
    }
    if holes > 16, holes > count / 2 { compact() }
  }

  /// Closes the gaps without changing the order.
  private func compact() {
    var next = 0
    for index in 0..<count {
      guard let dependent = dependents[index] else { continue }
      dependent.node._withUnsafeGuaranteedRef { $0.places[dependent.input] = next }
      dependents[next] = dependent
      next += 1
    }
    count = next
    holes = 0
  }

  /// The cores of the nodes, retained.
  var dependentCores: [SourceCore] {
    (0..<count).compactMap { dependents[$0]?.node._withUnsafeGuaranteedRef { $0.core.takeUnretainedValue() } }
  }

  /// Marks every dependent node, because an input of it changes.
  func mark(_ list: inout FlushList, depth: Int = 0) {
    let dependents = dependents
    for index in 0..<count {
      dependents[index]?.node._withUnsafeGuaranteedRef { $0.mark(&list, depth: depth) }
    }
  }

  /// Notifies every dependent node that this source cannot change any more.
  ///
  /// - Returns: The nodes whose inputs can all no longer change.
  func close() -> [DerivedNode] {
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
  @usableFromInline var isHeld: Bool { holds.contains { !$0.isReleased } }

  func append(_ hold: Hold) {
    holds.append(hold)
  }

  func remove(_ hold: Hold) {
    holds.removeAll { $0 === hold }
  }

  // MARK: Flush lists

  func takeSpare() -> [FlushList.Entry] {
    var taken: [FlushList.Entry] = []
    swap(&taken, &spare)
    return taken
  }

  func giveSpare(_ memory: consuming [FlushList.Entry]) {
    if memory.capacity > spare.capacity { spare = memory }
  }
}
