import Dispatch
import FileSignals
import Foundation
import Signals

/// Takes in what other processes have changed, in order, each change once.
final class ShareFeed: @unchecked Sendable {
  // Sound: all that changes belongs to the queue, or is set before it is shared.

  let incoming = Emitter<ChangeSet, Never>()
  let failures = Emitter<DatabaseShareError, Never>()

  /// Whether changes of others are seen as they happen.
  let health: Property<WatchHealth>

  private let database: Database
  private let url: URL
  private let author: String
  private let recorder: ShareRecorder
  private let limits: ShareLimits
  private let queue = DispatchQueue(label: "org.signals.share", qos: .userInitiated)
  private let mark = DispatchSpecificKey<Bool>()
  private var changes: (any ChangeSource)?
  private var following: SignalSubscription?
  /// What subscribers have been told, up to here.
  private var cursor: Int64
  /// The cursor as others know it.
  private var savedCursor: Int64
  /// When the others heard of us last.
  private var savedTime = ShareLimits.now
  /// What live queries have been told, which have read what was there when they began.
  private var liveCursor: Int64
  private var isHeard = false
  private var isSaveDue = false
  private var isLookDue = false
  private var isOver = false
  /// Which of the files it is that the cursors are of.
  private var fileNumber = 0
  private var isLost = false

  private static let batch = 256

  init(
    _ database: Database, url: URL, author: String, recorder: ShareRecorder, bell: ShareBell
  ) throws(DatabaseShareError) {
    self.database = database
    self.url = url
    self.author = author
    self.recorder = recorder
    limits = recorder.limits
    do {
      (cursor, liveCursor) = try ShareTables.join(author, database)
    } catch {
      throw DatabaseShareError(error)
    }
    savedCursor = cursor
    queue.setSpecific(key: mark, value: true)
    // Before the first look, so that nothing falls in between.
    let changes: any ChangeSource
    do {
      changes = try PathChanges(contentsOf: bell.directory, queue: queue)
    } catch {
      throw .unobservable(error)
    }
    self.changes = changes
    health = changes.health
    recorder.onFileChange { [weak self] in self?.begin() }
    queue.async { [self] in
      _ = changes.follow(bell.names)
      following = changes.sink { [weak self] _ in self?.drain() }
      // What came since the cursors were read, and before the watch began, has rung for nobody.
      drain()
    }
  }

  /// Tells a new subscriber what has waited for it.
  func begin() {
    queue.async { [weak self] in self?.drain() }
  }

  /// Ends, after noting what has been taken in.
  ///
  /// - Parameter isWaiting: Whether to wait for that, and for subscribers who are being called.
  func end(isWaiting: Bool) {
    if isWaiting {
      run { finish() }
    } else {
      queue.async { [self] in finish() }
    }
  }

  private func finish() {
    guard !isOver else { return }
    isOver = true
    (following, changes) = (nil, nil)
    save()
    incoming.finish()
  }

  /// Runs a closure on the queue, which the caller may be on already, as a subscriber is.
  private func run<Result>(_ body: () throws -> Result) rethrows -> Result {
    if DispatchQueue.getSpecific(key: mark) == true { return try body() }
    return try queue.sync(execute: body)
  }

  /// Takes everything for known.
  ///
  /// - Returns: How many changes of others have been passed over.
  func clear() throws(DatabaseShareError) -> Int {
    try onQueue {
      let (cursor, author) = (cursor, author)
      let (newest, count) = try database.read { transaction in
        (
          try ShareTables.newest(transaction),
          try ShareTables.count(after: cursor, notBy: author, transaction)
        )
      }
      self.cursor = newest
      save()
      return count
    }
  }

  /// How many changes of others wait to be taken in.
  func pendingCount() throws(DatabaseShareError) -> Int {
    try onQueue {
      let (cursor, author) = (cursor, author)
      return try database.read { try ShareTables.count(after: cursor, notBy: author, $0) }
    }
  }

  private func onQueue<Result>(_ body: () throws -> Result) throws(DatabaseShareError) -> Result {
    do {
      // The queue may be waiting for the transaction that this thread is in, or for the file that it is swapping.
      try database.refuseWaiting("look at the share")
      return try run {
        try goOver(to: recorder.file)
        return try body()
      }
    } catch {
      throw DatabaseShareError(error)
    }
  }

  // MARK: Taking in

  private func drain() {
    if isOver { return }
    do {
      repeat { try goOver(to: recorder.file) } while !isOver && drainBatch()
    } catch DatabaseError.suspended {
      // That is no failure.
    } catch {
      failures.send(DatabaseShareError(error))
    }
    saveSoon()
  }

  /// Looks again in a while, since nobody rings when what was in the way has passed.
  private func drainSoon() {
    guard !isLookDue else { return }
    isLookDue = true
    queue.asyncAfter(deadline: .now() + 1) { [weak self] in
      guard let self, !isOver else { return }
      isLookDue = false
      drain()
    }
  }

  /// Goes over to the history of a file that has come in the place of the one that was there, if there is such a file.
  ///
  /// - Throws: Why it cannot go over now; it is tried again in a while, unless the database is closed for good.
  private func goOver(to file: ShareRecorder.File) throws {
    if file.number == fileNumber { return }
    do {
      (savedCursor, _) = try ShareTables.join(author, database)
    } catch {
      if !database.writer.isClosed { drainSoon() }
      throw error
    }
    isLost = false
    fileNumber = file.number
    liveCursor = file.newest
    // Who is told that everything is different need not be told what has made it so.
    cursor = incoming.hasSubscribers ? file.newest : savedCursor
    if incoming.hasSubscribers { incoming.send(everything(upTo: file.newest, .swap)) }
  }

  /// Has live queries find out for themselves that the file cannot be read any more.
  private func giveUp() {
    if isLost { return }
    isLost = true
    // Nothing else of this file will be told.
    database.tellEverything(.migration, sequence: ChangeSet.sequence(after: liveCursor))
  }

  /// Takes in some changes.
  ///
  /// - Returns: Whether there may be more.
  private func drainBatch() -> Bool {
    // Without a subscriber, changes wait in the database; one who comes in the midst of a batch begins with what waits.
    isHeard = incoming.hasSubscribers
    let start = isHeard ? min(cursor, liveCursor) : liveCursor
    let entries: [ShareTables.Entry]
    do throws(DatabaseError) {
      entries = try database.readValue { transaction throws(DatabaseError) in
        try ShareTables.entries(after: start, limit: Self.batch, transaction)
      }
    } catch .closed {
      return false
    } catch {
      failures.send(.database(error))
      if case .schema = error { giveUp() }
      return false
    }
    // That was the history of another file.
    if recorder.file.number != fileNumber { return true }
    // Numbers have no gaps, but for what has been trimmed.
    if let first = entries.first?.sequence, first > start + 1 { deliver(everything(upTo: first - 1, .trimmedHistory)) }
    for entry in entries {
      if entry.author == author { note(entry.sequence) } else { deliver(changes(in: entry)) }
      if isOver { return false }
    }
    return entries.count == Self.batch
  }

  private func changes(in entry: ShareTables.Entry) -> ChangeSet {
    do throws(ChangeCoding.Unreadable) {
      let tables = try ChangeCoding.decode(entry.changes)
      return ChangeSet(sequence: entry.sequence, origin: entry.origin, tables: tables)
    } catch {
      failures.send(
        .undecodable(url, sequence: entry.sequence, author: entry.author, reason: error.description))
      return everything(upTo: entry.sequence, entry.origin)
    }
  }

  /// What is told when nobody knows what exactly has changed.
  private func everything(upTo sequence: Int64, _ origin: ChangeOrigin) -> ChangeSet {
    let tables = recorder.sharedNames.map { ($0, TableChanges(isEverything: true)) }
    return ChangeSet(sequence: sequence, origin: origin, tables: Dictionary(uniqueKeysWithValues: tables))
  }

  private func deliver(_ changes: ChangeSet) {
    // What is not in scope here does not concern this process, whatever the other one shares.
    guard let tables = recorder.shared(changes.tables) else { return note(changes.sequence) }
    let changes = ChangeSet(sequence: changes.sequence, origin: changes.origin, tables: tables)
    if changes.sequence > liveCursor {
      database.delivery.enqueue(changes)
      database.delivery.flush()
    }
    isHeard = isHeard && incoming.hasSubscribers
    if changes.sequence > cursor, isHeard { incoming.send(changes) }
    note(changes.sequence)
  }

  private func note(_ sequence: Int64) {
    liveCursor = max(liveCursor, sequence)
    if isHeard { cursor = max(cursor, sequence) }
  }

  // MARK: Where we are

  private func saveSoon() {
    guard !isSaveDue, isSaveWorthwhile, !isOver else { return }
    isSaveDue = true
    queue.asyncAfter(deadline: .now() + 1) { [weak self] in
      guard let self, !isOver else { return }
      isSaveDue = false
      save()
    }
  }

  private var isSaveWorthwhile: Bool {
    cursor != savedCursor || ShareLimits.now - savedTime > limits.peerAge / 4
  }

  private func save() {
    guard isSaveWorthwhile else { return }
    let (cursor, author, now, file) = (cursor, author, ShareLimits.now, fileNumber)
    do {
      try database.write { [recorder] in
        if recorder.file.number == file { try ShareTables.save(cursor, author, time: now, $0) }
      }
      (savedCursor, savedTime) = (cursor, now)
    } catch DatabaseError.closed {
      // Those changes will be told again.
    } catch DatabaseError.suspended {
      saveSoon()
    } catch {
      failures.send(DatabaseShareError(error))
    }
  }
}
