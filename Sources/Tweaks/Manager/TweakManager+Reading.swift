public import Signals

extension TweakManager {
  // MARK: By name

  /// Asks the providers for a tweak, unless ``usesCache`` is set.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: The tweak, or `nil` if no provider has one.
  /// - Throws: ``TweakError`` if the deciding tweak cannot be used.
  public func tweak(feature: String, variable: String) throws(TweakError) -> Tweak? {
    let id = TweakID(feature: feature, variable: variable)
    checkDeclared(.tweak(id))
    return try optionalTweak(id)
  }

  private func optionalTweak(_ id: TweakID) throws(TweakError) -> Tweak? {
    do throws(TweakError) {
      return try tweakResolution(id).result.get()
    } catch {
      if case .notFound = error { return nil }
      throw error
    }
  }

  /// A table that asks the manager, for another one that uses this one as a provider.
  public var table: Property<TweakTable> {
    let answers = TweakTable.Answers(
      tweak: { feature, variable throws(TweakError) in
        try self.optionalTweak(TweakID(feature: feature, variable: variable))
      },
      featureState: { feature throws(TweakError) in try self.featureState(feature) }, ids: { self.listedIDs },
      isUnannounced: { self.isUnannounced })
    return .asking(answers, following: updateEmitter)
  }

  /// A Boolean value that indicates whether values may change without an update of this manager.
  private var isUnannounced: Bool {
    let (isCaching, sources) = state.withLock { ($0.isCaching, $0.sources.all) }
    return !isCaching && sources.contains { $0.table.value.isUnannounced }
  }

  /// The names of the tweaks that the providers list.
  var listedIDs: Set<TweakID> {
    state.withLock { $0.sources.all }.reduce(into: []) { $0.formUnion($1.table.value.ids) }
  }

  // MARK: Fast reads

  /// Returns the value for a typed key.
  ///
  /// A ``TweakStructure`` is decoded once for each change.
  ///
  /// - Parameter key: The key; best a constant.
  /// - Returns: The value. It is the key's default if there is no value, or if the value is not of the type, which
  ///   ``failures`` reports.
  /// - Complexity: O(1), without an allocation, and without a lock unless the value is a string. The first read, and
  ///   the first one after a change, may ask the providers.
  @inlinable
  public subscript<Value: TweakValueConvertible>(key: TweakKey<Value>) -> Value {
    value(of: key.id, hash: key.hash, default: key.defaultValue)
  }

  /// Returns the value of a tweak, or a default.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - defaultValue: The result if there is no value, or if the value is not of the type, which ``failures`` reports.
  /// - Returns: The value.
  /// - Complexity: O(1), without an allocation, and without a lock unless the value is a string. The first read, and
  ///   the first one after a change, may ask the providers.
  @inlinable
  public func value<Value: TweakValueConvertible>(
    feature: String, variable: String, default defaultValue: Value
  ) -> Value {
    let id = TweakID(feature: feature, variable: variable)
    return value(of: id, hash: SlotTable.hash(feature, variable), default: defaultValue)
  }

  /// Returns the value of a tweak.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - type: The type of the value.
  /// - Returns: The value.
  /// - Throws: ``TweakError`` if there is no value, if it is not of the type, or if the deciding tweak cannot be used.
  /// - Complexity: O(1), without an allocation, and without a lock unless the value is a string. The first read, and
  ///   the first one after a change, may ask the providers.
  @inlinable
  public func value<Value: TweakValueConvertible>(
    feature: String, variable: String, as type: Value.Type = Value.self
  ) throws(TweakError) -> Value {
    let id = TweakID(feature: feature, variable: variable)
    let hash = SlotTable.hash(feature, variable)
    if case .value(let value) = glance(id, hash: hash), let value = Value(glanced: value) { return value }
    return try converted(in: slot(id, hash: hash), to: type)
  }

  @inlinable @inline(__always)
  func value<Value: TweakValueConvertible>(
    of id: TweakID, hash: Int, default defaultValue: @autoclosure () -> Value
  ) -> Value {
    // The compiler removes this for all other types.
    if Value.isTweakStructure, let known = decoded(id, hash: hash, as: Value.self) { return known }
    switch glance(id, hash: hash) {
    case .value(let value): if let value = Value(glanced: value) { return value }
    case .absent: return defaultValue()
    case .unclear: break
    }
    return lookedUp(in: slot(id, hash: hash), as: Value.self) ?? defaultValue()
  }

  @usableFromInline
  func glance(_ id: TweakID, hash: Int) -> TweakSlot.Glance {
    // Sound: the table keeps all slots.
    tweakSlots.find(id, hash: hash)?._withUnsafeGuaranteedRef { $0.glance } ?? .unclear
  }

  /// Returns the decoded value of a structure, if it is known.
  @inlinable @inline(__always)
  func decoded<Value: Sendable>(_ id: TweakID, hash: Int, as type: Value.Type) -> Value? {
    var value: Value?
    _ = copyDecoded(id, hash: hash, ObjectIdentifier(type)) { value = DecodedValue<Value>.value(in: $0) }
    return value
  }

  @usableFromInline
  func copyDecoded(
    _ id: TweakID, hash: Int, _ type: ObjectIdentifier, _ copy: (Unmanaged<AnyObject>) -> Void
  ) -> Bool {
    // Sound: the table keeps all slots.
    tweakSlots.find(id, hash: hash)?._withUnsafeGuaranteedRef { $0.copyDecoded(type, copy) } ?? false
  }

  // MARK: Slow reads

  @usableFromInline
  func slot(_ id: TweakID, hash: Int) -> TweakSlot {
    tweakSlots.slot(id, hash: hash)
  }

  /// Returns the value in a slot if it is of the type, and reports a mismatch to ``failures``.
  @usableFromInline
  func lookedUp<Value: TweakValueConvertible>(in slot: TweakSlot, as type: Value.Type) -> Value? {
    usable(slot, type) { () throws(TweakError) in try converted(in: slot, to: type) }
  }

  /// Converts a resolution to a type, and reports a failure once.
  func converted<Value: TweakValueConvertible>(
    _ resolution: TweakResolution, of slot: TweakSlot, to type: Value.Type
  ) -> Value? {
    usable(slot, type) { () throws(TweakError) in try converted(resolution, to: type) }
  }

  private func usable<Value>(
    _ slot: TweakSlot, _ type: Value.Type, _ value: () throws(TweakError) -> Value
  ) -> Value? {
    do throws(TweakError) {
      return try value()
    } catch {
      switch error {
      case .notFound, .disabled: break
      default: if slot.shouldReport(type) { report(error) }
      }
      return nil
    }
  }

  @usableFromInline
  func converted<Value: TweakValueConvertible>(
    in slot: TweakSlot, to type: Value.Type
  ) throws(TweakError) -> Value {
    if Value.isTweakStructure, let known = slot.decoded(as: type) { return known }
    let resolution = resolution(of: slot)
    let value = try converted(resolution, to: type)
    expose(resolution, of: slot)
    if Value.isTweakStructure { slot.keep(value, of: resolution) }
    return value
  }

  private func converted<Value: TweakValueConvertible>(
    _ resolution: TweakResolution, to type: Value.Type
  ) throws(TweakError) -> Value {
    let tweak = try resolution.result.get()
    if let value = tweak.converted(to: type) { return value }
    for alternative in resolution.alternatives {
      if let value = alternative.converted(to: type) { return value }
    }
    return try tweak.value(as: type)
  }
}

/// All known tweaks at one moment.
///
/// A snapshot contains all changes of one ``TweakManager/apply(_:)``, or none. The same holds for one change of a
/// file, for tweaks that have been looked up before, such as by a snapshot.
public struct TweakSnapshot: Sendable, Hashable {
  /// The number of changes of effective values since the manager was created.
  public let version: Int

  /// The effective tweaks by name.
  public let tweaks: [TweakID: Tweak]

  /// The tweaks of providers below, for reads of a type that the effective tweak does not have.
  let alternatives: [TweakID: [Tweak]]

  /// Returns the value for a typed key, as the manager returned it at that moment.
  ///
  /// - Parameter key: The key.
  /// - Returns: The value, or the key's default if there is no value of the type.
  public subscript<Value>(key: TweakKey<Value>) -> Value {
    if let value = tweaks[key.id]?.converted(to: Value.self) { return value }
    let alternative = alternatives[key.id]?.lazy.compactMap { $0.converted(to: Value.self) }.first
    return alternative ?? key.defaultValue
  }
}

extension TweakManager {
  /// The number of changes of effective values of tweaks that have been read or observed.
  var version: Int { state.withLock { $0.index.version } }

  /// Returns a snapshot of all tweaks that the providers list or that have been read.
  ///
  /// A tweak that its provider does not list in ``TweakTable/ids`` is included only after it was read once. An
  /// ``EnvironmentTweakProvider`` lists its tweaks if it was created with `known`.
  ///
  /// - Returns: The snapshot.
  /// - Complexity: O(*n*) in the number of tweaks.
  public func snapshot() -> TweakSnapshot {
    lookUpAll()
    return state.withLock { $0.index.snapshot }
  }
}
