public import Synchronization

extension Property {
  /// Creates a derived property.
  ///
  /// Inlining merges reading the inputs and updating the value into one function.
  @inlinable @inline(__always)
  static func computed<Inputs: DerivedInputs>(
    from inputs: Inputs,
    isSame: @escaping @Sendable (Value, Value) -> Bool,
    at place: (file: StaticString, line: UInt),
    _ transform: @escaping @Sendable (Inputs.Values) -> Value
  ) -> Property<Value> {
    let origin = DerivedOrigin(valueType: Value.self, file: place.file, line: place.line)
    let owned = DerivedTransform(transform)
    // Sound: the node owns it while a thread is computing, or may have to compute again.
    let transform = Unmanaged.passUnretained(owned)
    let core = DerivedCore<Value>(inputs: inputs.sources, origin: origin, transform: owned) {
      core, isPublishing, sample in
      // Sound: only the core that is created here runs this.
      let core = unsafeDowncast(core, to: DerivedCore<Value>.self)
      let mayBeNews = core.update(
        from: inputs, isSame, transform, isPublishing: isPublishing,
        sample: sample?.assumingMemoryBound(to: DerivedSample<Value>.self)
      )
      if isPublishing, mayBeNews { core.publish(isSame) }
    }
    return Property(core: core)
  }
}

extension DerivedCore {
  /// Brings the value up to date.
  ///
  /// - Returns: `true` if the value may still have to be published.
  @inlinable @inline(__always)
  func update<Inputs: DerivedInputs>(
    from inputs: Inputs,
    _ isSame: (Value, Value) -> Bool,
    _ transform: Unmanaged<DerivedTransform<Inputs.Values, Value>>,
    isPublishing: Bool,
    sample: UnsafeMutablePointer<DerivedSample<Value>>?
  ) -> Bool {
    var attempts = 0
    defer { if attempts > 100 { derivedNode.declareStarving(false) } }
    while true {
      let marks = state.pointee.marks.load(ordering: .acquiring)
      if state.pointee.settledMarks.load(ordering: .relaxed) == marks { return true }
      var look = Look()
      let values = inputs.sample(&look)
      switch judge(look, marks: marks, sample: sample) {
      case .same: return true
      case .abandoned: return false
      case .moved:
        attempts += 1
        if attempts == 101 { derivedNode.declareStarving(true) }
      case .changed(var old, var version):
        let value = transform._withUnsafeGuaranteedRef { $0.closure(values) }
        while true {
          let isSame = if let old { isSame(old, value) } else { false }
          let outcome = keep(
            value, isSame: isSame, asVersion: version, from: look, marks: marks, isPublishing: isPublishing,
            sample: sample
          )
          if outcome != .contested { return outcome == .kept }
          (old, version) = lock.withLock { (computed, self.version) }
        }
      }
    }
  }
}

/// The closure of a derived value, which is released before the value if the value has ended.
@usableFromInline
final class DerivedTransform<Input, Value>: Sendable {
  @usableFromInline let closure: @Sendable (Input) -> Value

  @inlinable
  init(_ closure: @escaping @Sendable (Input) -> Value) {
    self.closure = closure
  }
}

/// A copy of a derived value that was up to date, made while its lock was held for another reason.
///
/// A dependent value that had its input computed thus needs no second lock to read it.
@usableFromInline
struct DerivedSample<Value: Sendable>: Sendable {
  /// The value, or `nil` if it was out of date again at once.
  @usableFromInline var value: Value?

  @usableFromInline var version: UInt64

  /// A Boolean value that indicates whether the value was computed from an open batch.
  @usableFromInline var isProvisional: Bool

  /// Creates a sample, by default an empty one.
  @inlinable @inline(__always)
  init(value: Value? = nil, version: UInt64 = 0, isProvisional: Bool = false) {
    (self.value, self.version, self.isProvisional) = (value, version, isProvisional)
  }
}
