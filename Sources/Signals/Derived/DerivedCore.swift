public import Synchronization

/// The engine of a derived value: the value that was computed last, and the value that was published last.
///
/// Reading computes but never runs a subscriber. Only a write, through its flush list, or a new subscriber publishes.
@usableFromInline
final class DerivedCore<Value: Sendable>: PropertyCore<Value>, @unchecked Sendable {
  // Sound: the lock guards its fields.

  /// The value that was computed last; its version is the core's.
  @exclusivity(unchecked) @usableFromInline var computed: Value?

  /// The node's marks when the computation of that value began.
  @exclusivity(unchecked) @usableFromInline var computedMarks: UInt64 = 0

  /// The sum of the versions of the inputs from which that value was computed.
  @exclusivity(unchecked) @usableFromInline var inputVersions: UInt64 = 0

  /// A Boolean value that indicates whether the value was computed from an open batch.
  @exclusivity(unchecked) @usableFromInline var isProvisional = false

  @exclusivity(unchecked) @usableFromInline var publishedVersion: UInt64 = 0

  /// The subscribers that received, inside a batch, a value that has not been published, each with its version.
  ///
  /// The next publication empties the list, which keeps no subscriber alive.
  @exclusivity(unchecked) private var newcomers: [(node: ObjectIdentifier, version: UInt64)] = []

  /// A Boolean value that indicates whether there are newcomers.
  @exclusivity(unchecked) @usableFromInline var hasNewcomers = false

  /// The core's `derivation`, which the core's place retains.
  @usableFromInline let derivedNode: DerivedNode

  /// The owners that feed the inputs, kept alive as long as this core.
  private let feeds: [SubscriptionOwner]

  @usableFromInline
  init(
    inputs: [(core: SourceCore, feed: SubscriptionOwner?)], origin: DerivedOrigin,
    transform: any AnyObject & Sendable, update: @escaping DerivedNode.Update
  ) {
    feeds = inputs.compactMap(\.feed)
    derivedNode = DerivedNode(inputs: inputs.map(\.core), origin: origin, transform: transform, body: update)
    super.init(nil)
    derivedNode.attach(to: self)
    isDerived = true
    placeReference = .passRetained(derivedNode)
  }

  @inlinable @inline(__always)
  var state: UnsafeMutablePointer<NodeState> { derivedNode.state }

  // MARK: Reading

  /// Returns the value, after computing it if necessary.
  @usableFromInline
  func read() -> Value {
    lock.lock()
    if state.pointee.isSettled, let computed {
      lock.unlock()
      return computed
    }
    lock.unlock()
    let ended = derivedNode.observe()
    derivedNode.update(publishing: false)
    let value = lock.withLock { computed.unsafelyUnwrapped }  // Sound: just updated.
    // While it is still observed, because a value that has ended is kept for good if it is up to date.
    Topology.end(ended)
    derivedNode.unobserve()
    return value
  }

  /// Returns the value as an input of another derived value, which observes this one.
  @inlinable @inline(__always)
  func sampleDerived(_ look: inout Look) -> Value {
    if !state.pointee.isSettled {
      var sample = DerivedSample<Value>()
      withUnsafeMutablePointer(to: &sample) { derivedNode.update(publishing: false, into: $0) }
      // Most often, the value was copied while the lock was held to keep it.
      if let value = sample.value {
        look.versions &+= sample.version
        if sample.isProvisional { look.isProvisional = true }
        return value
      }
    }
    return sampleComputed(&look)
  }

  @inlinable
  func sampleComputed(_ look: inout Look) -> Value {
    lock.lock()
    defer { lock.unlock() }
    if !state.pointee.isSettled { look.isTorn = true }
    look.versions &+= version
    if isProvisional { look.isProvisional = true }
    return computed.unsafelyUnwrapped  // Sound: just updated, or at the first observation.
  }

  // MARK: Updating

  /// The outcome of an attempt to keep a computed value.
  @usableFromInline
  enum Outcome: Sendable {
    /// Another value has been stored, with which this one must be compared first.
    case contested
    /// The value is kept; it may not have been published.
    case kept
    /// The value is kept, and subscribers are up to date.
    case published
  }

  /// The result of comparing the inputs that were read with the current value.
  @usableFromInline
  enum Verdict {
    /// The inputs changed while they were read.
    case moved
    /// The value is not observed any more.
    case abandoned
    /// The inputs are those from which the value was computed.
    case same
    /// The value must be computed and, if there is an old one, compared with it.
    case changed(old: Value?, version: UInt64)
  }

  /// Compares the inputs that were read since the node's marks were `marks` with the current value.
  ///
  /// If they are the same, copies the value into `sample`.
  @inlinable
  func judge(_ look: Look, marks: UInt64, sample: UnsafeMutablePointer<DerivedSample<Value>>?) -> Verdict {
    lock.lock()
    defer { lock.unlock() }
    guard state.pointee.isLinked else { return .abandoned }
    guard !look.isTorn, state.pointee.marks.load(ordering: .relaxed) == marks else { return .moved }
    if computed != nil, look.versions == inputVersions || derivedNode.isFinal {
      computedMarks = marks
      state.pointee.settle(at: marks)
      isProvisional = look.isProvisional
      copy(into: sample)
      return .same
    }
    derivedNode.computers.begin()
    return .changed(old: computed, version: version)
  }

  /// Keeps a computed value, unless a newer one has been kept.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - isSame: A Boolean value that indicates whether it equals the value that had `version`.
  ///   - version: The version with which it was compared.
  ///   - look: The inputs from which it was computed.
  ///   - marks: The node's marks when the inputs were read.
  ///   - isPublishing: A Boolean value that determines whether to send the value at once if it is the next one.
  ///   - sample: A pointer to a sample that receives the value if it is still up to date, or `nil`.
  /// - Returns: The outcome.
  @inlinable
  func keep(
    _ value: Value, isSame: Bool, asVersion version: UInt64, from look: Look, marks: UInt64, isPublishing: Bool,
    sample: UnsafeMutablePointer<DerivedSample<Value>>?
  ) -> Outcome {
    var released: (Value?, Value?)
    var transform: (any AnyObject & Sendable)?
    lock.lock()
    if computedMarks < marks || computed == nil {
      guard version == self.version else {
        lock.unlock()
        return .contested
      }
      if !isSame {
        released.0 = computed
        computed = value
        self.version &+= 1
      }
      computedMarks = marks
      inputVersions = look.versions
      isProvisional = look.isProvisional
      state.pointee.settle(at: marks)
    }
    derivedNode.computers.end()
    if derivedNode.isFinal { transform = derivedNode.takeTransform() }
    copy(into: sample)
    var outcome = Outcome.kept
    if isPublishing, !isProvisional, self.version == publishedVersion &+ 1, let computed {
      released.1 = stored
      publishedVersion = self.version
      stored = computed
      send(published: computed)
      outcome = .published
    } else {
      lock.unlock()
    }
    withExtendedLifetime((released, transform)) {}
    return outcome
  }

  /// Copies the value into `sample`, unless it is out of date.
  ///
  /// The caller holds the lock.
  @inlinable @inline(__always)
  func copy(into sample: UnsafeMutablePointer<DerivedSample<Value>>?) {
    guard let sample, state.pointee.isSettled else { return }
    sample.pointee = DerivedSample(value: computed, version: version, isProvisional: isProvisional)
  }

  /// A Boolean value that indicates whether the computed value may be sent to subscribers.
  ///
  /// The caller holds the lock.
  ///
  /// A provisional value may be published if there are no subscribers: one that is about to join needs the current
  /// value.
  @inlinable @inline(__always)
  var isPublic: Bool { !isProvisional || stored == nil || interest.load(ordering: .relaxed) == 0 }

  /// Sends the computed value to the subscribers, unless they already have it.
  @inlinable
  func publish(_ isSame: (Value, Value) -> Bool) {
    while true {
      lock.lock()
      guard version != publishedVersion, let computed, isPublic else { return lock.unlock() }
      let old = stored
      if version != publishedVersion &+ 1, let old {
        // Several changes may have led back to the published value.
        let candidate = version
        let base = publishedVersion
        lock.unlock()
        let isUnchanged = isSame(old, computed)
        lock.lock()
        // Another thread may have computed or published a value since the lock was released.
        guard candidate == version, base == publishedVersion, isPublic else {
          lock.unlock()
          continue
        }
        if isUnchanged {
          publishedVersion = candidate
          return hasNewcomers ? sendBack(computed) : lock.unlock()
        }
      }
      publishedVersion = version
      stored = computed
      send(published: computed)
      return withExtendedLifetime(old) {}
    }
  }

  /// Sends a value that was just published, and releases the lock that the caller holds.
  @inlinable @inline(__always)
  func send(published value: Value) {
    if hasNewcomers { sendToStrangers(value) } else { send(stored: value) }
  }

  // MARK: Joining inside a batch

  /// Records a new subscriber if it receives a value that the others have not received.
  ///
  /// The caller holds the lock.
  ///
  /// - Returns: The current value: inside a batch, the value that can be read there; otherwise the last published one.
  func meetDerived(_ node: SubscriberNode) -> Value {
    let node = ObjectIdentifier(node)
    // Another subscriber may have had the same address in memory.
    if hasNewcomers { newcomers.removeAll { $0.node == node } }
    if isProvisional, version != publishedVersion, BatchFrame.isEntered, let computed {
      newcomers.append((node, version))
      hasNewcomers = true
      return computed
    }
    return stored.unsafelyUnwrapped  // Sound: a derived value is published before anyone joins.
  }

  /// Sends a value that was just published to the subscribers that do not have it, and releases the lock that the
  /// caller holds.
  @usableFromInline
  func sendToStrangers(_ value: Value) {
    let knowing = takeNewcomers { $0 == version }
    guard interest.load(ordering: .relaxed) != 0 else { return lock.unlock() }
    send(stored: value, exceptTo: knowing)
  }

  /// Sends a value that is unchanged to the subscribers that received a different one during a batch, and releases the
  /// lock that the caller holds.
  @usableFromInline
  func sendBack(_ value: Value) {
    let misled = takeNewcomers { $0 != version }
    if misled.isEmpty { return lock.unlock() }
    enqueueAndUnlock(.task { [self] in deliver(value) { misled.contains($0) } })
  }

  /// Removes the newcomers, and returns those whose version satisfies a condition.
  private func takeNewcomers(where isMeant: (UInt64) -> Bool) -> [ObjectIdentifier] {
    let meant = newcomers.filter { isMeant($0.version) }.map(\.node)
    newcomers = []
    hasNewcomers = false
    return meant
  }
}

@available(*, unavailable)
extension DerivedCore.Verdict: Sendable {}
