import Dispatch
import FileSignals
import Foundation
import Signals
import Synchronization

/// Keeps a value in memory and a file in step, in both directions.
///
/// ```
///   the watcher ──▶ refresh (on a queue of the file's own) ─┐
///                                                           ├─▶ `memory`, locked ──▶ staged values ──▶ subscribers
///   write, update (on the caller's thread, under flock) ────┘        no lock held from here on ──▶
/// ```
///
/// The file is renamed and the value in memory replaced under one lock, and a look that began before is discarded, so
/// the value never goes back to an older one. The lock is held for the rename and no longer; readers of the value never
/// take it.
final class SharedFileEngine<Value: Sendable>: Sendable {
  let location: SharedFileLocation
  let format: FileFormat<Value>
  let durability: Durability
  /// How many bytes the content may have.
  let maximumSize: Int

  let value: MutableProperty<Value>
  let status: MutableProperty<SharedValueStatus<AppGroupsFileError>>
  let failures = Emitter<AppGroupsFileError, Never>()

  /// What is known of the file and of swaps; its lock is held while values are staged, so that they go out in order.
  struct Memory {
    var file = SharedFileState()
    var phase = SwapPhase.open
    /// What was read of new contents, and not published yet.
    var prepared: Prepared?
    /// Whether a look was left out while the contents were swapped.
    var isLookDue = false
  }

  /// What a look at new contents found, and when it began.
  struct Prepared {
    let look: SharedFileState.Look<Value>
    let epoch: UInt64
  }

  let memory = Guarded(Memory())
  /// The lock of the file while the contents around it are swapped.
  // Sound: it belongs to the thread that swaps, which alone may unlock it; the scope lets one thread swap at a time.
  nonisolated(unsafe) var held: ExclusiveFile?
  /// The thread that holds the lock of the file in order to write; 0 if none does.
  let writingThread = Atomic<UInt>(0)

  let changes: any ChangeSource
  /// The ways in which the engine hears of changes and of swaps.
  private let subscriptions = Guarded<Set<SignalSubscription>>([])

  /// Where the file is looked at and observers hear of other writers; no other file is kept waiting by a slow one.
  let queue = DispatchQueue(label: "org.signals.shared-file", qos: .userInitiated)

  /// What the value is where there is no file, and whether one is then made with it.
  let initialValue: Value
  let isCreating: Bool
  let policy: ScopePolicy
  let willGoOver: @Sendable () -> Void

  /// Opens the file; if `isCreating`, makes it with the initial value if there is none.
  init(
    location: SharedFileLocation,
    initialValue: Value,
    format: FileFormat<Value>,
    durability: Durability,
    maximumSize: Int,
    polling: WatchPolling,
    isCreating: Bool,
    scope: Scope? = nil,
    policy: ScopePolicy = .follows,
    willGoOver: @escaping @Sendable () -> Void = {},
    changes: (any ChangeSource)? = nil
  ) throws(AppGroupsFileError) {
    self.location = location
    self.format = format
    self.durability = durability
    self.maximumSize = maximumSize
    self.initialValue = initialValue
    self.isCreating = isCreating
    self.policy = policy
    self.willGoOver = willGoOver
    value = MutableProperty(initialValue)
    status = MutableProperty(.current)
    // Armed before the first look: what changes after the look is then seen as a change.
    if let changes {
      self.changes = changes
    } else {
      // The directory of a scope comes and goes while another process swaps the contents.
      self.changes = try Scope.steadily(scope) { [queue] () throws(AppGroupsFileError) in
        if scope != nil { try location.makeDirectory() }
        return try Self.changes(of: location, polling, queue)
      }
    }
    let following = self.changes.sink { [weak self] _ in self?.lookNow() }
    // Before the first look, too: a swap after it must not be missed.
    let membership = scope?.enrol(self)
    subscriptions.withLock { $0 = Set([following, membership].compactMap { $0 }) }
    try Scope.steadily(scope) { () throws(AppGroupsFileError) in try open() }
  }

  private static func changes(
    of location: SharedFileLocation, _ polling: WatchPolling, _ queue: DispatchQueue
  ) throws(AppGroupsFileError) -> PathChanges {
    do {
      return try PathChanges(file: location.url, polling: polling, queue: queue)
    } catch {
      throw .unobservable(error)
    }
  }

  private func open() throws(AppGroupsFileError) {
    var isCreating = isCreating
    while true {
      // The watch is armed, so its queue may be taking in a change at the same time.
      let (known, epoch) = snapshot()
      // There is no good value yet that emptiness could be a threat to.
      let look = look(known: known, trustsEmptiness: true)
      if case .failure(let error) = look {
        if case .missing = error, isCreating {
          try create()
          isCreating = false
          continue
        }
        guard error.allowsOpening else { throw error }
        memory.withLock { $0.file.doubt(error) }
      }
      if conclude(look, begunIn: epoch) { return }
    }
  }

  /// Makes the file with the initial value, unless somebody else makes it first.
  func create() throws(AppGroupsFileError) {
    let data = try encoded(initialValue)
    let file = try location.lock()
    defer { file.unlock() }
    do {
      guard try !file.exists() else { return }
      try file.prepare(data, durability: durability).commit(creatingOnly: true)
      if durability == .storage { try file.synchronizeDirectory() }
    } catch .alreadyExists {
      return
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  // MARK: Looking

  /// What the file holds at this moment.
  func read() throws(AppGroupsFileError) -> Value {
    try checkOpen()
    return try format.decoded(location.read(limit: maximumSize), from: location.url)
  }

  /// Looks at the file and takes in what it finds; on the queue.
  ///
  /// - Parameters:
  ///   - retry: The retry that this is, if it is one.
  ///   - followings: How often a swap by another process was followed on behalf of this look.
  func lookNow(retry: Int? = nil, followings: Int = 0) {
    while true {
      let begun = memory.withLock { memory -> (known: Data?, epoch: UInt64)? in
        // While the contents are swapped there is nothing to be seen that lasts.
        guard memory.phase == .open else {
          memory.isLookDue = true
          return nil
        }
        return (memory.file.known, memory.file.epoch)
      }
      guard let begun else { return }
      let look = look(known: begun.known)
      if case .unchanged = look {} else if followsSwap(before: retry, followings) { return }
      if conclude(look, begunIn: begun.epoch, retry: retry) { return }
    }
  }

  /// Follows a swap by another process if one has happened, and then looks again.
  ///
  /// New content must not be seen before that of the other members of the scope. A look does not wait for the swap,
  /// because it may have the thread that reports changes of all files.
  ///
  /// - Returns: Whether there was such a swap.
  private func followsSwap(before retry: Int?, _ followings: Int) -> Bool {
    // If the owner of the scope cannot find out what has happened, the content counts as it is.
    guard followings < Scope.maximumFollowings, let scope = location.scope, !scope.isFollowed else { return false }
    scope.follow { [weak self] in
      guard let self else { return }
      queue.async { self.lookNow(retry: retry, followings: followings + 1) }
    }
    return true
  }

  func snapshot() -> (known: Data?, epoch: UInt64) {
    memory.withLock { ($0.file.known, $0.file.epoch) }
  }

  func look(known: Data?, trustsEmptiness: Bool = false) -> SharedFileState.Look<Value> {
    do throws(AppGroupsFileError) {
      let data = try location.read(limit: maximumSize)
      // Compared as data, which is memcmp.
      if data == known { return .unchanged }
      let value = try format.decoded(data, from: location.url)
      return data.isEmpty && !trustsEmptiness ? .emptied(value, .empty(location.url)) : .content(data, value)
    } catch {
      return .failure(error)
    }
  }

  /// Takes in what was seen, and sends what follows from it.
  ///
  /// - Returns: Whether the look counts; if not, it must be repeated.
  func conclude(_ look: SharedFileState.Look<Value>, begunIn epoch: UInt64, retry: Int? = nil) -> Bool {
    var delivery = SharedFileDelivery<Value>()
    let verdict = memory.withLock { memory in
      let verdict = memory.file.conclude(look, begunIn: epoch, retry: retry)
      if case .news(let news) = verdict { delivery.value = value.stage(news) }
      stage(memory.file.problem, in: &delivery)
      return verdict
    }
    delivery.send()
    switch verdict {
    case .lookAgain: return false
    case .nothing, .news: break
    case .retry(let retry, let pause):
      queue.async(after: pause) { [weak self] in self?.lookNow(retry: retry) }
    case .report(let error): report(error)
    }
    return true
  }

  /// Tells of an error, and goes on looking if no event will tell that its reason has passed.
  func report(_ error: AppGroupsFileError) {
    failures.send(error)
    if error.mayPassUnseen { queue.async { [weak self] in self?.lookNow() } }
  }

  /// Stages the status if it has changed; to be called with the memory locked.
  func stage(_ problem: AppGroupsFileError?, in delivery: inout SharedFileDelivery<Value>) {
    let next = SharedValueStatus(problem, after: status.value)
    if next != status.value { delivery.status = status.stage(next) }
  }
}
