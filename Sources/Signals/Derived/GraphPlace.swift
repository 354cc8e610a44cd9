/// A source's place in the graph of derived values: who is to hear of its changes, and which batches hold them back.
///
/// A source has one only while there is something to keep in it. Guarded by the source's lock.
@usableFromInline
final class GraphPlace: @unchecked Sendable {  // Sound: guarded by the lock of the source that owns it.
  /// One input of one node; the node is kept alive by whoever observes it, and leaves before it goes.
  struct Dependent {
    let node: Unmanaged<DerivedNode>
    let input: Int

    /// Whether the node counts this input among those that can still change.
    var isLive: Bool
  }

  /// The observed values that are computed from this source, in the order in which their observation began.
  private(set) var dependents: [Dependent?] = []
  private var holes = 0

  /// The batches that have written the source and are not over.
  private(set) var holds: [Hold] = []

  /// The memory of the last flush list, used again for the next.
  private var spare: [Unmanaged<SourceCore>] = []

  init() {}

  var isEmpty: Bool { dependents.isEmpty && holds.isEmpty }

  // MARK: Dependents

  func append(_ node: DerivedNode, input: Int, isLive: Bool) {
    node.places[input] = dependents.count
    dependents.append(Dependent(node: .passUnretained(node), input: input, isLive: isLive))
  }

  /// Takes a node off the list; O(1) amortised, because the node knows its place.
  func remove(_ node: DerivedNode, input: Int) {
    dependents[node.places[input]] = nil
    holes += 1
    while let last = dependents.last, last == nil {
      dependents.removeLast()
      holes -= 1
    }
    if holes > 16, holes > dependents.count / 2 { compact() }
  }

  /// Closes the holes; the order stays.
  private func compact() {
    dependents = dependents.filter { $0 != nil }
    holes = 0
    for (place, dependent) in dependents.enumerated() {
      guard let dependent else { continue }
      dependent.node._withUnsafeGuaranteedRef { $0.places[dependent.input] = place }
    }
  }

  /// Tells every node that something below it changes.
  func mark(_ list: inout FlushList, depth: Int = 0) {
    for case .some(let dependent) in dependents {
      dependent.node._withUnsafeGuaranteedRef { $0.mark(&list, depth: depth) }
    }
  }

  /// Tells every node that this source changes no more.
  ///
  /// - Returns: The nodes that have no input left that can change.
  func close() -> [DerivedNode] {
    var ended: [DerivedNode] = []
    for index in dependents.indices {
      guard let dependent = dependents[index], dependent.isLive else { continue }
      dependents[index]?.isLive = false
      let node = dependent.node.takeUnretainedValue()
      node.liveInputs -= 1
      if node.liveInputs == 0 { ended.append(node) }
    }
    return ended
  }

  // MARK: Batches

  /// Whether a batch that is not over has changed the source.
  @usableFromInline var isHeld: Bool { holds.contains { !$0.isReleased } }

  func append(_ hold: Hold) {
    holds.append(hold)
  }

  func remove(_ hold: Hold) {
    holds.removeAll { $0 === hold }
  }

  // MARK: Flush lists

  func takeSpare() -> [Unmanaged<SourceCore>] {
    let taken = spare
    spare = []
    return taken
  }

  func giveSpare(_ memory: [Unmanaged<SourceCore>]) {
    if memory.capacity > spare.capacity { spare = memory }
  }
}
