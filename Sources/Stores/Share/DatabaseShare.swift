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
/// - **No echo.** Nobody gets his own changes; what is taken in is not told again.
/// - **Live queries** and ``Database/changes`` of the database follow the other processes by themselves.
/// - **Who stays away** finds what has changed meanwhile when he comes back, unless the history has become longer, or
///   he has been away for longer, than ``ShareLimits`` says: then he is told that everything may have changed.
/// - **Threads.** Everything may be called from any thread. Subscribers are called on a serial queue of the share's
///   own.
///
/// Live queries also follow writes of programs that do not share the database, within about a second; ``incoming`` does
/// not contain them.
public final class DatabaseShare: Sendable {
  /// The name under which this process's changes are told.
  public let author: String

  private let database: Database
  private let recorder: ShareRecorder
  private let feed: ShareFeed

  /// Shares a database.
  ///
  /// - Parameters:
  ///   - database: The database, in a file in the container.
  ///   - container: The container of the group whose processes share it.
  ///   - author: The name of this process: not that of another one that runs at the same time, and the same after a
  ///     restart.
  ///   - tables: The tables whose changes are told and taken in.
  ///   - limits: How long changes are remembered.
  /// - Throws: ``DatabaseShareError``.
  public init(
    _ database: Database,
    container: AppGroupsContainer,
    author: String,
    tables: Set<String>,
    limits: ShareLimits = ShareLimits()
  ) throws(DatabaseShareError) {
    guard case .file(let url) = database.location else { throw .inMemory }
    let path = url.resolvingSymlinksInPath().standardizedFileURL.path
    let root = container.containerURL.resolvingSymlinksInPath().standardizedFileURL.path
    guard path.hasPrefix(root + "/") else { throw .outsideContainer(url, container: container.containerURL) }
    guard !author.isEmpty else { throw .invalidAuthor(author, reason: "it is empty") }
    self.author = author
    self.database = database
    let bell = try ShareBell(beside: url)
    recorder = ShareRecorder(author: author, scope: tables, limits: limits, bell: bell)
    do {
      try database.write { try $0.execute(script: ShareTables.script) }
    } catch {
      throw DatabaseShareError(error)
    }
    guard database.writer.setRecorder(recorder) else { throw .alreadyShared(url) }
    do throws(DatabaseShareError) {
      feed = try ShareFeed(database, url: url, author: author, recorder: recorder, bell: bell)
    } catch {
      recorder.end()
      throw error
    }
  }

  deinit {
    recorder.end()
    feed.end(isWaiting: false)
  }

  /// The tables whose changes are told and taken in.
  ///
  /// It may be changed at any time; what is committed then is told, or not, as it says.
  public var tables: Set<String> {
    get { recorder.sharedNames }
    set { recorder.sharedNames = newValue }
  }

  /// What other processes have committed, one value for each of their transactions.
  ///
  /// What has waited for this process is sent first, to whoever subscribes first. While nobody subscribes, changes
  /// wait; who subscribes beside others gets what comes from then on.
  public var incoming: some Signal<ChangeSet, Never> { IncomingChanges(feed: feed) }

  /// What this process has committed and told the others.
  public var outgoing: some Signal<ChangeSet, Never> {
    database.delivery.emitter.compactMap { [recorder] changes in
      guard changes.origin == .here, let tables = recorder.shared(changes.tables) else { return nil }
      return ChangeSet(sequence: changes.sequence, tables: tables)
    }
  }

  /// What keeps changes of others from being taken in, each time something does.
  public var failures: some Signal<DatabaseShareError, Never> { feed.failures }

  /// Whether changes of others are seen as they happen.
  public var health: Property<WatchHealth> { feed.health }

  /// How many changes of others have not been taken in yet.
  ///
  /// - Returns: Their number.
  /// - Throws: ``DatabaseShareError/database(_:)`` if the database cannot be read, or if its file has been swapped for
  ///   another that cannot be written yet, as while it is suspended.
  public func pendingCount() throws(DatabaseShareError) -> Int { try feed.pendingCount() }

  /// Passes over all changes of others that have not been taken in yet.
  ///
  /// - Returns: How many there were.
  /// - Throws: ``DatabaseShareError/database(_:)`` if the database cannot be read, or if its file has been swapped for
  ///   another that cannot be written yet, as while it is suspended.
  @discardableResult
  public func discardPending() throws(DatabaseShareError) -> Int { try feed.clear() }

  /// Ends the share.
  ///
  /// The database stays open. When this returns, what has been taken in is noted, unless it is called inside a
  /// transaction, or by who swaps the file for another; releasing the share ends it, too, but does not wait for that.
  public func close() {
    recorder.end()
    // The queue may be waiting for this very thread.
    feed.end(isWaiting: !database.isInTransactionOfThisThread && !database.pauses.isHeldByThisThread)
  }
}
