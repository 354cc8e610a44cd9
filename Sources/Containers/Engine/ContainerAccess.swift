import AppGroups
import FileSignals
import Foundation
import Signals

/// Changes the environments of a root while it holds the root's lock.
final class ContainerAccess {
  let engine: ContainerEngine
  let file: ExclusiveFile
  /// The changes of values to send when the lock is released.
  let changes: ScopeChanges
  let root: Folder
  let hidden: Folder
  private(set) var state = ContainerState()

  var layout: ContainerLayout { engine.layout }
  var store: ContainerStore { engine.store }

  init(_ engine: ContainerEngine, _ file: ExclusiveFile, _ changes: ScopeChanges) throws(AppContainerError) {
    self.engine = engine
    self.file = file
    self.changes = changes
    root = try Folder(engine.layout.root)
    hidden = try Folder(engine.layout.hiddenURL)
  }

  // MARK: Catching up

  /// Undoes an unfinished change, and then updates memory from the disk.
  func catchUp() throws {
    let known = engine.known
    if let state = try store.state() {
      self.state = state
      if state.mayHaveOtherRecords(than: known) { store.records.distrust() }
    } else {
      let name = AppContainer.Environment.defaultID.uuidString
      try makeDirectories(of: name)
      if try hidden.status(of: EntryPath("\(name)/\(ContainerLayout.info)")) == nil {
        try store.write(EnvironmentInfo(uuid: name, name: engine.defaultName, createdAt: Date()), for: name)
      }
      state.revision = 1
      try store.write(state, to: file)
    }
    try recover()
    guard known.revision != state.revision else { return }
    // At first there is no state in memory, and there are no subscribers.
    let adoption = engine.adoption(of: state)
    if known.revision > 0, known.switches != state.switches {
      follow(known, adopting: adoption)
    } else {
      changes.publish { engine.adopt(adoption) }
    }
    if known.revision > 0, known.active != state.active {
      engine.announceChange(from: environment(known.active), to: environment(state.active))
    }
  }

  /// Follows a switch by another process, or its emptying of the active environment.
  private func follow(_ known: ContainerState, adopting adoption: ContainerEngine.Adoption) {
    let (old, new) = (layout.settingsURL(known.active), layout.settingsURL(state.active))
    for settings in engine.participants.settings {
      do {
        try settings.follow(from: old, to: new)
      } catch {
        reportFailure(of: settings, error, from: known.active, to: state.active)
      }
    }
    engine.scope.followSwitch(into: changes) { engine.adopt(adoption) }
  }

  /// Reports settings that could not take part in a change that has already happened.
  func reportFailure(of settings: any EnvironmentSettings, _ error: any Error, from old: UUID, to new: UUID) {
    let error = AppContainerError.settingsFailed(settings.name, reason: "\(error)")
    let (old, new) = (environment(old), environment(new))
    engine.outbox.add { [events = engine.events] in events.send(.failed(from: old, to: new, error: error)) }
  }

  /// Undoes a move of files that was begun and not committed.
  private func recover() throws {
    guard let journal = try store.journal() else { return }
    if journal.revision > state.revision {
      try moves(journal).undo()
      try withSettings { try $0.resume(in: $1) }
      countUndoneMove()
    }
    try store.removeJournal(in: hidden)
    try reconcile()
  }

  /// Counts a move that was undone as a switch.
  ///
  /// While it lasted, other processes could open files of the wrong environment. Without a count, they would not notice
  /// that the contents were switched there and back between two looks.
  func countUndoneMove() {
    var changed = state
    changed.switches += 1
    changed.revision += 1
    // On a full disk, the undone move must end nevertheless.
    tolerating {
      try store.write(changed, to: file)
      state = changed
    }
  }

  /// Makes the list and the directories consistent, and removes unfinished directories.
  func reconcile() throws {
    for name in try hidden.names() where ContainerLayout.isLeftover(name.text) {
      discard(name)
    }
    let ids = Set(try store.environmentIDs())
    var changed = state
    changed.ids.removeAll { $0 != AppContainer.Environment.defaultID && $0 != state.active && !ids.contains($0) }
    changed.ids += ids.subtracting(state.ids).map { store.environment($0, in: state) }
      .sorted { ($0.createdAt, $0.id.uuidString) < ($1.createdAt, $1.id.uuidString) }.map(\.id)
    for id in changed.ids { try makeDirectories(of: id.uuidString) }
    if changed != state { try commit(changed) }
  }

  func makeDirectories(of name: String) throws(AppContainerError) {
    try hidden.makeDirectory(EntryPath(name))
    try hidden.makeDirectory(ContainerLayout.data(name))
    try hidden.makeDirectory(EntryPath("\(name)/\(ContainerLayout.settings)"))
  }

  // MARK: Records

  func environment(_ id: UUID) -> AppContainer.Environment { store.environment(id, in: state) }

  /// Throws an error if there is no environment with an identifier.
  func check(_ id: UUID) throws(AppContainerError) {
    guard state.ids.contains(id) else { throw .notFound(id: id) }
  }

  /// Writes a changed state, which takes effect at once.
  func commit(_ changed: ContainerState) throws(AppContainerError) {
    var changed = changed
    changed.revision = state.revision + 1
    try store.write(changed, to: file)
    accept(changed)
  }

  /// Adopts a state that has just been written, without publishing it yet.
  func adoptState(_ changed: ContainerState) { state = changed }

  /// Adopts a state that has just been written, and publishes it.
  func accept(_ changed: ContainerState, written: EnvironmentInfo? = nil) {
    state = changed
    let adoption = engine.adoption(of: changed, written: written)
    changes.publish { engine.adopt(adoption) }
  }

  // MARK: Files

  func moves(_ journal: SwitchJournal) -> SwitchMoves {
    SwitchMoves(journal: journal, root: root, hidden: hidden) { [engine] in engine.step($0) }
  }

  var rules: ExcludeRules { ExcludeRules(layout, custom: state.excludes) }

  /// Removes a directory that no environment needs.
  ///
  /// If it cannot be removed now, it is removed when the root is opened.
  func discard(_ name: EntryPath) {
    // A leftover directory is harmless. The next object that opens the root tries again.
    tolerating { try TreeRemover.remove(name, in: hidden) }
  }

  /// Removes a leftover directory after the changes have been sent, because it may take long.
  func discardAfterwards(_ name: EntryPath) {
    changes.afterwards { [self] in discard(name) }
  }

  // MARK: Memory

  /// Saves the unsaved state in memory for the active environment.
  func flush() throws(AppContainerError) {
    for hook in engine.participants.hooks {
      try translating(hook()) { (error: any Error) in
        AppContainerError.flushFailed("The app's state", reason: "\(error)")
      }
    }
    let directory = layout.settingsURL(state.active)
    for settings in engine.participants.settings {
      try translating(settings.flush(into: directory)) { (error: any Error) in
        AppContainerError.flushFailed(settings.name, reason: "\(error)")
      }
    }
    engine.step(.flushed)
  }

  func loadSettings(of name: String) throws(AppContainerError) {
    try withSettings(of: name) { try $0.load(from: $1) }
  }

  /// Runs a closure with each kind of settings and its directory.
  private func withSettings(
    of name: String? = nil, _ body: (any EnvironmentSettings, URL) throws -> Void
  ) throws(AppContainerError) {
    let directory = layout.settingsURL(name ?? state.active.uuidString)
    for settings in engine.participants.settings {
      try translating(body(settings, directory)) { (error: any Error) in
        AppContainerError.settingsFailed(settings.name, reason: "\(error)")
      }
    }
  }
}

extension ContainerAccess {
  /// Returns the oldest environment with a name.
  func environment(named name: String) throws -> AppContainer.Environment {
    if let environment = try first(named: name) { return environment }
    let known = state.ids.map { self.environment($0) }.filter { $0.problem == nil }.map(\.name)
    throw AppContainerError.nameNotFound(name, known: known)
  }

  /// Returns the oldest environment with a name, and creates it if it is missing.
  func createIfMissing(name: String, description: String?) throws -> AppContainer.Environment {
    if let environment = try first(named: name) { return environment }
    return try make(name: name, description: description)
  }

  /// Throws an error if names must be unique and another environment has the name.
  func checkName(_ name: String, of id: UUID? = nil) throws {
    guard engine.requiresUniqueNames, let other = try first(named: name, except: id) else { return }
    throw AppContainerError.nameTaken(name, by: other.id)
  }

  private func first(named name: String, except id: UUID? = nil) throws -> AppContainer.Environment? {
    // A process that was killed may have created the directory without adding it to the list.
    try reconcile()
    return state.ids.lazy.filter { $0 != id }.map { self.environment($0) }
      .first { $0.problem == nil && $0.name == name }
  }
}
