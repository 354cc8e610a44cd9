import Dispatch
import FileSignals
import Foundation
import Signals
import Synchronization

/// Keeps a value in memory and a file in step, in both directions.
///
/// ```
///   PathChanges ──▶ lookNow (on a queue of the file's own) ─┐
///                                                           ├─▶ `memory`, locked ──▶ staged values ──▶ subscribers
///   write, update (on the caller's thread, under flock) ────┘        no lock held from here on ──▶
/// ```
///
/// The file is renamed and the value in memory is replaced under one lock. A read that began earlier is discarded, so
/// the value never returns to an older one. The lock is held only during the rename, and readers of the value never
/// acquire it.
final class SharedFileEngine<Value: Sendable>: Sendable {
  let location: FileLocation
  /// The scope whose switches replace the file and its directories; `nil` if there is none.
  let scope: Scope?
  let format: FileFormat<Value>
  let durability: Durability
  /// The largest size of the content in bytes.
  let maximumSize: Int

  let value: MutableProperty<Value>
  let status: MutableProperty<SharedValueStatus<AppGroupsFileError>>
  let failures: FailureRelay<AppGroupsFileError>
  /// A Boolean value that indicates whether a missing file is to be expected.
  let toleratesAbsence: Bool

  let memory = Guarded(SharedFileMemory())
  /// The same value as the one that was sent last, if it was stored as a whole since then.
  // Sound: it is used only with the memory locked, which is not generic and so cannot contain it.
  @exclusivity(unchecked) nonisolated(unsafe) var rebased: Value?
  /// A Boolean value that indicates whether the format has decoded a value that it encoded.
  let hasReadBack = Atomic(false)
  /// The lock of the file while the contents around it are switched.
  // Sound: it belongs to the thread that switches, which alone may unlock it. The scope lets one thread switch at a time.
  nonisolated(unsafe) var held: ExclusiveFile?
  /// The thread that holds the lock of the file in order to write; 0 if there is none.
  let writingThread = Atomic<UInt>(0)

  let changes: any ChangeSource
  /// The subscriptions to changes and to switches.
  private let subscriptions = Guarded<Set<SignalSubscription>>([])

  /// The queue on which the file is read and changes by other writers are sent.
  ///
  /// Each file has its own queue, so that slow subscribers do not delay other files.
  let queue = DispatchQueue(label: "org.signals.shared-file", qos: .userInitiated)

  /// The value while there is no file.
  ///
  /// If `isCreating` is `true`, a missing file is created with it.
  let initialValue: Value
  let isCreating: Bool
  let policy: ScopePolicy
  let willSwitch: @Sendable () -> Void

  /// The use of a journal beside the file; `nil` if each change replaces the file.
  let journaling: Journaling<Value>?
  let journalWatch = Guarded(JournalWatch())
  let settling = Guarded(Settling())
  let polling: WatchPolling

  /// Opens the file.
  ///
  /// If `isCreating` is `true`, a missing file is created with the initial value. The owner is the type of the object in
  /// whose name failures are reported.
  init(
    location: FileLocation,
    initialValue: Value,
    format: FileFormat<Value>,
    options: SharedFileOptions = .init(),
    usualDurability: Durability = .process,
    isCreating: Bool,
    owner: String = "AppGroupsFile",
    toleratesAbsence: Bool = false,
    scope: Scope? = nil,
    policy: ScopePolicy = .follows,
    willSwitch: @escaping @Sendable () -> Void = {},
    journaling: Journaling<Value>? = nil,
    changes: (any ChangeSource)? = nil
  ) throws(AppGroupsFileError) {
    self.location = location
    failures = FailureRelay(of: owner, location.pathText)
    self.toleratesAbsence = toleratesAbsence
    self.scope = scope
    self.format = format.forOneFile
    durability = options.durability ?? usualDurability
    maximumSize = options.maximumSize
    self.initialValue = initialValue
    self.isCreating = isCreating
    self.policy = policy
    self.willSwitch = willSwitch
    self.journaling = journaling
    polling = options.polling
    value = MutableProperty(initialValue)
    status = MutableProperty(.current)
    // The observation begins before the first read, so that no later change is missed.
    if let changes {
      self.changes = changes
    } else {
      // The directory of a scope may be missing for a moment while another process switches the contents.
      self.changes = try Scope.steadily(scope) { [queue] () throws(AppGroupsFileError) in
        if scope != nil { try location.makeDirectory() }
        return try Self.changes(of: location, options.polling, queue)
      }
    }
    let following = self.changes.sink { [weak self] _ in self?.lookNow() }
    // The same applies to switches.
    let membership = scope?.enrol(self)
    let resuming = Suspensions.shared.add(self, at: location.url)
    subscriptions.withLock { $0 = Set([following, membership, resuming].compactMap { $0 }) }
    try Scope.steadily(scope) { () throws(AppGroupsFileError) in try open() }
  }

  private static func changes(
    of location: FileLocation, _ polling: WatchPolling, _ queue: DispatchQueue
  ) throws(AppGroupsFileError) -> PathChanges {
    try translating(
      PathChanges(file: location.url, polling: polling, queue: queue), by: AppGroupsFileError.unobservable)
  }

  private func open() throws(AppGroupsFileError) {
    var isCreating = isCreating
    while true {
      // The observation has begun, so its queue may process a change at the same time.
      let begun = snapshot()
      // There is no good value yet that an empty file could replace.
      let sight = look(begun, trustsEmptiness: true)
      if case .failure(let error) = sight.look {
        if case .missing = error, isCreating {
          try create()
          isCreating = false
          continue
        }
        guard error.allowsOpening else { throw error }
        memory.withLock { $0.file.doubt(error) }
      }
      if conclude(sight, begunIn: begun.epoch) { return }
    }
  }

  /// Creates the file with the initial value, unless another process creates it first.
  func create() throws(AppGroupsFileError) {
    let data = try encoded(initialValue)
    // An initial value is often empty, and says little about the format.
    hasReadBack.store(false, ordering: .relaxed)
    let file = try location.lockMakingDirectory(in: scope)
    defer { file.unlock() }
    do {
      guard try !file.exists() else { return }
      // The new content might be the one that an old journal continues.
      if journaling != nil { file.removeJournal() }
      try file.prepare(data, durability: durability).commit(creatingOnly: true)
      if durability == .storage { try file.synchronizeDirectory() }
    } catch .alreadyExists {
      return
    } catch {
      throw AppGroupsFileError(error)
    }
  }

  // MARK: Looking

  /// Reads and decodes the file.
  func read() throws(AppGroupsFileError) -> Value {
    try Scope.reading(scope) { () throws(AppGroupsFileError) in
      try checkOpen()
      let journal = try openJournal()
      return try value(of: data(), journal).value
    }
  }

  func data() throws(AppGroupsFileError) -> Data {
    try translating(location.read(limit: maximumSize), by: AppGroupsFileError.init)
  }

  /// A Boolean value that indicates whether the known content belongs to the current contents around the file.
  ///
  /// It is `false` while a switch has not been followed yet.
  var isFollowed: Bool { scope?.isFollowed ?? true }

  /// Reads the file and applies the result; to be called on the queue.
  ///
  /// - Parameters:
  ///   - retry: The number of the retry, if this is one.
  ///   - followings: The number of times that the scope was made to follow without effect.
  ///   - isAboutJournal: A Boolean value that indicates whether only the journal may have changed.
  func lookNow(retry: Int? = nil, followings: Int = 0, isAboutJournal: Bool = false) {
    let start = ContinuousClock.now
    for _ in 0..<Self.maximumOvertakings {
      let begun = memory.withLock { memory -> Beginning? in
        // Content that is read during a switch does not last.
        guard memory.phase == .open else {
          memory.isLookDue = true
          return nil
        }
        return beginning(memory)
      }
      guard let begun else { return }
      let sight = look(begun, isAboutJournal: isAboutJournal)
      if case .unchanged = sight.look {} else if followsSwitch(before: retry, followings) { return }
      if conclude(sight, begunIn: begun.epoch, retry: retry) { return }
    }
    // This process writes faster than it can read a large file. Each of its writes sees what others have written, but
    // not always that the path leads to another file, so the read is only postponed. One such read is enough.
    guard retry != nil || memory.withLock({ $0.postponeLook(isAboutJournal: isAboutJournal) }) else { return }
    queue.async(after: (ContinuousClock.now - start) * 20) { [weak self] in
      guard let self else { return }
      let isAboutJournal = retry == nil ? memory.withLock { $0.postponedLook.take() ?? false } : false
      lookNow(retry: retry, followings: followings, isAboutJournal: isAboutJournal)
    }
  }

  /// The number of reads in succession that the process's own writes may make outdated.
  private static var maximumOvertakings: Int { 3 }

  /// Follows a switch by another process if one has happened, and then reads the file again.
  ///
  /// New content must not be seen before the new content of the other members of the scope. This method does not wait
  /// for the switch, because it may run on the thread that reports changes of all files.
  ///
  /// - Returns: `true` if there was such a switch.
  private func followsSwitch(before retry: Int?, _ followings: Int) -> Bool {
    // If the owner of the scope cannot determine its state, the content counts as it is.
    guard followings < Scope.maximumFollowings, let scope, !scope.isFollowed else { return false }
    let count = scope.switchCount.value
    scope.follow { [weak self] in
      guard let self else { return }
      let followings = scope.switchCount.value == count ? followings + 1 : 0
      queue.async { self.lookNow(retry: retry, followings: followings) }
    }
    return true
  }

  /// The state of the memory at the beginning of a read.
  struct Beginning {
    let known: Data?
    let epoch: UInt64
    let mark: JournalMark?
    let current: Value
  }

  func beginning(_ memory: SharedFileMemory) -> Beginning {
    Beginning(
      known: memory.file.known, epoch: memory.file.epoch, mark: memory.mark, current: rebased ?? value.value)
  }

  func snapshot() -> Beginning { memory.withLock { beginning($0) } }

  /// Finds who made the version of the value in memory.
  ///
  /// - Parameter isIt: Returns whether the value is the one to be asked about.
  /// - Returns: The process, or `nil` if it is unknown.
  func provenance(where isIt: (Value) -> Bool = { _ in true }) -> Provenance? {
    let known = memory.withLock { isIt(value.value) ? ($0.mark, $0.file.known) : (nil, nil) }
    let version =
      known.0.flatMap { $0.hasRecords ? $0 : nil }.map(\.version) ?? known.1.map { VersionMark(content: $0) }
    return version.flatMap { location.provenance(of: $0) }
  }

  /// The result of a read of the file and of its journal.
  struct Sight {
    var look: SharedFileState.Look<Value>
    var mark: JournalMark?
    /// A Boolean value that indicates whether the value is the known one, stored in another way.
    var isEcho = false
    var damage: [String] = []
    /// A Boolean value that indicates whether the journal is to be brought into the file soon.
    var isUnsettled = false
  }

  func look(_ begun: Beginning, trustsEmptiness: Bool = false, isAboutJournal: Bool = false) -> Sight {
    do throws(AppGroupsFileError) {
      if isAboutJournal, let sight = try lookAtJournal(begun) { return sight }
      // Before the file: a journal that the file has replaced is then recognized as such.
      let journal = try openJournal()
      let data = try data()
      if journaling != nil { return try look(at: data, journal, begun) }
      // Compared as data, which is memcmp.
      if data == begun.known { return Sight(look: .unchanged) }
      let value = try format.decoded(data, from: location.url)
      return Sight(
        look: data.isEmpty && !trustsEmptiness ? .emptied(value, .empty(location.url)) : .content(data, value))
    } catch {
      return Sight(look: .failure(error))
    }
  }

  /// Applies the result of a read, and sends the changes.
  ///
  /// - Returns: `false` if the result is outdated, and the read must be repeated.
  func conclude(_ sight: Sight, begunIn epoch: UInt64, retry: Int? = nil) -> Bool {
    var delivery = SharedFileDelivery<Value>()
    let verdict = memory.withLock { memory in
      let verdict = memory.file.conclude(sight.look, begunIn: epoch, retry: retry)
      if case .news(let news) = verdict {
        memory.mark = sight.mark
        rebased = sight.isEcho ? news : nil
        if !sight.isEcho { delivery.value = stage(news) }
      } else if case .nothing = verdict, case .unchanged = sight.look {
        memory.mark = sight.mark
      }
      stageStatus(&memory, in: &delivery)
      return verdict
    }
    delivery.send()
    if case .lookAgain = verdict { return false }
    reportDamage(sight.damage)
    if sight.isUnsettled { settleLater(isOwn: false) }
    switch verdict {
    case .lookAgain: return false
    case .nothing, .news: break
    case .retry(let retry, let pause):
      queue.async(after: pause) { [weak self] in self?.lookNow(retry: retry) }
    case .report(let error): report(error)
    }
    return true
  }

  /// Sends an error, and reads the file again if the error may end without an event.
  func report(_ error: AppGroupsFileError) {
    switch error {
    case .missing where toleratesAbsence, .suspended: failures.deliver(error)
    default: failures.send(error)
    }
    if error.mayPassUnseen { queue.async { [weak self] in self?.lookNow() } }
  }

  /// Has unusable content reported even if the program ends, or releases the file, before subscribers are informed.
  func announceUnusableContent() {
    guard let error = memory.withLock({ $0.file.problem }) else { return }
    if case .missing = error { return }
    failures.announce(error) { [weak self] in self.map { $0.memory.withLock { $0.file.problem == nil } } ?? false }
  }

  /// Stages a value; to be called with the memory locked.
  func stage(_ new: Value) -> StagedValue<Value> {
    journaling.map { value.stage(new, changes: $0.changes) } ?? value.stage(new)
  }

  /// Stages the status if it has changed; to be called with the memory locked.
  func stageStatus(_ memory: inout SharedFileMemory, in delivery: inout SharedFileDelivery<Value>) {
    // The usual case, without another status to create and compare.
    if memory.isStatusCurrent, memory.file.isGood { return }
    let problem = memory.file.problem
    memory.isStatusCurrent = problem == nil
    let last = status.value
    let next = SharedValueStatus(problem, after: last)
    if next != last { delivery.status = status.stage(next) }
  }
}
