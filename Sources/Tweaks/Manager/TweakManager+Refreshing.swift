import AppGroups
import Signals

extension TweakManager {
  /// A provider says which tweaks may have changed.
  func providerUpdated(_ update: TweakUpdate) {
    let known = followedIDs(for: update)
    settle(
      state.withLock { state in
        state.forgetReports(of: update)
        return state.tweaks.update(update, following: known)
      })
  }

  /// The names of all tweaks that the providers know, if someone follows all changes and the update does not name them
  /// itself; `nil` if no one follows all changes.
  func followedIDs(for update: TweakUpdate) -> [TweakID]? {
    guard changeEmitter.hasSubscribers else { return nil }
    return update == .everything ? tweakIDs.sorted() : []
  }

  /// Asks the providers, stores their answers and tells everyone who observes them; then asks what is to be asked next.
  ///
  /// - Returns: The answers to the inquiry; `nil` for a question that this thread is asking already.
  ///
  /// - Parameters:
  ///   - first: The first inquiry.
  ///   - changes: The change of a scope that the new values belong to, if they do.
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
      // All at once: no reader sees a part of it.
      for (question, resolution) in outcome.stored {
        if case .tweak(let id) = question { tweakSlot(id).store(resolution) }
        if let property = state.properties[question] { staged.append(property.stage(resolution)) }
      }
      // Under the lock, so that they are sent in the order in which they were stored.
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

  /// The resolution of a question, for which the providers are asked if no one has asked before.
  func resolution(of question: TweakQuestion) -> TweakResolution {
    if let known = state.withLock({ $0.tweaks[question] }) { return known }
    let answers = settle(state.withLock { $0.tweaks.read([question]) })
    return state.withLock { $0.tweaks[question] } ?? answers.first.map { $0 ?? cyclic(question) } ?? askNow(question)
  }

  func resolution(of slot: TweakSlot) -> TweakResolution { slot.resolution ?? resolution(of: .tweak(slot.id)) }

  func tweakSlot(_ id: TweakID) -> TweakSlot {
    tweakSlots.slot(id, hash: SlotTable.hash(id.feature, id.variable))
  }

  /// Looks up tweaks that no one has looked up before.
  func lookUp(_ ids: [TweakID]) {
    settle(state.withLock { $0.tweaks.read(ids.map { .tweak($0) }) })
  }

  /// Looks up all tweaks that the providers know, so that changes of them are seen.
  func lookUpAll() {
    lookUp(tweakIDs.sorted())
  }
}
