import Dispatch
import FileSignals
import Foundation
import Signals

/// The receiver of the changes of other processes, in order and each change once.
final class ShareFeed: Sendable {
  let incoming = Emitter<ChangeSet, Never>()
  let failures: FailureRelay<DatabaseError>

  /// The ability to detect changes of other processes as they happen.
  let health: Property<WatchHealth>

  private let database: Database
  private let url: URL
  private let author: String
  private let recorder: ShareRecorder
  private let limits: ShareLimits
  /// The author's name, or `nil` if no other process can have it.
  private let name: AuthorName?
  private let remembersPosition: Bool
  private let queue = DispatchQueue(label: "org.signals.share", qos: .userInitiated)
  private let mark = DispatchSpecificKey<Bool>()
  private let state: Guarded<State>

  /// State that changes only on the queue.
  private struct State {
    var cursors: ShareCursors
    var changes: (any ChangeSource)?
    var following: SignalSubscription?
    var isOver = false
    var isLost = false
  }

  private static let batch = 256
  /// The delayed saving of the position, so that many changes are saved at once.
  ///
  /// After a failure it is retried later.
  private let saves: DelayedCall
  /// The delayed retry for a file that could not be used, because no event reports when it can be used again.
  private let looks: DelayedCall

  init(
    _ database: Database, url: URL, author: String, recorder: ShareRecorder, bell: ShareBell,
    name: AuthorName? = nil, remembersPosition: Bool = true, changes injected: (any ChangeSource)? = nil
  ) throws(DatabaseError) {
    self.database = database
    self.url = url
    failures = FailureRelay(of: "DatabaseShare", url.path)
    self.author = author
    self.recorder = recorder
    self.name = name
    self.remembersPosition = remembersPosition
    limits = recorder.limits
    saves = DelayedCall(.exponential(from: .seconds(1), upTo: .seconds(30)), on: queue)
    looks = DelayedCall(.exponential(from: .milliseconds(250), upTo: .seconds(5)), on: queue)
    let (saved, newest) = try database.readValue { transaction throws(DatabaseError) in
      try ShareTables.position(of: remembersPosition ? author : nil, transaction)
    }
    queue.setSpecific(key: mark, value: true)
    // The observation begins before the first read, so that no change is missed in between.
    let changes: any ChangeSource =
      if let injected { injected } else {
        try translating(PathChanges(contentsOf: bell.directory, queue: queue), by: DatabaseError.unobservable)
      }
    state = Guarded(State(cursors: ShareCursors(saved: saved, newest: newest), changes: changes))
    health = changes.health
    recorder.onFileChange { [weak self] in self?.begin() }
    queue.async { [self] in
      _ = changes.follow(bell.names)
      let following = changes.sink { [weak self] _ in self?.drainNow() }
      state.withLock { if !$0.isOver { $0.following = following } }
      // Changes between reading the cursors and the start of the watch caused no event.
      drain()
    }
  }

  /// Keeps the history for this process from now on, and delivers the waiting changes to a new subscriber.
  ///
  /// When the first call returns, the position has been saved, unless the calling thread must not wait for that, or
  /// the database cannot be written. The queue then saves it, and reports a failure.
  func join() {
    let mayWait = !database.isInTransactionOfThisThread && !database.pauses.isHeldByThisThread
    if mayWait, state.withLock({ !$0.isOver && $0.cursors.becomeReader() }) {
      // The queue tries again, and reports the error.
      tolerating { try write() }
    }
    begin()
  }

  /// Delivers the waiting changes.
  func begin() {
    queue.async { [weak self] in self?.drain() }
  }

  /// Reads after an event of the bell, which usually arrives on the queue.
  private func drainNow() {
    if isOnQueue { drain() } else { begin() }
  }

  /// Ends, after saving the position of the received changes.
  ///
  /// - Parameter isWaiting: A Boolean value that determines whether to wait for that, and for subscribers that are
  ///   being called.
  func end(isWaiting: Bool) {
    if isWaiting {
      run { finish() }
    } else {
      queue.async { [self] in finish() }
    }
  }

  private func finish() {
    let ended = state.withLock { state -> (following: SignalSubscription?, changes: (any ChangeSource)?)? in
      if state.isOver { return nil }
      state.isOver = true
      return (state.following.take(), state.changes.take())
    }
    guard ended != nil else { return }
    save()
    incoming.finish()
  }

  /// Runs a closure on the queue.
  ///
  /// The caller may already be on it, as a subscriber is.
  private func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    if isOnQueue { return try body() }
    return try queue.sync(execute: body)
  }

  /// Skips all waiting changes.
  ///
  /// - Returns: The number of skipped changes of other processes.
  func clear() throws(DatabaseError) -> Int {
    try onQueue {
      let (cursor, author) = (cursors.told, author)
      let (newest, count) = try database.read { transaction in
        (
          try ShareTables.newest(transaction),
          try ShareTables.count(after: cursor, notBy: author, transaction)
        )
      }
      state.withLock { $0.cursors.skip(to: newest) }
      save()
      return count
    }
  }

  /// Returns the number of waiting changes of other processes.
  func pendingCount() throws(DatabaseError) -> Int {
    try onQueue {
      let (cursor, author) = (cursors.told, author)
      return try database.read { try ShareTables.count(after: cursor, notBy: author, $0) }
    }
  }

  private func onQueue<Result>(_ body: () throws -> Result) throws(DatabaseError) -> Result {
    // The queue may be waiting for this thread's transaction, or for the file that this thread is switching.
    try database.refuseWaiting("read of the share")
    return try DatabaseError.only {
      try run {
        try switchHistory(to: recorder.file)
        return try body()
      }
    }
  }

  // MARK: Receiving

  private func drain() {
    if isOver { return }
    if !database.followReplacementAfterEvent() { drainSoon() }
    do throws(DatabaseError) {
      repeat {
        try switchHistory(to: recorder.file)
        keepHistory()
      } while !isOver && drainBatch()
    } catch .suspended {
      // This is not a failure.
    } catch {
      failures.send(error)
    }
    saveSoon()
  }

  /// Reads again after a while, because no event reports that the obstacle has gone.
  private func drainSoon() {
    looks.request { [weak self] in self?.drain() }
  }

  /// Switches to the history of the file that has replaced the previous one, if there is such a file.
  ///
  /// - Throws: An error if it cannot switch now. The switch is retried, unless the database is closed for good.
  private func switchHistory(to file: ShareRecorder.File) throws(DatabaseError) {
    if file.number == cursors.file { return }
    let saved: Int64?
    do throws(DatabaseError) {
      // This needs a write transaction, because a suspended database must not take the name.
      let isReader = cursors.isReader
      saved = try write { [name, author, remembersPosition] transaction in
        try name?.take()
        let saved = try ShareTables.position(of: remembersPosition ? author : nil, transaction).saved
        guard saved == nil, isReader, remembersPosition else { return saved }
        try ShareTables.save(file.newest, author, time: ShareLimits.now, transaction)
        return file.newest
      }
    } catch {
      if !database.writer.isClosed { drainSoon() }
      throw error
    }
    let isHeard = incoming.hasSubscribers
    looks.reset()
    state.withLock { state in
      state.isLost = false
      state.cursors.move(to: file, saved: saved, isHeard: isHeard)
    }
    if isHeard { incoming.send(everything(upTo: file.newest, .switch)) }
  }

  /// Keeps the history for this process, from the first subscription on.
  private func keepHistory() {
    guard incoming.hasSubscribers else { return }
    let isDue = state.withLock { [saves] state in state.cursors.becomeReader() && !saves.isDue }
    // The position is saved before any change is delivered, so that the next process with this name continues from
    // here.
    if isDue { save() }
  }

  /// Makes live queries check by themselves whether the file can still be read.
  private func giveUp() {
    let live = state.withLock { state -> Int64? in
      if state.isLost { return nil }
      state.isLost = true
      return state.cursors.live
    }
    guard let live else { return }
    // No further change of this file will be received.
    database.tellEverything(.migration, sequence: ChangeSet.sequence(after: live))
  }

  /// Receives a batch of changes.
  ///
  /// - Returns: `true` if there may be more.
  private func drainBatch() -> Bool {
    let isHeard = incoming.hasSubscribers
    let start = state.withLock { $0.cursors.begin(isHeard: isHeard) }
    let entries: [ShareTables.Entry]
    do throws(DatabaseError) {
      entries = try database.readValue { transaction throws(DatabaseError) in
        try ShareTables.entries(after: start, limit: Self.batch, transaction)
      }
    } catch .closed, .suspended {
      return false
    } catch {
      failures.send(error)
      if case .schema = error { giveUp() }
      return false
    }
    // The entries belong to the history of another file.
    if recorder.file.number != cursors.file { return true }
    // Numbers have no gaps, except where the history has been trimmed.
    if let first = entries.first?.sequence, first > start + 1 { deliver(everything(upTo: first - 1, .trimmedHistory)) }
    for entry in entries {
      if entry.author == author { note(entry.sequence) } else { deliver(changes(in: entry)) }
      if isOver { return false }
    }
    return entries.count == Self.batch
  }

  private func changes(in entry: ShareTables.Entry) -> ChangeSet {
    do throws(ChangeCoding.Unreadable) {
      let (tables, provenance) = try ChangeCoding.decode(entry.changes)
      return ChangeSet(sequence: entry.sequence, origin: entry.origin, provenance: provenance, tables: tables)
    } catch {
      failures.send(
        .undecodable(path: url.path, sequence: entry.sequence, author: entry.author, reason: error.description))
      return everything(upTo: entry.sequence, entry.origin)
    }
  }

  /// Returns a change set that says that everything may have changed.
  private func everything(upTo sequence: Int64, _ origin: ChangeOrigin) -> ChangeSet {
    let tables = (recorder.scope ?? allTables()).map { ($0, TableChanges(isEverything: true)) }
    return ChangeSet(sequence: sequence, origin: origin, tables: Dictionary(uniqueKeysWithValues: tables))
  }

  private func allTables() -> Set<String> {
    // Only observed tables matter in this case.
    tolerating(Set(try database.userTables()), else: database.regions.observedTables)
  }

  private func deliver(_ changes: ChangeSet) {
    // Tables outside the local scope are ignored, whatever the other process shares.
    guard let tables = recorder.shared(changes.tables) else { return note(changes.sequence) }
    let changes = ChangeSet(
      sequence: changes.sequence, origin: changes.origin, provenance: changes.provenance, tables: tables)
    if changes.sequence > cursors.live {
      database.delivery.enqueue(changes)
      database.delivery.flush()
    }
    let hasSubscribers = incoming.hasSubscribers
    let isHeard = state.withLock { state in
      state.cursors.isHeard = state.cursors.isHeard && hasSubscribers
      return state.cursors.isHeard && changes.sequence > state.cursors.told
    }
    if isHeard { incoming.send(changes) }
    note(changes.sequence)
  }

  private func note(_ sequence: Int64) {
    state.withLock { $0.cursors.note(sequence) }
  }

  // MARK: Position

  private var cursors: ShareCursors { state.withLock { $0.cursors } }

  private var isOver: Bool { state.withLock { $0.isOver } }

  private var isOnQueue: Bool { DispatchQueue.getSpecific(key: mark) == true }

  private func saveSoon() {
    let isDue = state.withLock { [limits] in !$0.isOver && $0.cursors.isSaveWorthwhile(limits) }
    guard remembersPosition, isDue else { return }
    saves.request { [weak self] in
      if let self, !isOver { save() }
    }
  }

  private func save() {
    do throws(DatabaseError) {
      try write()
      saves.reset()
    } catch .closed {
      // These changes will be delivered again.
    } catch .suspended {
      saveSoon()
    } catch {
      failures.send(error)
    }
  }

  /// Writes the position into the file to which it belongs; does nothing if the database has been replaced by another.
  private func write() throws(DatabaseError) {
    let cursors = cursors
    guard remembersPosition, cursors.isSaveWorthwhile(limits) else { return }
    let (author, now) = (author, ShareLimits.now)
    let isSaved = try write { [recorder] transaction in
      guard recorder.file.number == cursors.file else { return false }
      try ShareTables.save(cursors.told, author, time: now, transaction)
      return true
    }
    state.withLock { state in
      if isSaved, state.cursors.file == cursors.file { state.cursors.noteSaved(cursors.told, at: now) }
    }
  }

  private func write<Result>(_ body: (WriteTransaction) throws -> Result) throws(DatabaseError) -> Result {
    try DatabaseError.only { try database.write(body) }
  }
}
