public import AppGroups
import Signals

extension TweakManager {
  /// Follows the tables of the providers.
  ///
  /// - Parameters:
  ///   - other: Tweaks that may have changed for another reason.
  ///   - endsWrite: A Boolean value that indicates whether these are the tweaks of a held write.
  ///   - isRepeat: A Boolean value that indicates whether these are the tweaks that an earlier pass has missed.
  ///   - changes: The change of a scope that the new values belong to, if any.
  func follow(
    _ other: TweakUpdate = .nothing, endsWrite: Bool = false, isRepeat: Bool = false, into changes: ScopeChanges? = nil
  ) {
    var (other, endsWrite, isRepeat) = (other, endsWrite, isRepeat)
    while true {
      let known = followedIDs(for: other)
      let (update, begun) = withTables { state, tables -> (TweakUpdate, (TweakIndex.Pass, TweakEnvironment)?) in
        var update = state.sources.changes(in: tables)
        update.formUnion(other)
        if update == .nothing, !endsWrite { return (update, nil) }
        if update == .everything, other != .everything, known != nil { return (update, nil) }
        state.forgetReports(of: update)
        let pass = state.index.begin(update, following: known, endsWrite: endsWrite, isRepeat: isRepeat)
        return (update, (pass, TweakEnvironment(state, state.sources, tables)))
      }
      if let (pass, environment) = begun {
        guard let outcome = settle(pass, ask(pass.questions, in: environment), in: environment, into: changes) else {
          continue
        }
        // What the tables have changed in the meantime, they report.
        if outcome.missed == .nothing { return }
        (other, endsWrite, isRepeat) = (outcome.missed, false, true)
      } else if update == .nothing {
        return
      } else {
        other = update
      }
    }
  }

  /// Returns the names of the tweaks to follow for an update, or `nil` if no subscriber follows all changes.
  ///
  /// These are all tweaks that the providers list, unless the update names its tweaks itself.
  private func followedIDs(for update: TweakUpdate) -> [TweakID]? {
    guard changeEmitter.hasSubscribers else { return nil }
    return update == .everything ? listedIDs.sorted() : []
  }

  /// Passes the tables of the providers to a closure, which is called under the lock.
  func withTables<Result>(_ body: (inout State, [TweakTable]) -> Result) -> Result {
    var previous: [TweakTable] = []
    while true {
      let sources = state.withLock { $0.sources }
      let tables = sources.all.map { $0.table.value }
      let result = state.withLock { state -> Result? in
        // Another thread may have replaced the providers, or followed a newer table.
        guard sources.generation == state.sources.generation else { return nil }
        if state.sources.haveFollowed(later: tables) {
          // Threads that derive a table at the same time may make a later step for an earlier value.
          guard tables == previous else { return nil }
          state.sources.forget(later: tables)
        }
        return body(&state, tables)
      }
      if let result { return result }
      previous = tables
    }
  }

  /// Stores the answers to a pass and notifies all observers, or returns `nil` if the pass must begin again.
  private func settle(
    _ pass: TweakIndex.Pass, _ answers: [TweakResolution?], in environment: TweakEnvironment,
    into changes: ScopeChanges? = nil
  ) -> TweakIndex.Outcome? {
    let stored = state.withLock { state -> (TweakIndex.Outcome, [StagedValue<TweakResolution>])? in
      guard var outcome = state.index.store(answers, of: pass) else { return nil }
      // If the providers have been replaced, that thread follows the new ones.
      if environment.sources.generation == state.sources.generation {
        if pass.update != nil {
          state.sources.follow(environment.tables)
        } else if state.sources.haveFollowed(other: environment.tables) {
          // The tables of a read may be those that have been replaced.
          outcome.missed = .tweaks(Set(pass.questions.map(\.id)))
        }
      }
      var staged: [StagedValue<TweakResolution>] = []
      // All resolutions are stored together, so that no snapshot contains only a part of them.
      for (question, resolution) in outcome.stored {
        if case .tweak(let id) = question { tweakSlot(id).store(resolution, isConcealed: noticesReads(state)) }
        if let property = state.properties[question] { staged.append(property.stage(resolution)) }
      }
      // This happens under the lock, so that changes are sent in the order in which they were stored.
      outbox.add(contentsOf: outcome.changes)
      return (outcome, staged)
    }
    guard let (outcome, staged) = stored else { return nil }
    for value in staged { value.send() }
    let sendEvents = { [self] in
      outbox.deliver { changeEmitter.send($0) }
      if let update = pass.update { updateEmitter.send(update) }
    }
    if let changes { changes.afterwards(sendEvents) } else { sendEvents() }
    return outcome
  }

  // MARK: Reading

  /// Returns the resolution of a question, and asks the providers if none is stored.
  func resolution(of question: TweakQuestion) -> TweakResolution {
    if let known = state.withLock({ $0.index[question] }) { return known }
    let answers = lookUp([question])
    return state.withLock { $0.index[question] } ?? answers.first.map { $0 ?? cyclic(question) } ?? askNow(question)
  }

  /// Returns the stored resolution of a slot, unless its providers may have changed it without an update.
  func resolution(of slot: TweakSlot) -> TweakResolution {
    checkDeclared(.tweak(slot.id))
    guard let known = slot.resolution else { return resolution(of: .tweak(slot.id)) }
    return known.isUnannounced ? askNow(.tweak(slot.id), otherwise: known) : known
  }

  func tweakSlot(_ id: TweakID) -> TweakSlot {
    tweakSlots.slot(id, hash: SlotTable.hash(id.feature, id.variable))
  }

  /// Looks up what has not been looked up before, and returns the answers to these questions.
  @discardableResult
  func lookUp(_ questions: [TweakQuestion]) -> [TweakResolution?] {
    while true {
      let (pass, environment) = withTables { state, tables in
        (state.index.begin(reading: questions), TweakEnvironment(state, state.sources, tables))
      }
      if pass.questions.isEmpty { return [] }
      let answers = ask(pass.questions, in: environment)
      guard let outcome = settle(pass, answers, in: environment) else { continue }
      if outcome.missed != .nothing { follow(outcome.missed, isRepeat: true) }
      return answers
    }
  }

  /// Looks up all tweaks that the providers list, so that their changes are observed.
  func lookUpAll() {
    lookUp(listedIDs.sorted().map { .tweak($0) })
  }
}

/// A manager whose providers belong to a scope shows the values of the new contents as part of the same change.
extension TweakManager: ScopeMember {
  /// The scopes of the providers' stores.
  public var scopes: [Scope] {
    providers.flatMap(\.scopes).reduce(into: []) { scopes, scope in
      if !scopes.contains(where: { $0 === scope }) { scopes.append(scope) }
    }
  }

  package var switchStage: ScopeStage { .dependents }

  package func prepareSwitch(_ outcome: ScopeOutcome) -> PreparedSwitch {
    PreparedSwitch { [self] changes in
      guard outcome == .switched else { return }
      let sources = state.withLock { $0.sources.all }
      let isAsked = sources.contains { $0.table.value.isAsked && !$0.provider.scopes.isEmpty }
      follow(isAsked ? .everything : .nothing, into: changes)
    }
  }
}
