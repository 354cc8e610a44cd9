public import AppGroups
public import FileSignals
import Foundation
public import Signals

/// A share that reports the changes of a database to all processes that have it open.
///
/// Each process creates one share, with a name of its own. From then on, every transaction of any process reaches all
/// others as a ``ChangeSet``, in order. This includes transactions made while a process was not running:
///
/// ```swift
/// import AppGroups
/// import Foundation
/// import Stores
///
/// let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
/// let container = try AppGroupsContainer(directory: directory)
/// let file = directory.appending(path: "list.sqlite")
///
/// // In the application:
/// let list = try Database(.file(file))
/// try list.write { try $0.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)") }
/// let share = try DatabaseShare(list, container: container, author: "app", tables: ["item"])
/// let seen = DispatchSemaphore(value: 0)
/// let subscription = share.incoming.sink { changes in
///   print(changes.author!, changes["item"].inserted)
///   seen.signal()
/// }
///
/// // In the helper:
/// let same = try Database(.file(file))
/// let other = try DatabaseShare(same, container: container, author: "helper", tables: ["item"])
/// try same.write { try $0.execute("INSERT INTO item (text) VALUES (?)", "bread") }
/// seen.wait()  // Prints "helper [1]"
///
/// subscription.cancel()
/// other.close()
/// share.close()
/// try FileManager.default.removeItem(at: directory)
/// ```
///
/// - **Atomicity:** A change is recorded as a row of the database, in the same transaction. Either both are stored or
///   neither, whenever a process is killed. After the commit, writing to a file wakes the other processes. If that
///   fails, they receive the change together with the next one.
/// - **Order:** Changes arrive in the order of commits. Each arrives once during the life of a process. A process that
///   is killed receives the changes of its last second again, and can recognise them by ``ChangeSet/sequence``.
/// - **No echo:** A process never receives its own changes, and received changes are not rebroadcast.
/// - **Authors:** Only one share at a time can have a name. If another share has it, in this process or another,
///   creating a share waits for it up to a limit, and then throws
///   ``DatabaseError/authorInUse(_:path:after:holder:)``. The name of a killed process is free at once.
///   ``Database/suspend()`` releases the name, and ``Database/resume()`` takes it again.
/// - **Live queries:** Live queries and ``Database/changes`` of the database follow the other processes automatically.
/// - **Absence:** A process that returns receives the changes made in its absence, if it had subscribed to ``incoming``
///   before. If the history or the absence has exceeded ``ShareLimits``, it receives a change set that says that
///   everything may have changed. For a process that never subscribes to ``incoming``, no history is kept.
/// - **Threads:** You can call everything on any thread. Subscribers are called on a serial queue of the share.
/// - **Lifetime:** The share ends with ``close()``, or when it is no longer needed. It is needed as long as there is a
///   reference to this object, a subscription to one of its signals, or a live query or row of the database.
///
/// Live queries also follow writes of programs that do not share the database, within about a second. ``incoming`` does
/// not contain them.
public final class DatabaseShare: Sendable {
  let engine: ShareEngine

  /// Creates a share of a database.
  ///
  /// - Parameters:
  ///   - database: The database, in a file in the container.
  ///   - container: The container of the group whose processes share it.
  ///   - author: The name of this process. It must differ from the names of other running processes, and stay the same
  ///     after a restart.
  ///   - tables: The tables whose changes are shared and received, in any spelling that SQLite accepts; by default all
  ///     tables.
  ///   - remembersPosition: A Boolean value that determines whether the author's position in the history is kept while
  ///     the process is not running. Pass `false` in a process that runs once, such as a command-line tool. It then
  ///     receives only changes that are committed while it runs, and leaves nothing behind in the database.
  ///   - limits: The limits of the history.
  ///   - lockTimeout: The longest wait for an author's name that another share has; `.zero` for none. By default, it is
  ///     the `lockTimeout` of the container or, without that, half a second.
  /// - Throws: ``DatabaseError``, such as ``DatabaseError/authorInUse(_:path:after:holder:)`` or
  ///   ``DatabaseError/noSuchTable(_:path:known:)``.
  public init(
    _ database: Database,
    container: AppGroupsContainer,
    author: String,
    tables: Set<String>? = nil,
    remembersPosition: Bool = true,
    limits: ShareLimits = ShareLimits(),
    lockTimeout: Duration? = nil
  ) throws(DatabaseError) {
    guard let url = database.file.location.url else { throw .inMemory }
    let root = canonicalPath(ofFile: container.containerURL.path) ?? container.containerURL.path
    guard url.path.isPath(below: root) else { throw .outsideContainer(path: url.path, container: root) }
    let lockTimeout = lockTimeout ?? DirectoryRules.nameLimit(for: container.containerURL)
    // During a switch, the folder beside the database may be elsewhere.
    engine = try Database.steadily(database.scope, database.location) { () throws(DatabaseError) in
      try ShareEngine(
        database, in: url, author: author, isUnique: false, remembersPosition: remembersPosition, tables: tables,
        limits: limits, lockTimeout: lockTimeout)
    }
  }

  /// The tables whose changes are shared and received, as spelled in the file; `nil` for all tables.
  public var tables: Set<String>? { engine.recorder.scope }

  /// Sets the tables whose changes are shared and received, from the next commit on.
  ///
  /// - Parameter tables: The tables, or `nil` for all tables.
  /// - Throws: ``DatabaseError/noSuchTable(_:path:known:)`` for a table that does not exist, or another error if the
  ///   database cannot be read. The tables are then unchanged.
  public func setTables(_ tables: Set<String>?) throws(DatabaseError) {
    engine.recorder.scope = try tables.map { tables throws(DatabaseError) in try engine.database.spelling(of: tables) }
  }

  /// A signal of the transactions that other processes have committed.
  ///
  /// The first subscriber first receives the changes that have been waiting for this process. From the first
  /// subscription on, changes wait while there is no subscriber, even while the process is not running: the first
  /// subscription ever returns after the position has been written into the database, except inside a transaction.
  /// That waits for another writer, at most for the database's `busyTimeout`. Further subscribers receive only later
  /// changes. Subscribers are called on a serial queue of the share. A subscription keeps the share alive.
  public var incoming: some Signal<ChangeSet, Never> { IncomingChanges(engine: engine) }

  /// A signal of the transactions that this process has committed and shared.
  public var outgoing: some Signal<ChangeSet, Never> {
    let changes = engine.database.delivery.emitter.named("outgoing").compactMap {
      [recorder = engine.recorder] changes -> ChangeSet? in
      guard changes.origin == .here, let tables = recorder.shared(changes.tables) else { return nil }
      return ChangeSet(sequence: changes.sequence, tables: tables)
    }
    return KeptSignal(upstream: changes, owner: engine)
  }

  /// A signal of the failures to receive changes of other processes.
  public var failures: some Signal<DatabaseError, Never> {
    KeptSignal(upstream: engine.feed.failures, owner: engine)
  }

  /// The ability to detect changes of other processes as they happen.
  public var health: Property<WatchHealth> { engine.feed.health }

  /// Returns the number of changes of other processes that have not been received yet.
  ///
  /// - Returns: The number of changes.
  /// - Throws: ``DatabaseError`` if the database cannot be read, or if its file has been switched for
  ///   another that cannot be written yet, for example while the database is suspended.
  public func pendingCount() throws(DatabaseError) -> Int { try engine.feed.pendingCount() }

  /// Skips all changes of other processes that have not been received yet.
  ///
  /// - Returns: The number of skipped changes.
  /// - Throws: ``DatabaseError`` if the database cannot be read, or if its file has been switched for
  ///   another that cannot be written yet, for example while the database is suspended.
  @discardableResult
  public func discardPending() throws(DatabaseError) -> Int { try engine.feed.clear() }

  /// Ends the share and releases the author's name.
  ///
  /// The database stays open. When this method returns, the position of the received changes has been saved. Inside a
  /// transaction, or on a thread that is switching to another file, it does not wait for that. Releasing the share
  /// also ends it, without waiting.
  public func close() {
    // The queue may be waiting for this thread.
    let database = engine.database
    engine.end(isWaiting: !database.isInTransactionOfThisThread && !database.pauses.isHeldByThisThread)
  }
}

/// A signal of the transactions of other processes, beginning with those waiting.
private struct IncomingChanges: Signal {
  typealias Element = ChangeSet
  typealias Failure = Never

  let engine: ShareEngine

  func subscribe(_ subscriber: some SignalSubscriber<ChangeSet, Never>) -> SignalSubscription {
    defer { engine.feed.join() }
    return engine.feed.incoming.subscribe(subscriber).keepAlive(engine)
  }
}

/// The limits of the history of a shared database.
///
/// All processes should use the same limits.
public struct ShareLimits: Hashable, Sendable {
  /// The maximum number of changes that are kept for peers that have not received them.
  ///
  /// Changes are removed in groups, so up to one in sixteen fewer may be kept. A peer that returns later receives a
  /// change set that says that everything may have changed.
  public var historyCount: Int { didSet { historyCount = max(1, historyCount) } }

  /// The time for which the history is kept for a peer that does not return.
  public var peerLifetime: Duration { didSet { peerLifetime = max(.zero, peerLifetime) } }

  /// Creates limits.
  ///
  /// - Parameters:
  ///   - historyCount: The maximum number of changes that are kept.
  ///   - peerLifetime: The time for which the history is kept for a peer that does not return.
  public init(historyCount: Int = 100_000, peerLifetime: Duration = .seconds(7 * 24 * 3600)) {
    self.historyCount = max(1, historyCount)
    self.peerLifetime = max(.zero, peerLifetime)
  }

  /// The number of changes between two trims of the history.
  var trimInterval: Int { min(256, max(1, historyCount / 16)) }

  /// The number of changes that trimming leaves, so that the limit is not exceeded before the next trim.
  var trimmedCount: Int { historyCount - trimInterval + 1 }

  var peerAge: Int64 { peerLifetime.components.seconds }

  /// The time of day, in seconds since 1970.
  static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}
