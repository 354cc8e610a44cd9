import AppGroups
import FileSignals
import Foundation
import Signals

/// The environments of one root, for all objects of the process that use it.
///
/// ```
///   a change: its turn in the process, the lock between processes, catch up, recover, the change, both given up, tell
///   the file streams: the state or a journal is another process's: the same with no change of its own
/// ```
final class ContainerEngine: Sendable {
  let layout: ContainerLayout
  let store: ContainerStore
  let participants = Participants()
  let outbox = WaitingOutbox<@Sendable () -> Void>()

  let environments = MutableProperty<[AppContainer.Environment]>([])
  let active: MutableProperty<AppContainer.Environment>
  let events = Emitter<AppContainer.Event, Never>()

  // Sound: set once, before the engine is shared; it refers to the engine, hence not at once.
  private(set) nonisolated(unsafe) var scope: Scope  // Does not keep the engine; see ``sharedScope``.
  private let stateChanges = Guarded<(any ChangeSource)?>(nil)
  private let subscriptions = Guarded<Set<SignalSubscription>>([])

  private let current: Guarded<Current>

  private struct Current {
    var state = ContainerState()
    var stepHook: @Sendable (SwitchStep) -> Void
    weak var lentScope: Scope?
    var requiresUniqueNames = false
  }

  /// Held while something is changed, also while another process is waited for.
  private let turn = OwnedLock()

  /// Opens the environments of a root, which has to exist.
  ///
  /// - Parameters:
  ///   - layout: The places in the root.
  ///   - settings: The settings that are switched, too.
  ///   - onStep: Called at each step of a change.
  ///   - watch: Makes the signal of changes of a file.
  /// - Throws: ``AppContainerError``.
  init(
    _ layout: ContainerLayout, settings: [any EnvironmentSettings], onStep: @escaping @Sendable (SwitchStep) -> Void,
    watch: (URL) throws(FileObserverError) -> any ChangeSource = { url throws(FileObserverError) in
      try PathChanges(file: url)
    }
  ) throws(AppContainerError) {
    self.layout = layout
    current = Guarded(Current(stepHook: onStep))
    store = ContainerStore(layout: layout)
    scope = Scope(root: layout.root)
    active = MutableProperty(.init(id: AppContainer.Environment.defaultID, name: "", createdAt: .distantPast))
    scope = Scope(
      root: layout.root,
      foreign: layout.hiddenURL,
      whileSteady: { [weak self] body in
        guard let self else { return try body() }
        try steadily(body)
      },
      hasGoneOver: { [weak self] in self?.hasFollowed ?? true }
    )
    for one in settings { participants.add(one) }
    try prepareRoot()
    do {
      let state = try watch(layout.stateURL)
      let journal = try watch(layout.journalURL)
      let following = [state, journal].map { changes in changes.sink { [weak self] _ in self?.follow() } }
      stateChanges.withLock { $0 = state }
      subscriptions.withLock { $0 = Set(following) }
    } catch {
      throw .unobservable(error)
    }
    try exclusively("Opening") { access in try access.reconcile() }
  }

  /// The scope for others, who keep this object, and hence follow, for as long as they have it.
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

  /// Has a closure called at each step of a change, by whoever makes it.
  func onStep(_ hook: @escaping @Sendable (SwitchStep) -> Void) { current.withLock { $0.stepHook = hook } }

  func step(_ step: SwitchStep) {
    let hook = current.withLock { $0.stepHook }
    hook(step)
  }

  private func prepareRoot() throws(AppContainerError) {
    let root = try Folder(layout.root)
    for parent in layout.hidden.ancestors { try root.makeDirectory(parent) }
    do {
      try root.makeDirectory(layout.hidden)
    } catch {
      guard case .blocked = error else { throw error }
      throw .unusableRoot(layout.root, reason: "\(layout.hidden.text) in it is not a directory")
    }
    guard root.status(of: layout.hidden)?.device == root.status(of: .top)?.device else {
      throw .unusableRoot(layout.root, reason: "\(layout.hidden.text) in it lies on another file system")
    }
  }

  // MARK: Taking turns

  /// Runs a closure while nobody else, in whatever process, changes anything; then tells what has happened.
  func exclusively<Result>(
    _ operation: String, _ body: (ContainerAccess) throws -> Result
  ) throws(AppContainerError) -> Result {
    try enter(operation)
    defer { outbox.deliver { $0() } }
    defer { turn.unlock() }
    return try AppContainerError.mapping { try lockedAccess(operation, body) }
  }

  private func lockedAccess<Result>(_ operation: String, _ body: (ContainerAccess) throws -> Result) throws -> Result {
    let file: ExclusiveFile
    do {
      file = try ExclusiveFile(locking: layout.stateURL)
    } catch .reentrantLock {
      throw AppContainerError.nested(operation: operation)
    }
    defer { file.unlock() }
    let access = try ContainerAccess(self, file)
    try access.catchUp()
    return try body(access)
  }

  private func enter(_ operation: String) throws(AppContainerError) {
    while true {
      if turn.isHeldByThisThread { throw .nested(operation: operation) }
      // What is still to be told of the last change comes before anything of the next.
      outbox.deliver { $0() }
      turn.lock()
      if outbox.isDelivered { return }
      turn.unlock()
    }
  }

  /// Runs a closure while nothing is moved; at once, if this very thread moves.
  private func steadily(_ body: () throws -> Void) throws {
    if turn.isHeldByThisThread { return try body() }
    defer { outbox.deliver { $0() } }
    try turn.withLock { try lockedAccess("Making a file") { _ in try body() } }
  }

  // MARK: What is known

  var known: ContainerState { current.withLock { $0.state } }

  /// Takes in a state that is on the disk, and has it told.
  func adopt(_ state: ContainerState) {
    let all = state.ids.map { store.environment($0, in: state) }
    guard let current = all.first(where: { $0.id == state.active }) else { return }
    self.current.withLock { $0.state = state }
    outbox.add { [environments, active] in
      batch {
        if environments.value != all { environments.value = all }
        if active.value != current { active.value = current }
      }
    }
  }

  /// Sees to it that who opens the root sees what is there now, also if the news of it is still on its way, and if
  /// others in this process have it open.
  func catchUp() throws(AppContainerError) {
    do {
      try exclusively("Opening") { access in try access.reconcile() }
    } catch {
      // From inside of a change, nothing is newer than what this thread knows.
      guard case .nested = error else { throw error }
    }
  }

  /// Whether the live values of this process have followed every switch, and none is under way.
  private var hasFollowed: Bool {
    do {
      // In this order: the journal is there before the first file is moved, and until the state says that all are.
      guard try store.journal() == nil, let state = try store.state() else { return false }
      return state.switches == known.switches
    } catch {
      return false
    }
  }

  /// Goes over to what another process has made of the root, or undoes what it began and died of.
  func follow() {
    // Another thread may have taken it in, and not told it yet.
    defer { outbox.deliver { $0() } }
    do {
      guard try isBehind() else { return }
      try enter("Following")
      defer { turn.unlock() }
      // It may have been a change of this process, after which the root may be removed as well.
      if try isBehind() { try lockedAccess("Following") { _ in } }
    } catch {
      // It cannot be read now; whoever repairs it, or changes something the next time, wakes us again.
    }
  }

  private func isBehind() throws(AppContainerError) -> Bool {
    // Who writes a journal has the lock until it is done or dead, and the lock is waited for.
    if try store.journal() != nil { return true }
    guard let state = try store.state() else { return false }
    return state.revision != known.revision
  }

  /// Has a switch told to those who were added.
  func tellChange(from old: AppContainer.Environment, to new: AppContainer.Environment) {
    outbox.add { [events] in events.send(.didChange(from: old, to: new)) }
    for (delegate, owner) in participants.delegates {
      outbox.add { delegate.appContainer(owner, didChangeTo: new, from: old) }
    }
  }
}
