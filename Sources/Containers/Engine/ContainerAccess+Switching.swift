import AppGroups
import FileSignals
import Foundation
import Signals

extension ContainerAccess {
  /// Activates another environment.
  func activate(_ id: UUID) throws {
    try check(id)
    guard id != state.active else { return }
    let (old, new) = (environment(state.active), environment(id))
    engine.events.send(.willChange(from: old, to: new))
    do {
      try ask(old, new)
      try flush()
      try switchScope {
        var changed = state
        changed.active = id
        changed.switches += 1
        changed.activations[id, default: .init()].count += 1
        changed.activations[id, default: .init()].date = Date()
        try move(
          committing: changed, leavingTo: ContainerLayout.data(old.id), arrivingFrom: ContainerLayout.data(id))
      }
    } catch {
      let error = AppContainerError(mapping: error)
      engine.outbox.add { [events = engine.events] in events.send(.failed(from: old, to: new, error: error)) }
      throw error
    }
    engine.announceChange(from: old, to: environment(id))
  }

  private func ask(_ old: AppContainer.Environment, _ new: AppContainer.Environment) throws(AppContainerError) {
    for (delegate, owner) in engine.participants.delegates {
      try translating(delegate.appContainer(owner, willChangeTo: new, from: old)) { (error: any Error) in
        AppContainerError.vetoed(reason: "\(error)")
      }
    }
  }

  /// Runs a closure while all live values of the root are held.
  private func switchScope(_ act: () throws -> Void) throws {
    var isActing = false
    do {
      _ = try engine.scope.switchContents(into: changes) {
        isActing = true
        try act()
        return engine.adoption(of: state)
      } publishing: { adoption in
        engine.adopt(adoption)
      }
    } catch  where !isActing {
      throw AppContainerError.heldOpen(reason: "\(error)")
    }
  }

  /// Moves the live files away and others into the root, completely or not at all.
  ///
  /// Settings are loaded from `loading` or, by default, from the environment that becomes active. An environment that
  /// is emptied keeps its identity, so its settings have no owner until the change is certain.
  func move(
    committing changed: ContainerState, leavingTo stash: EntryPath, arrivingFrom source: EntryPath?,
    replacing replacement: SwitchJournal.Replacement? = nil, loading name: String? = nil
  ) throws {
    var changed = changed
    changed.revision = state.revision + 1
    // Before the moves are planned, so that the directories of new logs arrive with the other files, or stay with them.
    if let source { LogConsumers.expectConsumers(of: layout.root, in: hidden.place(of: source)) }
    var plan = SwitchPlan(rules: rules)
    let leaving = try plan.leaving(root)
    let arriving = try source.map { try plan.arriving(from: Folder($0, in: hidden), into: root) } ?? []
    let journal = SwitchJournal(
      revision: changed.revision, leavingTo: stash, arrivingFrom: source, leaving: leaving, arriving: arriving,
      replacement: replacement)
    let moves = moves(journal)
    try moves.clearTheWay()
    try store.write(journal)
    engine.step(.journalled)
    do {
      // The state is prepared first, so that a full disk is noticed before anything has moved.
      let prepared = try store.prepare(changed, for: file)
      try moves.perform()
      // No process shows the new contents yet, so none has handled an event in them.
      LogConsumers.expectConsumers(of: hidden.place(of: stash), in: layout.root)
      try loadSettings(of: name ?? changed.active.uuidString)
      engine.step(.loaded)
      try store.commit(prepared, changed, file) { engine.step($0) }
      // Once more, because a process that has not followed yet may have subscribed to the old log in between.
      LogConsumers.expectConsumers(of: hidden.place(of: stash), in: layout.root)
    } catch {
      try giveUp(moves)
      throw error
    }
    adoptState(changed)
    if name != nil { claimSettings() }
    // The state shows that the switch is complete, so the next change removes the journal.
    tolerating { try store.removeJournal(in: hidden) }
    engine.step(.finished)
  }

  /// Assigns settings without an owner to the active environment, once the change can no longer fail.
  private func claimSettings() {
    for settings in engine.participants.settings {
      do {
        try settings.resume(in: layout.settingsURL(state.active))
      } catch {
        reportFailure(of: settings, error, from: state.active, to: state.active)
      }
    }
  }

  /// Moves everything back.
  ///
  /// If that fails too, the journal stays, and the next change tries again.
  private func giveUp(_ moves: SwitchMoves) throws {
    try moves.undo()
    try loadSettings(of: state.active.uuidString)
    countUndoneMove()
    accept(state)
    try store.removeJournal(in: hidden)
  }
}
