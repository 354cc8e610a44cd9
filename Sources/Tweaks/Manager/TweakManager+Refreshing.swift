import AppGroups
import Signals

extension TweakManager {
  /// Follows the tables of the providers.
  ///
  /// - Parameters:
  ///   - other: Tweaks that may have changed for another reason.
  ///   - changes: The change of a scope that the new values belong to, if any.
  func follow(_ other: TweakUpdate = .nothing, into changes: ScopeChanges? = nil) {
    let (properties, generation) = state.withLock { ($0.providers.tables, $0.generation) }
    let tables = properties.map(\.value)
    // If the providers have been replaced in between, that thread follows them.
    var update = state.withLock { generation == $0.generation ? $0.providers.takeChanges(in: tables) : .nothing }
    update.formUnion(other)
    if update == .nothing { return }
    let known = followedIDs(for: update)
    let inquiry = state.withLock { state in
      state.forgetReports(of: update)
      return state.tweaks.update(update, following: known)
    }
    settle(inquiry, into: changes)
  }

  /// Returns the names of the tweaks to follow for an update, or `nil` if no subscriber follows all changes.
  ///
  /// These are all tweaks that the providers list, unless the update names its tweaks itself.
  func followedIDs(for update: TweakUpdate) -> [TweakID]? {
    guard changeEmitter.hasSubscribers else { return nil }
    return update == .everything ? tweakIDs.sorted() : []
  }

  /// Asks the providers, stores their answers and notifies all observers.
  ///
  /// Follow-up inquiries are handled in the same way.
  ///
  /// - Parameters:
  ///   - first: The first inquiry.
  ///   - changes: The change of a scope that the new values belong to, if any.
  /// - Returns: The answers to the inquiry, with `nil` for a question that this thread is already asking.
  @discardableResult
  func settle(_ first: TweakState.Inquiry, into changes: ScopeChanges? = nil) -> [TweakResolution?] {
    let answers = ask(first.questions)
    var next = store(answers, for: first, into: changes)
    while let inquiry = next { next = store(ask(inquiry.questions), for: inquiry, into: changes) }
    return answers
  }

  private func store(
    _ answers: [TweakResolution?], for inquiry: TweakState.Inquiry, into changes: ScopeChanges?
  ) -> TweakState.Inquiry? {
    if inquiry.isEmpty { return nil }
    let (outcome, staged) = state.withLock { state in
      let outcome = state.tweaks.take(answers, to: inquiry)
      var staged: [StagedValue<TweakResolution>] = []
      // All resolutions are stored together, so that no snapshot contains only a part of them.
      for (question, resolution) in outcome.stored {
        if case .tweak(let id) = question { tweakSlot(id).store(resolution, isConcealed: state.recorder != nil) }
        if let property = state.properties[question] { staged.append(property.stage(resolution)) }
      }
      // This happens under the lock, so that changes are sent in the order in which they were stored.
      outbox.add(contentsOf: outcome.changes)
      return (outcome, staged)
    }
    for value in staged { value.send() }
    let sendEvents = { [self] in
      outbox.deliver { changeEmitter.send($0) }
      if let update = outcome.update { updateEmitter.send(update) }
    }
    if let changes { changes.afterwards(sendEvents) } else { sendEvents() }
    return outcome.next
  }

  // MARK: Reading

  /// Returns the resolution of a question, and asks the providers if none is stored.
  func resolution(of question: TweakQuestion) -> TweakResolution {
    if let known = state.withLock({ $0.tweaks[question] }) { return known }
    let answers = settle(state.withLock { $0.tweaks.read([question]) })
    return state.withLock { $0.tweaks[question] } ?? answers.first.map { $0 ?? cyclic(question) } ?? askNow(question)
  }

  func resolution(of slot: TweakSlot) -> TweakResolution { slot.resolution ?? resolution(of: .tweak(slot.id)) }

  func tweakSlot(_ id: TweakID) -> TweakSlot {
    tweakSlots.slot(id, hash: SlotTable.hash(id.feature, id.variable))
  }

  /// Looks up the tweaks that have not been looked up before.
  func lookUp(_ ids: [TweakID]) {
    settle(state.withLock { $0.tweaks.read(ids.map { .tweak($0) }) })
  }

  /// Looks up all tweaks that the providers list, so that their changes are observed.
  func lookUpAll() {
    lookUp(tweakIDs.sorted())
  }
}
