public import Foundation
import Signals

extension TweakManager {
  /// A Boolean value that indicates whether set values are stored persistently.
  public var isPersistent: Bool { mutableSource?.mutable?.isPersistent ?? false }

  /// A Boolean value that indicates whether an override may have an end.
  public var supportsExpiration: Bool { mutableSource?.mutable?.supportsExpiration ?? false }

  private var mutableSource: TweakSource? { state.withLock { $0.sources.all }.first { $0.mutable != nil } }

  /// The names of the tweaks that are set in the first mutable provider.
  var overriddenIDs: Set<TweakID> { mutableSource?.table.value.ids ?? [] }

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
  /// - Returns: The name of the earlier provider whose value hides the new one, or `nil` if the value is effective.
  /// - Throws: ``TweakError``, such as ``TweakError/readOnly(_:)``; then nothing has changed.
  @discardableResult
  public func set(
    _ value: TweakValue, feature: String, variable: String, until expiration: Date? = nil
  ) throws(TweakError) -> String? {
    try set(TweakEdit(TweakID(feature: feature, variable: variable), value, until: expiration))
  }

  /// Sets the value of a tweak in the first mutable provider to an instance of a type, such as a Bool in a variable.
  ///
  /// It is ``set(_:feature:variable:until:)-(TweakValue,_,_,_)`` with the stored value of the instance.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  ///   - expiration: The end of the override, after which the next provider decides.
  /// - Returns: The name of the earlier provider whose value hides the new one, or `nil` if the value is effective.
  /// - Throws: ``TweakError``; then nothing has changed.
  @discardableResult
  public func set<Value: TweakValueConvertible>(
    _ value: Value, feature: String, variable: String, until expiration: Date? = nil
  ) throws(TweakError) -> String? {
    try set(value.tweakValue, feature: feature, variable: variable, until: expiration)
  }

  /// Sets the value for a typed key in the first mutable provider.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  ///   - expiration: The end of the override, after which the next provider decides.
  /// - Returns: The name of the earlier provider whose value hides the new one, or `nil` if the value is effective.
  /// - Throws: ``TweakError``; then nothing has changed.
  @discardableResult
  public func set<Value>(
    _ value: Value, for key: TweakKey<Value>, until expiration: Date? = nil
  ) throws(TweakError) -> String? {
    try set(TweakEdit(key, value, until: expiration))
  }

  private func set(_ edit: TweakEdit) throws(TweakError) -> String? {
    let (_, sources, index) = try write([edit])
    return index == 0 ? nil : shadow(of: edit.id, above: index, in: silentEnvironment(sources))
  }

  /// Deletes the value for a typed key in the first mutable provider, so that the next provider decides.
  ///
  /// - Parameter key: The key.
  /// - Throws: ``TweakError``; then nothing has changed.
  public func reset<Value>(_ key: TweakKey<Value>) throws(TweakError) {
    try write([TweakEdit(key, nil)])
  }

  /// Makes several changes in the first mutable provider as one.
  ///
  /// ```swift
  /// import Tweaks
  ///
  /// let limit = TweakKey("shop", "limit", default: 5), title = TweakKey("shop", "title", default: "")
  /// let manager = TweakManager(providers: [EphemeralTweakProvider()])
  /// try manager.apply([TweakEdit(limit, 20), TweakEdit(title, "Sale")])
  /// print(manager[limit], manager[title])  // Prints "20 Sale"
  /// ```
  ///
  /// Each ``snapshot()`` contains all of them or none.
  ///
  /// A value has no effect while a provider before the mutable one has the tweak;
  /// ``set(_:feature:variable:until:)-(TweakValue,_,_,_)`` reports this in its result.
  ///
  /// - Parameter edits: The changes, in order.
  /// - Returns: The tweaks that changed in that provider.
  /// - Throws: ``TweakError``.
  @discardableResult
  public func apply(_ edits: [TweakEdit]) throws(TweakError) -> TweakUpdate {
    edits.isEmpty ? .nothing : try write(edits).update
  }

  /// Makes changes, and returns what changed in the provider at an index.
  @discardableResult
  private func write(
    _ edits: [TweakEdit]
  ) throws(TweakError) -> (update: TweakUpdate, sources: TweakSources, index: Int) {
    let sources = state.withLock { $0.sources }
    guard let index = sources.all.firstIndex(where: { $0.mutable != nil }), let provider = sources.all[index].mutable
    else { throw .readOnly(edits[0].id) }
    // Few overrides need the other providers.
    lazy var environment = silentEnvironment(sources)
    var sealed: [TweakEdit] = []
    for edit in edits {
      if edit.expiration != nil, !provider.supportsExpiration {
        throw .notSupported(edit.id, provider: provider.name, reason: "it cannot hold the end of an override")
      }
      if let value = edit.value, provider.isPersistent {
        sealed.append(try seal(edit, value, at: index, in: environment))
      } else {
        sealed.append(edit)
      }
    }
    return (try apply(sealed, to: provider, sources.all[index]), sources, index)
  }

  private func silentEnvironment(_ sources: TweakSources) -> TweakEnvironment {
    let tables = sources.all.map(\.table.value)
    return state.withLock { TweakEnvironment($0, sources, tables, isSilent: true) }
  }

  /// Applies edits in a provider, and stores the results together.
  private func apply(
    _ edits: [TweakEdit], to provider: any MutableTweakProvider, _ source: TweakSource
  ) throws(TweakError) -> TweakUpdate {
    if edits.count > 1 { return try applySeveral(edits, to: provider) }
    let before = source.isAsked ? source.table.value.moment : nil
    do throws(TweakError) {
      let update = try provider.apply(edits)
      let table = source.table.value
      // A table with contents reports all changes itself.
      let unreported = before.map { update.subtracting(table.changes(since: $0)) } ?? .nothing
      // Usually, this thread has followed the table during the call.
      let isFollowed = unreported == .nothing && state.withLock { $0.sources.haveFollowed(table, of: source) }
      if !isFollowed { follow(unreported) }
      return update
    } catch {
      follow(.tweaks(Set(edits.map(\.id))))
      throw error
    }
  }

  private func applySeveral(
    _ edits: [TweakEdit], to provider: any MutableTweakProvider
  ) throws(TweakError) -> TweakUpdate {
    let ids = Set(edits.map(\.id))
    // A snapshot during the write needs the old values of all tweaks.
    let unread = state.withLock { state in ids.filter { state.index[.tweak($0)] == nil } }
    if !unread.isEmpty { lookUp(unread.intersection(listedIDs).sorted().map { .tweak($0) }) }
    state.withLock { $0.index.hold(ids) }
    var update = TweakUpdate.tweaks(ids)
    // Its result is followed together with what the table has reported.
    defer { follow(update, endsWrite: true) }
    update = try provider.apply(edits)
    return update
  }

  /// Returns the name of the provider whose value hides a written one.
  private func shadow(of id: TweakID, above index: Int, in environment: TweakEnvironment) -> String? {
    var lookup = TweakLookup(id, in: environment)
    let shadowing = (0..<index).first { lookup.found(at: $0) != .success(nil) }
    return shadowing.map { environment.sources.all[$0].name }
  }

  /// Encrypts the value of an edit for a persistent provider, if it must not be stored as plain text.
  private func seal(
    _ edit: TweakEdit, _ value: TweakValue, at index: Int, in environment: TweakEnvironment
  ) throws(TweakError) -> TweakEdit {
    let provider = environment.sources.all[index].name
    var lookup = TweakLookup(edit.id, in: environment)
    guard lookup.isDeclaredSecret(below: index) else { return edit }
    guard let closure = encryptionClosure else { throw .encryptionClosureNotProvided(edit.id, provider: provider) }
    var tweak = Tweak(feature: edit.id.feature, variable: edit.id.variable, value: value)
    tweak.isSecret = true
    do {
      return TweakEdit(edit.id, try closure(tweak), until: edit.expiration)
    } catch {
      throw .encryptionFailed(edit.id, provider: provider, reason: "\(error)")
    }
  }
}
