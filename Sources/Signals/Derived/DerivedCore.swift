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

  /// The sum of the inputs' versions. They only grow, so an equal sum means equal inputs.
  @exclusivity(unchecked) @usableFromInline var inputVersions: UInt64 = 0

  /// Whether the value comes from a batch that is not over.
  @exclusivity(unchecked) @usableFromInline var isProvisional = false

  @exclusivity(unchecked) @usableFromInline var publishedVersion: UInt64 = 0

  /// What feeds the inputs, and must live as long as this does.
  private let feeds: [SubscriptionOwner]

  @usableFromInline
  init(inputs: [SourceCore], feeds: [SubscriptionOwner?], update: @escaping DerivedNode.Update) {
    self.feeds = feeds.compactMap(\.self)
    super.init(nil)
    node = DerivedNode(core: self, inputs: inputs, body: update)
  }

  @inlinable @inline(__always)
  var derivedNode: DerivedNode { node.unsafelyUnwrapped }  // Sound: set as it is made, and never again.

  // MARK: Reading

  /// The value, computed anew if need be.
  @usableFromInline
  func read() -> Value {
    lock.lock()
    if derivedNode.settledMarks == derivedNode.marks, let computed {
      lock.unlock()
      return computed
    }
    lock.unlock()
    let ended = derivedNode.observe()
    derivedNode.update(publishing: false)
    let value = lock.withLock { computed.unsafelyUnwrapped }  // Sound: just updated.
    derivedNode.unobserve()
    for core in ended { core.endDerived() }
    return value
  }

  /// The value as an input of another derived value, which observes this one.
  @inlinable
  func sampleDerived(_ versions: inout UInt64, _ isProvisional: inout Bool) -> Value {
    lock.lock()
    if derivedNode.settledMarks != derivedNode.marks {
      lock.unlock()
      derivedNode.update(publishing: false)
      lock.lock()
    }
    defer { lock.unlock() }
    versions &+= version
    if self.isProvisional { isProvisional = true }
    return computed.unsafelyUnwrapped  // Sound: just updated, or on the first observation before.
  }

  // MARK: Updating

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

  /// Judges what was read of the inputs since the node's marks were `marks`.
  @inlinable
  func judge(marks: UInt64, versions: UInt64, isProvisional: Bool) -> Verdict {
    lock.lock()
    defer { lock.unlock() }
    guard derivedNode.isLinked else { return .abandoned }
    guard derivedNode.marks == marks else { return .moved }
    if computed != nil, versions == inputVersions {
      computedMarks = marks
      derivedNode.settledMarks = marks
      self.isProvisional = isProvisional
      return .same
    }
    derivedNode.beginComputing()
    return .changed(old: computed, version: version)
  }

  /// Keeps a computed value, unless a newer one has been kept meanwhile.
  ///
  /// - Parameters:
  ///   - isSame: Whether the value equals the one that had `version`.
  /// - Returns: `false` if there is another value to compare with first.
  @inlinable
  func keep(
    _ value: Value, isSame: Bool, asVersion version: UInt64, marks: UInt64, versions: UInt64, isProvisional: Bool
  ) -> Bool {
    var released: Value?
    lock.lock()
    if computedMarks < marks || computed == nil {
      guard version == self.version else {
        lock.unlock()
        return false
      }
      if !isSame {
        released = computed
        computed = value
        self.version &+= 1
      }
      computedMarks = marks
      inputVersions = versions
      self.isProvisional = isProvisional
      if derivedNode.isLinked, derivedNode.marks == marks { derivedNode.settledMarks = marks }
    }
    derivedNode.endComputing()
    lock.unlock()
    withExtendedLifetime(released) {}
    return true
  }

  /// Sends the computed value to the subscribers, if it is news to them.
  @inlinable
  func publish(_ isSame: (Value, Value) -> Bool) {
    while true {
      lock.lock()
      guard version != publishedVersion, let computed, !isProvisional || stored == nil else { return lock.unlock() }
      let old = stored
      if version != publishedVersion &+ 1, let old {
        // Several changes may have led back to where it was.
        let candidate = version
        lock.unlock()
        let isUnchanged = isSame(old, computed)
        lock.lock()
        guard candidate == version else {
          lock.unlock()
          continue
        }
        if isUnchanged {
          publishedVersion = candidate
          return lock.unlock()
        }
      }
      publishedVersion = version
      stored = computed
      send(stored: computed)
      return withExtendedLifetime(old) {}
    }
  }

  override func endDerived() {
    derivedNode.update(publishing: true)
    end(.finished)
  }
}

@available(*, unavailable)
extension DerivedCore.Verdict: Sendable {}
