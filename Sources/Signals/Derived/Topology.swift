/// The links of the graph of derived values.
///
/// One lock guards all links. They change when observation begins and ends, not when values change.
@usableFromInline
enum Topology: Sendable {
  private static let lock = Lock()

  /// Links a node, and all nodes that it depends on, to their sources, unless they are already linked.
  ///
  /// - Returns: The derived values that turned out to have ended, lower ones first. Their subscribers still have to be
  ///   notified.
  static func observe(_ node: DerivedNode) -> [SourceCore] {
    lock.withLock {
      var linked: [DerivedNode] = []
      var pending = [node]
      while let node = pending.popLast() {
        node.observers += 1
        guard node.observers == 1 else { continue }
        link(node)
        linked.append(node)
        for input in node.inputs {
          if let below = input._withUnsafeGuaranteedRef({ $0.derivation }) { pending.append(below) }
        }
      }
      var ended: [SourceCore] = []
      for node in linked.reversed() where node.liveInputs == 0 { close(node.core.takeUnretainedValue(), &ended) }
      return ended
    }
  }

  /// Ends what ``observe(_:)`` began.
  static func unobserve(_ node: DerivedNode) {
    lock.withLock {
      var pending = [node]
      while let node = pending.popLast() {
        node.observers -= 1
        guard node.observers == 0 else { continue }
        unlink(node)
        for input in node.inputs {
          if let below = input._withUnsafeGuaranteedRef({ $0.derivation }) { pending.append(below) }
        }
      }
    }
  }

  /// Records that a source cannot change any more.
  ///
  /// - Returns: The derived values that have ended as a result, lower ones first.
  static func close(_ core: SourceCore) -> [SourceCore] {
    let hasDependents = core.lock.withLock {
      core.isClosed = true
      return core.place?.hasDependents ?? false
    }
    guard hasDependents else { return [] }
    return lock.withLock {
      var ended: [SourceCore] = []
      closeDependents(of: core, &ended)
      return ended
    }
  }

  /// Publishes the last value of derived values that have ended, completes them, and releases their closures.
  ///
  /// The caller holds no lock.
  @usableFromInline
  static func end(_ ended: [SourceCore]) {
    for core in ended {
      core.derivation?.update(publishing: true)
      core.finish()
    }
    // Last, because what is released may cancel subscriptions to the other values.
    for core in ended { core.derivation?.end() }
  }

  private static func close(_ core: SourceCore, _ ended: inout [SourceCore]) {
    guard noteClosed(core) else { return }
    ended.append(core)
    closeDependents(of: core, &ended)
  }

  /// Records that a source cannot change any more, and returns `false` if that was already known.
  private static func noteClosed(_ core: SourceCore) -> Bool {
    core.lock.withLock {
      defer { core.isClosed = true }
      return !core.isClosed
    }
  }

  private static func closeDependents(of core: SourceCore, _ ended: inout [SourceCore]) {
    var pending = [core]
    while let core = pending.popLast() {
      for node in core.lock.withLock({ core.place?.close() ?? [] }) {
        let dependent = node.core.takeUnretainedValue()
        guard noteClosed(dependent) else { continue }
        ended.append(dependent)
        pending.append(dependent)
      }
    }
  }

  private static func link(_ node: DerivedNode) {
    node.liveInputs = 0
    for (index, input) in node.inputs.map({ $0.takeUnretainedValue() }).enumerated() {
      input.lock.withLock {
        input.makePlace().append(node, input: index, isLive: !input.isClosed)
        if !input.isClosed { node.liveInputs += 1 }
      }
    }
    node.core.takeUnretainedValue().lock.withLock {
      node.state.pointee.isLinked = true
      // Earlier changes were not marked.
      node.state.pointee.mark()
    }
  }

  private static func unlink(_ node: DerivedNode) {
    let core = node.core.takeUnretainedValue()
    core.lock.withLock {
      node.noteFinal(core)
      node.state.pointee.isLinked = false
      node.state.pointee.mark()
    }
    for (index, input) in node.inputs.map({ $0.takeUnretainedValue() }).enumerated() {
      input.lock.withLock {
        input.place?.remove(node, input: index)
        input.dropEmptyPlace()
      }
    }
  }
}
