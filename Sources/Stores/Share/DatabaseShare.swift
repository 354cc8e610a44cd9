public import AppGroups
public import FileSignals
import Foundation
public import Signals

/// Tells the processes that have a database open what each of them changes.
///
/// Each process makes one share, under a name of its own; from then on every transaction of any of them reaches all
/// others as a ``ChangeSet``, in order, also those made while a process was not running:
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
/// - **Nothing is lost.** The word of a change is a row of the database, written in the same transaction: both are
///   there, or neither, whenever a process is killed. A file that is written into after the commit wakes the others;
///   should that fail, they see the change with the next.
/// - **In order, once.** Changes come in the order of commits, each once for as long as the process lives; one that is
///   killed gets those again that it took in during its last second, and tells them by their ``ChangeSet/sequence``.
/// - **No echo.** A process never receives its own changes, and received changes are not told again.
/// - **Authors.** One share at a time has a name. Sharing a database under a name that another share has, in this
///   process or another, throws ``DatabaseShareError/authorInUse(_:_:)``. The name of a process that is killed is free
///   at once. ``Database/suspend()`` gives it up, and ``Database/resume()`` takes it again.
/// - **Live queries** and ``Database/changes`` of the database follow the other processes by themselves.
/// - **A process that comes back** receives what has changed meanwhile, if it had subscribed to ``incoming`` before. If
///   the history has become longer, or the process has been away for longer, than ``ShareLimits`` says, it is told that
///   everything may have changed. The history is kept for no process that never subscribes to ``incoming``.
/// - **Threads.** Everything may be called from any thread. Subscribers are called on a serial queue of the share's
///   own.
/// - **Lifetime.** The share ends with ``close()``, or when nothing needs it any more: neither a reference to this
///   object, nor a subscription to one of its signals, nor a live query or row of the database.
///
/// Live queries also follow writes of programs that do not share the database, within about a second; ``incoming`` does
/// not contain them.
public final class DatabaseShare: Sendable {
  /// The name under which this process's changes are told.
  public var author: String { engine.author }

  private let engine: ShareEngine

  /// Shares a database.
  ///
  /// - Parameters:
  ///   - database: The database, in a file in the container.
  ///   - container: The container of the group whose processes share it.
  ///   - author: The name of this process: not that of another one that runs at the same time, and the same after a
  ///     restart.
  ///   - tables: The tables whose changes are told and taken in, in any spelling that SQLite accepts; by default all.
  ///   - remembersPosition: Whether the author's position in the history is kept while the process is not running. Pass
  ///     `false` in a process that runs once, such as a command-line tool: it takes in what is committed while it
  ///     runs, and leaves nothing behind in the database.
  ///   - limits: How long changes are remembered.
  /// - Throws: ``DatabaseShareError``, such as ``DatabaseShareError/authorInUse(_:_:)``, or
  ///   ``DatabaseError/noSuchTable(_:path:known:)`` in a ``DatabaseShareError/database(_:)``.
  public init(
    _ database: Database,
    container: AppGroupsContainer,
    author: String,
    tables: Set<String>? = nil,
    remembersPosition: Bool = true,
    limits: ShareLimits = ShareLimits()
  ) throws(DatabaseShareError) {
    guard case .file(let url) = database.location else { throw .inMemory }
    let path = url.resolvingSymlinksInPath().standardizedFileURL.path
    let root = container.containerURL.resolvingSymlinksInPath().standardizedFileURL.path
    guard path.hasPrefix(root + "/") else { throw .outsideContainer(url, container: container.containerURL) }
    engine = try ShareEngine(
      database, in: url, author: author, isUnique: false, remembersPosition: remembersPosition, tables: tables,
      limits: limits)
  }

  /// The tables whose changes are told and taken in, as the file spells them; `nil` for all.
  public var tables: Set<String>? { engine.recorder.scope }

  /// Changes which tables' changes are told and taken in, from the next commit on.
  ///
  /// - Parameter tables: The tables; `nil` for all.
  /// - Throws: ``DatabaseError/noSuchTable(_:path:known:)`` for a table that does not exist, and the tables stay as they
  ///   were; or why the database cannot be read.
  public func setTables(_ tables: Set<String>?) throws(DatabaseError) {
    engine.recorder.scope = try tables.map { tables throws(DatabaseError) in try engine.database.spelling(of: tables) }
  }

  /// What other processes have committed, one value for each of their transactions.
  ///
  /// What has waited for this process is sent first, to whoever subscribes first. From the first subscription on,
  /// changes wait while nobody subscribes, also while the process is not running; who subscribes beside others gets
  /// what comes from then on. A subscription keeps the share alive.
  public var incoming: IncomingChanges { IncomingChanges(engine: engine) }

  /// What this process has committed and told the others.
  public var outgoing: some Signal<ChangeSet, Never> {
    let changes = engine.database.delivery.emitter.named("outgoing").compactMap {
      [recorder = engine.recorder] changes -> ChangeSet? in
      guard changes.origin == .here, let tables = recorder.shared(changes.tables) else { return nil }
      return ChangeSet(sequence: changes.sequence, tables: tables)
    }
    return KeptSignal(upstream: changes, owner: engine)
  }

  /// What keeps changes of others from being taken in, each time something does.
  public var failures: some Signal<DatabaseShareError, Never> {
    KeptSignal(upstream: engine.feed.failures, owner: engine)
  }

  /// Whether changes of others are seen as they happen.
  public var health: Property<WatchHealth> { engine.feed.health }

  /// How many changes of others have not been taken in yet.
  ///
  /// - Returns: Their number.
  /// - Throws: ``DatabaseShareError/database(_:)`` if the database cannot be read, or if its file has been swapped for
  ///   another that cannot be written yet, as while it is suspended.
  public func pendingCount() throws(DatabaseShareError) -> Int { try engine.feed.pendingCount() }

  /// Passes over all changes of others that have not been taken in yet.
  ///
  /// - Returns: How many there were.
  /// - Throws: ``DatabaseShareError/database(_:)`` if the database cannot be read, or if its file has been swapped for
  ///   another that cannot be written yet, as while it is suspended.
  @discardableResult
  public func discardPending() throws(DatabaseShareError) -> Int { try engine.feed.clear() }

  /// Ends the share, and frees the author's name.
  ///
  /// The database stays open. When this returns, what has been taken in is noted, unless it is called inside a
  /// transaction, or by who swaps the file for another; releasing the share ends it, too, but does not wait for that.
  public func close() {
    // The queue may be waiting for this very thread.
    let database = engine.database
    engine.end(isWaiting: !database.isInTransactionOfThisThread && !database.pauses.isHeldByThisThread)
  }
}
