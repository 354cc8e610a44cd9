import Signals

extension TweakManager {
  /// A provider says that it has changed.
  func providerUpdated(_ update: TweakUpdate) {
    let thread = ThreadIdentity.current
    let isOurs = lock.withLock {
      guard let index = state.writing.lastIndex(where: { $0.thread == thread }) else { return false }
      state.writing[index].told.append(update)
      return true
    }
    // Who writes looks at all of it at the end.
    if !isOurs { take([update]) }
  }

  /// Asks the providers again for whatever may have changed, and tells those who observe it.
  ///
  /// - Parameters:
  ///   - updates: What may have changed.
  ///   - written: What this thread has written, which may be stored by others from now on.
  func take(_ updates: [TweakUpdate], written: Set<TweakID> = []) {
    if updates.isEmpty { return }
    var tweaks: [TweakSlot] = []
    var features: [TweakSlot] = []
    if updates.contains(.everything) {
      if changeEmitter.hasSubscribers { followAll(isNews: true) }
      tweaks = tweakSlots.everything
      features = featureSlots.everything
    } else {
      var ids: Set<TweakID> = []
      for case .tweaks(let changed) in updates { ids.formUnion(changed) }
      let isFollowed = changeEmitter.hasSubscribers
      tweaks = ids.sorted().compactMap { id in
        // It was not there when all were looked at.
        if isFollowed { return tweakSlot(id) }
        return existingSlot(id)
      }
      for feature in Set(ids.map(\.feature)) {
        let slot = featureSlots.find(TweakID(feature: feature, variable: ""), hash: SlotTable.hash(feature, ""))
        if let slot { features.append(slot.takeUnretainedValue()) }
      }
    }
    refresh(tweaks, features, isNews: changeEmitter.hasSubscribers, written: written)
    for update in updates { updateEmitter.send(update) }
  }

  /// Asks the providers for the tweaks of some slots, and stores all answers at once.
  ///
  /// - Parameters:
  ///   - tweaks: Slots of tweaks.
  ///   - features: Slots of features.
  ///   - isNews: Whether what nobody has asked for yet is a change, too.
  ///   - written: What this thread has written, which may be stored by others from now on.
  /// - Returns: The answers, which may be outdated, or not fit to be stored.
  @discardableResult
  func refresh(
    _ tweaks: [TweakSlot], _ features: [TweakSlot] = [], isNews: Bool = false, written: Set<TweakID> = []
  ) -> [TweakResolution] {
    guard !tweaks.isEmpty || !features.isEmpty || !written.isEmpty else { return [] }
    let slots = tweaks + features
    let asked = lock.withLock {
      slots.map { slot in
        slot.asked += 1
        return slot.asked
      }
    }
    let resolutions = resolve(tweaks, features)
    var staged: [StagedValue<TweakResolution>] = []
    var changes: [TweakChange] = []
    lock.lock()
    state.unstored.remove(written)
    for (index, slot) in slots.enumerated() where asked[index] > slot.stored {
      // A part of an update must not be seen without the others: whoever writes them stores them together.
      if index < tweaks.count, !written.contains(slot.id), state.unstored.isWrittenElsewhere(slot.id) { continue }
      let resolution = resolutions[index]
      // The one who is being asked will give the answer.
      if case .failure(.cyclic(_, provider: name)) = resolution.result { continue }
      slot.stored = asked[index]
      let old = slot.resolution
      guard old != resolution else { continue }
      slot.store(resolution)
      if let property = slot.property { staged.append(property.stage(resolution)) }
      guard index < tweaks.count, old != nil || isNews else { continue }
      if let change = Self.change(of: slot.id, from: old?.tweak, to: resolution.tweak) { changes.append(change) }
    }
    if !changes.isEmpty {
      state.version += 1
      // Queued under the lock, so that they are sent in the order in which they were stored.
      pendingChanges.append(contentsOf: changes)
    }
    // Somebody who asked later may have left the answer to this thread.
    let late = written.compactMap(existingSlot).filter { $0.asked > $0.stored }
    lock.unlock()
    for value in staged { value.send() }
    sendChanges()
    refresh(late, isNews: isNews)
    return resolutions
  }

  private static func change(of id: TweakID, from old: Tweak?, to new: Tweak?) -> TweakChange? {
    guard old?.value != new?.value else { return nil }
    return TweakChange(
      id: id, old: old?.value, new: new?.value, source: new?.source,
      isSecret: old?.isSecret ?? false || new?.isSecret ?? false
    )
  }

  /// Sends what is queued, unless another thread does.
  private func sendChanges() {
    while true {
      let changes: [TweakChange] = lock.withLock {
        guard !isSendingChanges, !pendingChanges.isEmpty else { return [] }
        isSendingChanges = true
        defer { pendingChanges = [] }
        return pendingChanges
      }
      if changes.isEmpty { return }
      for change in changes { changeEmitter.send(change) }
      lock.withLock { isSendingChanges = false }
    }
  }

  /// What the providers say of a tweak, asked if nobody has before.
  func resolution(of slot: TweakSlot, isFeature: Bool = false) -> TweakResolution {
    if let resolution = lock.withLock({ slot.resolution }) { return resolution }
    let answers = isFeature ? refresh([], [slot]) : refresh([slot])
    return lock.withLock { slot.resolution } ?? answers[0]
  }

  func featureSlot(_ feature: String) -> TweakSlot {
    featureSlots.slot(TweakID(feature: feature, variable: ""), hash: SlotTable.hash(feature, ""))
  }

  /// The slot of a tweak that somebody has asked for, or is about to.
  func existingSlot(_ id: TweakID) -> TweakSlot? {
    tweakSlots.find(id, hash: SlotTable.hash(id.feature, id.variable))?.takeUnretainedValue()
  }

  func tweakSlot(_ id: TweakID) -> TweakSlot {
    tweakSlots.slot(id, hash: SlotTable.hash(id.feature, id.variable))
  }

  /// Has all tweaks that providers know to have looked up, so that changes of them are seen.
  func followAll(isNews: Bool) {
    let slots = tweakIDs.sorted().map(tweakSlot)
    let new = lock.withLock { slots.filter { $0.resolution == nil } }
    refresh(new, isNews: isNews)
  }
}
