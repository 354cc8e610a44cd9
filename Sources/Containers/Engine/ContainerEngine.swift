import AppGroups
import FileSignals
import Foundation
import Signals

/// The environments of one root, for all objects of the process that use it.
///
/// ```
///   a change: the turn in the process, the lock between processes, recovery, the change;
///             both released; the new values sent as one; then the events
///   another process's change, noticed by the file streams or by the next change: the same without a change of its own
/// ```
final class ContainerEngine: ScopeOwner {
  let layout: ContainerLayout
  let defaultName: String
  let store: ContainerStore
  let participants = Participants()
  let outbox = WaitingOutbox<@Sendable () -> Void>()

  let environments = MutableProperty<[AppContainer.Environment]>([])
  let active: MutableProperty<AppContainer.Environment>
  let events = Emitter<AppContainer.Event, Never>()
  let failures: FailureRelay<AppContainerError>
  let lastFailure = Guarded<String?>(nil)

  /// The next attempts to read what could not be read for a reason whose end no event reports.
  let retries = DelayedCall(.unreadable, on: .global(qos: .utility))

  /// The scope, which does not keep the engine; see ``sharedScope``.
  let scope: Scope
  private let stateChanges = Guarded<(any ChangeSource)?>(nil)
  private let subscriptions = Guarded<Set<SignalSubscription>>([])

  private let current: Guarded<Current>

  /// The last decoded content of the state file, cached because every write of a live value needs it.
  let seenState = Guarded<(data: Data, switches: Int)?>(nil)

  private struct Current {
    /// The state and environments in memory, which are published.
    var adopted = Adoption(state: ContainerState(), environments: [], generation: 0)
    var stepHook: @Sendable (SwitchStep) -> Void
    weak var lentScope: Scope?
    var requiresUniqueNames = false
  }

  /// Held during a change, including the wait for another process.
  let turn = OwnedLock()

  /// Held while the values that follow from a change are sent.
  private let sending = OwnedLock()

  /// Opens the environments of a root, which must exist.
  ///
  /// - Parameters:
  ///   - layout: The paths in the root.
  ///   - defaultName: The name of the default environment if the root has no environments yet.
  ///   - settings: The settings that are switched, too.
  ///   - onStep: Called at each step of a change.
  ///   - watch: Creates the signal of changes of a file.
  /// - Throws: ``AppContainerError``.
  init(
    _ layout: ContainerLayout, defaultName: String = "Default", settings: [any EnvironmentSettings],
    onStep: @escaping @Sendable (SwitchStep) -> Void,
    watch: (URL) throws(FileObserverError) -> any ChangeSource = { url throws(FileObserverError) in
      try PathChanges(file: url)
    }
  ) throws(AppContainerError) {
    self.layout = layout
    failures = FailureRelay(of: "AppContainer", layout.root.path)
    self.defaultName = defaultName
    current = Guarded(Current(stepHook: onStep))
    store = ContainerStore(layout: layout)
    scope = Scope(root: layout.root, foreign: layout.hiddenURL)
    active = MutableProperty(.init(id: AppContainer.Environment.defaultID, name: "", createdAt: .distantPast))
    scope.setOwner(self)
    for one in settings { participants.add(one) }
    try prepareRoot()
    do {
      let state = try watch(layout.stateURL)
      let journal = try watch(layout.journalURL)
      let following = [state, journal].map { changes in changes.sink { [weak self] _ in self?.follow() } }
      let suspending = Suspensions.shared.add(self, at: layout.root)
      stateChanges.withLock { $0 = state }
      subscriptions.withLock { $0 = Set(following + [suspending]) }
    } catch {
      throw .unobservable(error)
    }
    try exclusively("Opening the container") { access in try access.reconcile() }
  }

  private static let engines = SharedObjects<ContainerLayout, ContainerEngine>()

  /// Returns this process's engine of a root, and opens the root if there is none.
  static func shared(
    for layout: ContainerLayout, defaultName: String, settings: [any EnvironmentSettings],
    onStep: @escaping @Sendable (SwitchStep) -> Void
  ) throws(AppContainerError) -> ContainerEngine {
    var made: ContainerEngine?
    let engine = try engines.object(of: layout) { () throws(AppContainerError) in
      let engine = try ContainerEngine(layout, defaultName: defaultName, settings: settings, onStep: onStep)
      made = engine
      return engine
    }
    if engine === made { return engine }
    for one in settings { engine.participants.add(one) }
    try engine.catchUp()
    return engine
  }

  /// The scope for other code, which retains the engine, so that live values follow for as long as they have the scope.
  var sharedScope: Scope {
    current.withLock { current in
      if let lent = current.lentScope { return lent }
      let lent = Scope(scope, keeping: self)
      current.lentScope = lent
      return lent
    }
  }

  /// A Boolean value that indicates whether environments must have different names.
  var requiresUniqueNames: Bool {
    get { current.withLock { $0.requiresUniqueNames } }
    set { current.withLock { $0.requiresUniqueNames = newValue } }
  }

  var health: Property<WatchHealth> { stateChanges.withLock { $0 }?.health ?? .constant(.active) }

  /// Calls a closure at each step of a change by this process.
  func onStep(_ hook: @escaping @Sendable (SwitchStep) -> Void) { current.withLock { $0.stepHook = hook } }

  func step(_ step: SwitchStep) {
    let hook = current.withLock { $0.stepHook }
    hook(step)
  }

  private func prepareRoot() throws(AppContainerError) {
    let outer = try wrapped(SwitchedRoots.root(switching: layout.root))
    if let outer {
      throw .unusableRoot(layout.root, reason: "it is inside \(outer.path), which another AppContainer switches")
    }
    let root = try Folder(layout.root)
    for parent in layout.hidden.ancestors { try root.makeDirectory(parent) }
    do {
      try root.makeDirectory(layout.hidden)
    } catch {
      guard case .blocked = error else { throw error }
      throw .unusableRoot(layout.root, reason: "its entry \(layout.hidden.text) is not a directory")
    }
    guard try root.status(of: layout.hidden)?.identity.device == root.status(of: .top)?.identity.device else {
      throw .unusableRoot(layout.root, reason: "its entry \(layout.hidden.text) is on another file system")
    }
  }

  // MARK: Taking turns

  /// Runs a closure while no other thread or process changes the root, and then sends the changes.
  func exclusively<Result>(
    _ operation: String, _ body: (ContainerAccess) throws -> Result
  ) throws(AppContainerError) -> Result {
    try AppContainerError.mapping {
      while true {
        do {
          // The values of another process's change are sent before this change begins.
          let result = try inTurn(operation) { access in access.changes.isEmpty ? try body(access) : nil }
          if let result = result ?? nil { return result }
        } catch DurableFileError.suspended {
          throw AppContainerError.suspended(layout.root, operation: operation)
        }
      }
    }
  }

  /// Runs a closure in the turn of this process and under the lock between processes.
  ///
  /// Once both are released, it sends the values as one change, and then the events.
  ///
  /// - Parameters:
  ///   - operation: The name of the operation, for errors.
  ///   - isForSubscribers: Pass `true` if a subscriber of these values may call this, too.
  ///   - isDue: Called under the turn; if it returns `false`, nothing is done.
  ///   - body: Makes the change.
  /// - Returns: The result of `body`, or `nil` if nothing was due.
  /// - Throws: The error of `isDue` or `body`, or ``AppContainerError``.
  func inTurn<Result>(
    _ operation: String, isForSubscribers: Bool = false, ifDue isDue: () throws -> Bool = { true },
    _ body: (ContainerAccess) throws -> Result
  ) throws -> Result? {
    let changes = ScopeChanges()
    let isNested = sending.isHeldByThisThread
    if isNested && !isForSubscribers { throw AppContainerError.nested(operation: operation) }
    try isNested ? turn.lock() : enter(operation)
    defer { if !isNested { outbox.deliver { $0() } } }
    defer {
      changes.send()
      if !isNested { sending.unlock() }
    }
    defer {
      if !isNested { sending.lock() }
      turn.unlock()
    }
    return try isDue() ? lockedAccess(operation, changes, body) : nil
  }

  /// A Boolean value that indicates whether this thread changes the root.
  var isChangedByThisThread: Bool { turn.isHeldByThisThread }

  /// Waits for a change in progress.
  func waitForChange() { turn.withLock {} }

  /// Runs a closure under the lock between processes, for which it waits up to a limit; by default, that of the
  /// directory.
  private func lockedAccess<Result>(
    _ operation: String, _ changes: ScopeChanges, within limit: Duration? = nil,
    _ body: (ContainerAccess) throws -> Result
  ) throws -> Result {
    let file: ExclusiveFile
    do {
      file = try lockedState(within: limit, operation)
    } catch DurableFileError.reentrantLock {
      throw AppContainerError.nested(operation: operation)
    }
    defer { file.unlock() }
    let access = try ContainerAccess(self, file, changes)
    try access.catchUp()
    return try body(access)
  }

  private func lockedState(within limit: Duration?, _ operation: String) throws -> ExclusiveFile {
    guard let limit else { return try ExclusiveFile(locking: layout.stateURL) }
    switch try ExclusiveFile.lock(layout.stateURL, within: limit) {
    case .locked(let file): return file
    case .busy: throw AppContainerError.nested(operation: operation)
    }
  }

  private func enter(_ operation: String) throws(AppContainerError) {
    // The thread that switches waits for this one.
    if scope.isDelayedByThisThread { throw .nested(operation: operation) }
    while true {
      if turn.isHeldByThisThread { throw .nested(operation: operation) }
      // All values and events of the previous change are sent before this change begins.
      sending.withLock {}
      outbox.deliver { $0() }
      turn.lock()
      if outbox.isDelivered, !sending.isHeld { return }
      turn.unlock()
    }
  }

  /// Runs a closure while no files are moved, or at once if this thread moves them.
  ///
  /// It never waits for subscribers, because one of them may be waiting for the thread that calls it.
  func steadily<Result>(_ body: () throws -> Result) throws -> Result {
    if turn.isHeldByThisThread { return try body() }
    let changes = ScopeChanges()
    defer {
      if !changes.isEmpty {
        changes.send()
        outbox.deliver { $0() }
      }
    }
    // Another process may have the lock and wait for this thread's work, such as the update in which it opens a file.
    let limit = scope.isDelayedByThisThread ? DirectoryRules.patience(for: layout.stateURL) : nil
    try lockTurn("Creating a file", within: limit)
    defer { turn.unlock() }
    return try lockedAccess("Creating a file", changes, within: limit) { _ in try body() }
  }

  /// Acquires the turn, unless the thread that has it waits for this one, or may do so for longer than a limit.
  private func lockTurn(_ operation: String, within limit: Duration?) throws(AppContainerError) {
    if turn.tryLock() { return }
    guard let limit else { return turn.lock() }
    let end = ContinuousClock.now + limit
    repeat {
      if turn.lock(within: .milliseconds(10)) { return }
    } while !scope.isBeingSwitched && ContinuousClock.now < end
    throw .nested(operation: operation)
  }

  // MARK: The known state

  var known: ContainerState { current.withLock { $0.adopted.state } }

  /// A state that is on the disk, with the records of its environments.
  struct Adoption {
    let state: ContainerState
    let environments: [AppContainer.Environment]
    /// The generation of the records, before they were read.
    let generation: Int
    var failures: [AppContainerError] = []

    /// A Boolean value that indicates whether a record could not be read for a reason that may pass.
    var isRetryDue: Bool { failures.contains(where: \.mayPassUnseen) }
  }

  /// Reads the records of all environments of a state, except for most of those that no process can have replaced.
  ///
  /// - Parameters:
  ///   - state: The state.
  ///   - written: A record that has just been written.
  /// - Returns: The state with the environments.
  func adoption(of state: ContainerState, written: EnvironmentInfo? = nil) -> Adoption {
    let count = state.ids.count
    let first = store.records.beginChecks(among: count)
    let generation = store.records.generation
    let kept = written == nil ? environmentsToKeep(in: state, generation) : []
    var failures: [AppContainerError] = []
    let environments = state.ids.enumerated().map { index, id in
      let isTrusting = (index - first + count) % count >= EnvironmentRecords.checksPerChange
      if isTrusting, index < kept.count, let environment = kept[index] { return environment }
      return store.environment(
        id, in: state, isTrusting: isTrusting, written: written, onFailure: { failures.append($0) })
    }
    return Adoption(state: state, environments: environments, generation: generation, failures: failures)
  }

  /// Returns the environments that a change leaves as they are in memory, in their order; `nil` for one that it may
  /// change.
  ///
  /// A switch among many environments changes one or two. Looking each one up took two fifths of what grows with their
  /// number.
  private func environmentsToKeep(in state: ContainerState, _ generation: Int) -> [AppContainer.Environment?] {
    let adopted = current.withLock { $0.adopted }
    let known = adopted.state
    guard adopted.generation == generation, state.ids.starts(with: known.ids) else { return [] }
    var changed = known.activations.keys.filter { state.activations[$0] == nil }
    changed += state.activations.filter { known.activations[$0.key] != $0.value }.keys
    guard changed.count <= EnvironmentRecords.checksPerChange else { return [] }
    var kept = adopted.environments.map { $0.problem == nil ? $0 : nil }
    for id in changed {
      if let index = adopted.environments.firstIndex(where: { $0.id == id }) { kept[index] = nil }
    }
    return kept
  }

  /// Adopts a state on the disk as part of the change that is about to be sent.
  func adopt(_ adoption: Adoption) {
    if adoption.isRetryDue { retryLater() } else { retries.reset() }
    let known = environments.value.compactMap(\.problem)
    for failure in adoption.failures where !known.contains(failure.description) {
      outbox.add { [failures] in failures.send(failure) }
    }
    guard let current = adoption.environments.first(where: { $0.id == adoption.state.active }) else { return }
    self.current.replace { exchange(&$0.adopted, with: adoption) }
    if environments.value != adoption.environments { environments.value = adoption.environments }
    if active.value != current { active.value = current }
  }

  /// Updates the state for a new object of the root, in case other objects of this process have not seen a change yet.
  func catchUp() throws(AppContainerError) {
    do {
      try exclusively("Opening the container") { access in try access.reconcile() }
    } catch {
      // Inside a change, this thread already knows the newest state.
      guard case .nested = error else { throw error }
    }
  }

  func keepsInPlace(_ path: String) -> Bool {
    ExcludeRules(layout, custom: known.excludes).excludes(EntryPath(path))
  }

  /// Announces a switch to the events and the delegates.
  func announceChange(from old: AppContainer.Environment, to new: AppContainer.Environment) {
    outbox.add { [events] in events.send(.didChange(from: old, to: new)) }
    for (delegate, owner) in participants.delegates {
      outbox.add { delegate.appContainer(owner, didChangeTo: new, from: old) }
    }
  }
}
