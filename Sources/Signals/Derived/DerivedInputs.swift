/// The inputs of a derived value, read together.
@usableFromInline
protocol DerivedInputs: Sendable {
  associatedtype Values

  /// The inputs' cores, and the owners that feed them.
  var sources: [(core: SourceCore, feed: SubscriptionOwner?)] { get }

  /// Reads every input.
  ///
  /// - Parameter look: The record of the read, which is updated.
  /// - Returns: The inputs' values.
  func sample(_ look: inout Look) -> Values
}

/// One input.
@usableFromInline
struct DerivedInput<Value: Sendable>: DerivedInputs {
  @usableFromInline let core: PropertyCore<Value>
  @usableFromInline let feed: SubscriptionOwner?

  @inlinable @inline(__always)
  init(_ property: Property<Value>) {
    core = property.core
    feed = property.source
  }

  @usableFromInline var sources: [(core: SourceCore, feed: SubscriptionOwner?)] { [(core, feed)] }

  @inlinable @inline(__always)
  func sample(_ look: inout Look) -> Value {
    core.sample(&look)
  }
}

/// Two groups of inputs.
@usableFromInline
struct DerivedInputPair<First: DerivedInputs, Second: DerivedInputs>: DerivedInputs {
  @usableFromInline let first: First
  @usableFromInline let second: Second

  @inlinable @inline(__always)
  init(_ first: First, _ second: Second) {
    (self.first, self.second) = (first, second)
  }

  @usableFromInline var sources: [(core: SourceCore, feed: SubscriptionOwner?)] { first.sources + second.sources }

  @inlinable @inline(__always)
  func sample(_ look: inout Look) -> (First.Values, Second.Values) {
    (first.sample(&look), second.sample(&look))
  }
}

/// Any number of inputs.
@usableFromInline
struct DerivedInputList<each Value: Sendable>: DerivedInputs {
  @usableFromInline let inputs: (repeat DerivedInput<each Value>)

  @usableFromInline
  init(_ properties: repeat Property<each Value>) {
    inputs = (repeat DerivedInput(each properties))
  }

  @usableFromInline var sources: [(core: SourceCore, feed: SubscriptionOwner?)] {
    var sources: [(core: SourceCore, feed: SubscriptionOwner?)] = []
    for input in repeat each inputs { sources += input.sources }
    return sources
  }

  @usableFromInline
  func sample(_ look: inout Look) -> (repeat each Value) {
    (repeat (each inputs).sample(&look))
  }
}

/// An array of inputs of one type.
@usableFromInline
struct DerivedInputArray<Value: Sendable>: DerivedInputs {
  @usableFromInline let inputs: [DerivedInput<Value>]

  /// The cores of the inputs, unmanaged so that reading them counts no references.
  ///
  /// Sound: `inputs` owns them. The closure of the derived value owns both, and lives until each call of it has returned.
  @usableFromInline let references: [Unmanaged<PropertyCore<Value>>]

  @inlinable
  init(_ properties: [Property<Value>]) {
    inputs = properties.map { DerivedInput($0) }
    references = properties.map { .passUnretained($0.core) }
  }

  @usableFromInline var sources: [(core: SourceCore, feed: SubscriptionOwner?)] { inputs.flatMap(\.sources) }

  @inlinable
  func sample(_ look: inout Look) -> [Value] {
    // Not with `init(unsafeUninitializedCapacity:)`, which looks up the type of the storage at run time.
    var values: [Value] = []
    values.reserveCapacity(references.count)
    references.withUnsafeBufferPointer { references in
      for index in references.indices {
        values.append(references[index]._withUnsafeGuaranteedRef { $0.sample(&look) })
      }
    }
    return values
  }
}

/// A record of one attempt of a derived value to read its inputs.
@usableFromInline
struct Look: Sendable {
  /// The sum of the inputs' versions.
  ///
  /// Versions only grow, so an equal sum means equal inputs.
  @usableFromInline var versions: UInt64 = 0

  /// A Boolean value that indicates whether an input was written in an open batch.
  @usableFromInline var isProvisional = false

  /// A Boolean value that indicates whether an input was out of date again before it could be read.
  ///
  /// A write has then passed the input without marking its dependents, because they were marked already. The values
  /// that were read are not consistent.
  @usableFromInline var isTorn = false

  @inlinable @inline(__always)
  init() {}
}
