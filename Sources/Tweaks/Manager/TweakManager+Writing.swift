import Signals

extension TweakManager {
  /// Whether what is set is written down somewhere.
  public var isPersistent: Bool {
    for case let provider as any MutableTweakProvider in tweakProviders { return provider.isPersistent }
    return false
  }

  /// Sets the value of a tweak, in the first provider that can be written to.
  ///
  /// When this returns, all who observe the tweak have been told, unless another thread is at it.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - feature: The feature.
  ///   - variable: The variable of the feature.
  /// - Returns: Whether the value is in force now.
  /// - Throws: ``TweakError``, such as ``TweakError/readOnly(_:)``; nothing has changed then.
  @discardableResult
  public func set(_ value: TweakValue, feature: String, variable: String) throws(TweakError) -> TweakOutcome {
    let id = TweakID(feature: feature, variable: variable)
    return try write([TweakEdit(id, value)])[id] ?? .effective
  }

  /// Sets the value of a typed key, in the first provider that can be written to.
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  /// - Returns: Whether the value is in force now.
  /// - Throws: ``TweakError``; nothing has changed then.
  @discardableResult
  public func set<Value>(_ value: Value, for key: TweakKey<Value>) throws(TweakError) -> TweakOutcome {
    try write([TweakEdit(key.id, value.tweakValue)])[key.id] ?? .effective
  }

  /// Deletes the value of a typed key in the first provider that can be written to, so that the next one decides.
  ///
  /// - Parameter key: The key.
  /// - Throws: ``TweakError``; nothing has changed then.
  public func deleteValue<Value>(for key: TweakKey<Value>) throws(TweakError) {
    try write([TweakEdit(key.id, nil)])
  }

  /// Says of a feature whether it is enabled, in the first provider that can be written to.
  ///
  /// - Parameters:
  ///   - feature: The feature.
  ///   - isEnabled: Whether it is; `nil` leaves it to the next provider.
  /// - Returns: Whether that is in force now.
  /// - Throws: ``TweakError``; nothing has changed then.
  @discardableResult
  public func setFeature(_ feature: String, isEnabled: Bool?) throws(TweakError) -> TweakOutcome {
    let id = TweakID(feature: feature, variable: Tweak.enabledVariable)
    return try write([TweakEdit(id, isEnabled.map(TweakValue.bool))])[id] ?? .effective
  }

  /// Makes changes as one: whoever reads a ``snapshot()`` sees all of them or none.
  ///
  /// - Parameter body: Says what to change. Nothing is changed before it returns; if it throws, nothing is at all.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, or ``TweakError``.
  @discardableResult
  public func update<Result>(_ body: (inout TweakEdits) throws -> Result) throws -> Result {
    var edits = TweakEdits()
    let result = try body(&edits)
    try apply(edits.edits)
    return result
  }

  /// Deletes all values in the first provider that can be written to, as far as it knows their names.
  ///
  /// - Throws: ``TweakError``.
  public func deleteAllValues() throws(TweakError) {
    for case let provider as any MutableTweakProvider in tweakProviders {
      return try apply(provider.tweakIDs.sorted().map { TweakEdit($0, nil) })
    }
  }

  /// Makes changes in the first provider that can be written to.
  ///
  /// - Parameter edits: What to change, in order.
  /// - Throws: ``TweakError``.
  public func apply(_ edits: [TweakEdit]) throws(TweakError) {
    try write(edits)
  }

  @discardableResult
  private func write(_ edits: [TweakEdit]) throws(TweakError) -> [TweakID: TweakOutcome] {
    guard let first = edits.first else { return [:] }
    let providers = lock.withLock { state.providers }
    guard let index = providers.mutable.firstIndex(where: { $0 != nil }), let provider = providers.mutable[index] else {
      throw .readOnly(first.id)
    }
    var sealed: [TweakEdit] = []
    for edit in edits { sealed.append(try seal(edit, for: provider, at: index, in: providers)) }
    try writing(Set(edits.map(\.id))) { () throws(TweakError) in try provider.apply(sealed) }
    var outcomes: [TweakID: TweakOutcome] = [:]
    for edit in edits where edit.value != nil {
      outcomes[edit.id] = shadow(of: edit.id, in: providers.all[..<index]).map { .shadowed(by: $0) }
    }
    return outcomes
  }

  /// Looks at all that the providers tell on this thread while `body` runs at once, at its end.
  ///
  /// - Parameters:
  ///   - ids: What is written.
  ///   - body: Writes it.
  /// - Throws: What `body` threw.
  private func writing(_ ids: Set<TweakID>, _ body: () throws(TweakError) -> Void) throws(TweakError) {
    let thread = ThreadIdentity.current
    follow(ids)
    lock.withLock {
      state.writing.append((thread, []))
      state.unstored.insert(ids)
    }
    let result: Result<Void, TweakError>
    do throws(TweakError) {
      result = .success(try body())
    } catch {
      result = .failure(error)
    }
    let told = lock.withLock {
      let index = state.writing.lastIndex { $0.thread == thread }
      return index.map { state.writing.remove(at: $0).told } ?? []
    }
    if told.contains(.everything) {
      take([.everything], written: ids)
    } else {
      var changed = ids
      for case .tweaks(let others) in told { changed.formUnion(others) }
      take([.tweaks(changed)], written: ids)
    }
    try result.get()
  }

  /// Has tweaks looked up that nobody has asked for, so that a snapshot can show what they were while several are
  /// written.
  private func follow(_ ids: Set<TweakID>) {
    if ids.count < 2 { return }
    let new = ids.filter { id in existingSlot(id).map { slot in lock.withLock { slot.resolution == nil } } ?? true }
    if new.isEmpty { return }
    refresh(new.intersection(tweakIDs).sorted().map(tweakSlot))
  }

  /// The provider whose value comes before one that is written.
  private func shadow(of id: TweakID, in providers: ArraySlice<any TweakProvider>) -> String? {
    for provider in providers {
      do {
        if try ask(provider, id) != nil { return provider.name }
      } catch {
        return provider.name
      }
    }
    return nil
  }

  /// Encrypts what must not be written down as it is.
  private func seal(
    _ edit: TweakEdit, for provider: any MutableTweakProvider, at index: Int, in providers: TweakProviders
  ) throws(TweakError) -> TweakEdit {
    guard let value = edit.value, provider.isPersistent, isDeclaredSecret(edit.id, below: index, in: providers) else {
      return edit
    }
    guard let closure = encryptionClosure else {
      throw .encryptionClosureNotProvided(edit.id, provider: provider.name)
    }
    var tweak = Tweak(feature: edit.id.feature, variable: edit.id.variable, value: value)
    tweak.isSecret = true
    do {
      return TweakEdit(edit.id, try closure(tweak))
    } catch {
      throw .encryptionFailed(edit.id, provider: provider.name, reason: "\(error)")
    }
  }
}
