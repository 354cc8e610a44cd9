public import Synchronization

/// The engine of a derived value: the value that was computed last, and the one that was published last.
///
/// Reading computes, but never runs a subscriber; only a write, through its flush list, or a new subscriber publishes.
@usableFromInline
final class DerivedCore<Value: Sendable>: PropertyCore<Value>, @unchecked Sendable {
  // Sound: its fields are guarded by the lock.

  /// The value that was computed last; its version is the core's.
  @exclusivity(unchecked) @usableFromInline var computed: Value?

  /// The node's marks when the computation of that value began.
  @exclusivity(unchecked) @usableFromInline var computedMarks: UInt64 = 0

  /// The sum of the inputs' versions that it was computed from.
  @exclusivity(unchecked) @usableFromInline var inputVersions: UInt64 = 0

  /// Whether the value comes from a batch that is not over.
  @exclusivity(unchecked) @usableFromInline var isProvisional = false

  @exclusivity(unchecked) @usableFromInline var publishedVersion: UInt64 = 0

  /// Who has been given a value, inside a batch, that the other subscribers have not heard of, and which version.
  ///
  /// The next publication empties the list, which keeps nobody alive.
  @exclusivity(unchecked) private var newcomers: [(node: ObjectIdentifier, version: UInt64)] = []

  /// Whether there are newcomers.
  @exclusivity(unchecked) @usableFromInline var hasNewcomers = false

  /// The same as the core's `node`, which need not be asked whether it is there.
  @usableFromInline let derivedNode: DerivedNode

  /// What feeds the inputs, and must live as long as this does.
  private let feeds: [SubscriptionOwner]

  @usableFromInline
  init(
    inputs: [SourceCore], feeds: [SubscriptionOwner?], origin: DerivedOrigin, update: @escaping DerivedNode.Update
  ) {
    self.feeds = feeds.compactMap(\.self)
    derivedNode = DerivedNode(inputs: inputs, origin: origin, body: update)
    super.init(nil)
    derivedNode.attach(to: self)
    node = derivedNode
  }

  @inlinable @inline(__always)
  var state: UnsafeMutablePointer<NodeState> { derivedNode.state }

  // MARK: Reading

  /// The value, computed anew if need be.
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
    derivedNode.unobserve()
    Topology.end(ended)
    return value
  }

  /// The value as an input of another derived value, which observes this one.
  @inlinable
  func sampleDerived(_ look: inout Look) -> Value {
    if !state.pointee.isSettled { derivedNode.update(publishing: false) }
    lock.lock()
    defer { lock.unlock() }
    if !state.pointee.isSettled { look.isTorn = true }
    look.versions &+= version
    if isProvisional { look.isProvisional = true }
    return computed.unsafelyUnwrapped  // Sound: just updated, or on the first observation before.
  }

  // MARK: Updating

  /// What has become of a computed value.
  @usableFromInline
  enum Outcome: Sendable {
    /// There is another value to compare with first.
    case contested
    /// It is kept; whether subscribers have heard of it is not known.
    case kept
    /// It is kept, and subscribers know all there is to know.
    case published
  }

  /// What a look at the inputs comes to.
  @usableFromInline
  enum Verdict {
    /// They changed meanwhile.
    case moved
    /// Nobody observes the value any more.
    case abandoned
    /// They are what the value was computed from.
    case same
    /// The value must be computed; there may be an old one to compare with.
    case changed(old: Value?, version: UInt64)
  }

  /// Judges a look at the inputs that began when the node's marks were `marks`.
  @inlinable
  func judge(_ look: Look, marks: UInt64) -> Verdict {
    lock.lock()
    defer { lock.unlock() }
    guard state.pointee.isLinked else { return .abandoned }
    guard !look.isTorn, state.pointee.marks.load(ordering: .relaxed) == marks else { return .moved }
    if computed != nil, look.versions == inputVersions {
      computedMarks = marks
      state.pointee.settle(at: marks)
      isProvisional = look.isProvisional
      return .same
    }
    derivedNode.computers.begin()
    return .changed(old: computed, version: version)
  }

  /// Keeps a computed value, unless a newer one has been kept meanwhile.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - isSame: Whether it equals the one that had `version`.
  ///   - version: Which version it was compared with.
  ///   - look: What it was computed from.
  ///   - marks: The node's marks when that was read.
  ///   - isPublishing: Whether to send the value at once if it is the next one.
  /// - Returns: What has become of it.
  @inlinable
  func keep(
    _ value: Value, isSame: Bool, asVersion version: UInt64, from look: Look, marks: UInt64, isPublishing: Bool
  ) -> Outcome {
    var released: (Value?, Value?)
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
    withExtendedLifetime(released) {}
    return outcome
  }

  /// Whether subscribers may be told of the computed value; to be asked with the lock held.
  ///
  /// One that nobody hears may be provisional: it is for somebody who is about to join, and wants the value of now.
  @inlinable @inline(__always)
  var isPublic: Bool { !isProvisional || stored == nil || interest.load(ordering: .relaxed) == 0 }

  /// Sends the computed value to the subscribers, if it is news to them.
  @inlinable
  func publish(_ isSame: (Value, Value) -> Bool) {
    while true {
      lock.lock()
      guard version != publishedVersion, let computed, isPublic else { return lock.unlock() }
      let old = stored
      if version != publishedVersion &+ 1, let old {
        // Several changes may have led back to where it was.
        let candidate = version
        let base = publishedVersion
        lock.unlock()
        let isUnchanged = isSame(old, computed)
        lock.lock()
        // Another thread may have computed, or may have published the same, meanwhile.
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

  /// Sends a value that was just published, and unlocks the lock that the caller holds.
  @inlinable @inline(__always)
  func send(published value: Value) {
    if hasNewcomers { sendToStrangers(value) } else { send(stored: value) }
  }

  // MARK: Joining inside a batch

  /// Notes who joins, if it is given a value that the other subscribers have not heard of; to be called with the lock
  /// held.
  ///
  /// - Returns: The current value: inside a batch what can be read there, for everybody else what was published last.
  func meetDerived(_ node: SubscriberNode) -> Value {
    let node = ObjectIdentifier(node)
    // Another may have been where this one is in memory.
    if hasNewcomers { newcomers.removeAll { $0.node == node } }
    if isProvisional, version != publishedVersion, BatchFrame.isEntered, let computed {
      newcomers.append((node, version))
      hasNewcomers = true
      return computed
    }
    return stored.unsafelyUnwrapped  // Sound: a derived value is published before anybody joins.
  }

  /// Sends a value that was just published to those who do not know it, and unlocks the lock that the caller holds.
  @usableFromInline
  func sendToStrangers(_ value: Value) {
    let knowing = takeNewcomers { $0 == version }
    guard interest.load(ordering: .relaxed) != 0 else { return lock.unlock() }
    send(stored: value, exceptTo: knowing)
  }

  /// Sends a value that is back where it was to those who were given another one meanwhile, and unlocks the lock that
  /// the caller holds.
  @usableFromInline
  func sendBack(_ value: Value) {
    let misled = takeNewcomers { $0 != version }
    if misled.isEmpty { return lock.unlock() }
    enqueueAndUnlock(.task { [self] in deliver(value) { misled.contains($0) } })
  }

  /// Forgets the newcomers, and answers which of them were given certain versions.
  private func takeNewcomers(where isMeant: (UInt64) -> Bool) -> [ObjectIdentifier] {
    let meant = newcomers.filter { isMeant($0.version) }.map(\.node)
    newcomers = []
    hasNewcomers = false
    return meant
  }
}

@available(*, unavailable)
extension DerivedCore.Verdict: Sendable {}
