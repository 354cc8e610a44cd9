import Dispatch
import FileSignals
import Foundation
import Signals

/// Detects commits that are not announced, by other programs and by processes without a ``DatabaseShare``.
///
/// It watches the database's directory from the first observer on. An event only means that the file was written to,
/// and precedes the commit. So the file is checked several times, at growing intervals.
final class ForeignWrites: Sendable {
  private let directory: URL
  private let siblings: FileSiblings?
  /// The files whose changes may be commits.
  private let names: Set<String>
  /// The files to watch individually, on systems that need one watch per file.
  ///
  /// The database itself is not one of them: closing it at the end of the watch would release the locks that SQLite has
  /// acquired in it for this process. A commit is written into one of these first.
  private let logs: Set<String>
  private let queue = DispatchQueue(label: "org.signals.database.watch", qos: .userInitiated)
  private let watch: @Sendable (URL, DispatchQueue) throws(FileObserverError) -> any ChangeSource
  private let following = Guarded(Following())
  private let looking: Guarded<Looking>

  /// The delayed checks after an event; a writer that synchronizes its log may take that long.
  private let looks: DelayedCall
  /// The delayed sweep, which reports a change of everything in case more has changed than was announced.
  ///
  /// The pause does not grow: a sweep is not a failed attempt, and it only has to be rare.
  private let sweeps: DelayedCall

  /// The state of a file as one connection sees it.
  struct FileState: Equatable, Sendable {
    let connection: ObjectIdentifier
    /// A number that changes with the commits of other connections.
    let version: SQLiteValue
    /// A string that changes with each commit of a sharing process; NULL if this object does not share the database.
    let shared: SQLiteValue
  }

  private struct Following {
    var changes: (any ChangeSource)?
    var subscription: SignalSubscription?
    var isOver = false
  }

  /// The state of the checks, which changes only on the queue.
  private struct Looking {
    weak var database: Database?
    /// The state of the file at the last check; `nil` before the first check of a read-only database.
    var last: FileState?
    /// The number of finished commits of other objects of this process before the last check.
    var siblingCount: Int
  }

  /// Creates an object that does not watch yet.
  ///
  /// - Parameters:
  ///   - file: The database.
  ///   - siblings: The other objects of this process with the same file, which announce their commits.
  ///   - watch: Creates the signal of changes in a directory.
  init(
    beside file: URL, siblings: FileSiblings? = nil,
    watch: @escaping @Sendable (URL, DispatchQueue) throws(FileObserverError) -> any ChangeSource = {
      (directory, queue) throws(FileObserverError) in try PathChanges(contentsOf: directory, queue: queue)
    }
  ) {
    self.watch = watch
    looks = DelayedCall(
      .exponential(from: .milliseconds(20), upTo: .seconds(2), factor: 5, limit: 4), on: queue)
    sweeps = DelayedCall(.constant(.seconds(1)), on: queue)
    self.siblings = siblings
    looking = Guarded(Looking(siblingCount: siblings?.endedCount(but: nil) ?? 0))
    directory = file.deletingLastPathComponent()
    let name = file.lastPathComponent
    logs = [name + "-wal", name + "-journal"]
    names = logs.union([name])
  }

  /// Begins to watch, unless it has begun.
  ///
  /// Later commits are detected.
  func start(_ database: Database) {
    following.withLock { following in
      guard following.changes == nil, !following.isOver else { return }
      let changes: any ChangeSource
      do throws(FileObserverError) {
        changes = try watch(directory, queue)
      } catch {
        // The next observer makes another attempt.
        return
      }
      following.changes = changes
      // A state from before the first read of the observer. The writing connection stored it when it was opened. A
      // query on a connection could wait for a transaction whose thread is waiting here.
      let first = database.writer.firstState
      queue.async { [weak self, weak database] in
        guard let self else { return }
        looking.withLock { ($0.database, $0.last) = (database, first) }
        let unwatched = changes.follow(logs)
        let subscription = changes.sink { [weak self] in self?.note($0) }
        self.following.withLock { if !$0.isOver { $0.subscription = subscription } }
        if !unwatched.isEmpty { lookSoon() }
      }
    }
  }

  /// Stops watching.
  func end() {
    let ended = following.withLock { following in
      following.isOver = true
      defer { (following.changes, following.subscription) = (nil, nil) }
      return (following.changes, following.subscription)
    }
    withExtendedLifetime(ended) {}
  }

  /// A Boolean value that indicates whether the file will be checked because of an event.
  var isLookAwaited: Bool { looks.isDue }

  private func note(_ change: PathChange) {
    guard change.isStructural || change.written.contains(where: names.contains) else { return }
    looks.reset()
    lookSoon()
  }

  private func lookSoon() {
    looks.request { [weak self] in
      self?.look()
      self?.lookSoon()
    }
  }

  private func look() {
    guard let database = looking.withLock({ $0.database }) else { return }
    _ = database.followReplacementAfterEvent()
    let own = ObjectIdentifier(database)
    let ended = siblings?.endedCount(but: own) ?? 0
    guard let state = database.fileState() else { return }
    let begun = siblings?.begunCount(but: own) ?? 0
    let (last, lastEnded) = looking.withLock { looking in
      defer { (looking.last, looking.siblingCount) = (state, ended) }
      return (looking.last, looking.siblingCount)
    }
    guard let last else { return database.tellForeignWrite() }
    if state == last { return }
    if state.connection != last.connection {
      // The file was opened again, which is reported separately. A sweep covers writes of other programs just before
      // that.
      sweepSoon()
    } else if state.version == last.version {
      return
    } else if state.shared == last.shared, begun == lastEnded {
      // No writer that announces its commits has written since the last check.
      database.tellForeignWrite()
    } else {
      // These writers announce their changes. Another program may also have written.
      sweepSoon()
    }
  }

  private func sweepSoon() {
    sweeps.request { [weak self] in
      self?.looking.withLock { $0.database }?.regions.tellAll()
    }
  }
}

extension Database {
  /// The state of the file, or `nil` if it cannot be read now.
  fileprivate func fileState() -> ForeignWrites.FileState? {
    // A failed check reports nothing; reads throw the reason.
    tolerating(else: nil) {
      if file.access == .readWrite { return try writer.fileState() }
      return try readValue { transaction throws(DatabaseError) in
        let connection = try transaction.connection
        return ForeignWrites.FileState(
          connection: ObjectIdentifier(connection), version: try connection.value("PRAGMA data_version"), shared: .null)
      }
    }
  }

  func tellForeignWrite() {
    writer.tellForeignWrite(observed: regions.observedTables)
    delivery.flush()
  }
}
