public import Foundation
import Signals

extension TweakManager {
  /// A Boolean value that indicates whether set values are stored persistently.
  public var isPersistent: Bool {
    for case let provider as any MutableTweakProvider in providers { return provider.isPersistent }
    return false
  }

  /// A Boolean value that indicates whether an override may have an end.
  public var supportsExpiration: Bool {
    for case let provider as any MutableTweakProvider in providers { return provider.supportsExpiration }
    return false
  }

  /// Sets the value of a tweak in the first mutable provider.
  ///
  /// When this returns, all observers of the tweak have been notified, with two exceptions. If another thread is
  /// notifying them, that thread continues. If the tweak is part of a change of several tweaks, the observers are
  /// notified of all of them together.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - expiration: The end of the override, after which the next provider decides.
  /// - Returns: Whether the value is effective now.
  /// - Throws: ``TweakError``, such as ``TweakError/readOnly(_:)``; then nothing has changed.
  @discardableResult
  public func set(
    _ value: TweakValue, feature: String, variable: String, until expiration: Date? = nil
  ) throws(TweakError) -> TweakOutcome {
    let id = TweakID(feature: feature, variable: variable)
    return try write([TweakEdit(id, value, until: expiration)]).outcomes[id] ?? .effective
  }

  /// Sets the value for a typed key in the first mutable provider.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  ///   - expiration: The end of the override, after which the next provider decides.
  /// - Returns: Whether the value is effective now.
  /// - Throws: ``TweakError``; then nothing has changed.
  @discardableResult
  public func set<Value>(
    _ value: Value, for key: TweakKey<Value>, until expiration: Date? = nil
  ) throws(TweakError) -> TweakOutcome {
    try write([TweakEdit(key.id, value.tweakValue, until: expiration)]).outcomes[key.id] ?? .effective
  }

  /// Deletes the value for a typed key in the first mutable provider, so that the next provider decides.
  ///
  /// - Parameter key: The key.
  /// - Throws: ``TweakError``; then nothing has changed.
  public func reset<Value>(_ key: TweakKey<Value>) throws(TweakError) {
    try write([TweakEdit(key.id, nil)])
  }

  /// Makes several changes as one.
  ///
  /// Each ``snapshot()`` contains all of them or none.
  ///
  /// A value has no effect while a provider before the mutable one has the tweak; ``set(_:feature:variable:until:)``
  /// reports this in its result.
  ///
  /// - Parameter body: A closure that records the changes. They are made after it returns. If it throws, nothing
  ///   changes.
  /// - Returns: The result of `body`.
  /// - Throws: The error that `body` threw, or ``TweakError``.
  @discardableResult
  public func update<Result>(_ body: (inout TweakEdits) throws -> Result) throws -> Result {
    var edits = TweakEdits()
    let result = try body(&edits)
    try apply(edits.edits)
    return result
  }

  /// Makes changes in the first mutable provider.
  ///
  /// As with ``update(_:)``, a value has no effect while a provider before that one has the tweak.
  ///
  /// - Parameter edits: The changes, in order.
  /// - Returns: The tweaks that changed in that provider.
  /// - Throws: ``TweakError``.
  @discardableResult
  public func apply(_ edits: [TweakEdit]) throws(TweakError) -> TweakUpdate {
    try write(edits).update
  }

  @discardableResult
  private func write(
    _ edits: [TweakEdit]
  ) throws(TweakError) -> (update: TweakUpdate, outcomes: [TweakID: TweakOutcome]) {
    guard let first = edits.first else { return (.nothing, [:]) }
    let environment = withTables { TweakEnvironment($0, $1, isSilent: true) }
    let providers = environment.providers
    guard let index = providers.mutable.firstIndex(where: { $0 != nil }), let provider = providers.mutable[index] else {
      throw .readOnly(first.id)
    }
    var sealed: [TweakEdit] = []
    for edit in edits {
      if edit.expiration != nil, !provider.supportsExpiration {
        throw .notSupported(edit.id, provider: provider.name, reason: "it cannot hold the end of an override")
      }
      sealed.append(try seal(edit, for: provider, at: index, in: environment))
    }
    let update = try apply(sealed, to: provider, providers.tables[index])
    var outcomes: [TweakID: TweakOutcome] = [:]
    if index > 0 {
      for edit in edits where edit.value != nil {
        outcomes[edit.id] = shadow(of: edit.id, above: index, in: environment).map { .shadowed(by: $0) }
      }
    }
    return (update, outcomes)
  }

  /// Applies edits in a provider, and stores the results together.
  private func apply(
    _ edits: [TweakEdit], to provider: any MutableTweakProvider, _ table: Property<TweakTable>
  ) throws(TweakError) -> TweakUpdate {
    let ids = Set(edits.map(\.id))
    let hasSeveral = ids.count > 1
    if hasSeveral {
      // A snapshot during the write needs the old values of all tweaks.
      lookUp(ids.intersection(listedIDs).sorted().map { .tweak($0) })
      state.withLock { $0.index.hold(ids) }
    }
    let before = table.value.moment
    do throws(TweakError) {
      let update = try provider.apply(edits)
      // What the table has reported is followed in any case.
      follow(hasSeveral ? update : update.subtracting(table.value.changes(since: before)), endsWrite: hasSeveral)
      return update
    } catch {
      follow(.tweaks(ids), endsWrite: hasSeveral)
      throw error
    }
  }

  /// Returns the name of the provider whose value hides a written one.
  private func shadow(of id: TweakID, above index: Int, in environment: TweakEnvironment) -> String? {
    var lookup = TweakLookup(id, in: environment)
    let shadowing = (0..<index).first { lookup.found(at: $0) != .success(nil) }
    return shadowing.map { environment.providers.all[$0].name }
  }

  /// Encrypts a value that must not be stored as plain text.
  private func seal(
    _ edit: TweakEdit, for provider: any MutableTweakProvider, at index: Int, in environment: TweakEnvironment
  ) throws(TweakError) -> TweakEdit {
    guard let value = edit.value, provider.isPersistent else { return edit }
    var lookup = TweakLookup(edit.id, in: environment)
    guard lookup.isDeclaredSecret(below: index) else { return edit }
    guard let closure = encryptionClosure else {
      throw .encryptionClosureNotProvided(edit.id, provider: provider.name)
    }
    var tweak = Tweak(feature: edit.id.feature, variable: edit.id.variable, value: value)
    tweak.isSecret = true
    do {
      return TweakEdit(edit.id, try closure(tweak), until: edit.expiration)
    } catch {
      throw .encryptionFailed(edit.id, provider: provider.name, reason: "\(error)")
    }
  }
}
