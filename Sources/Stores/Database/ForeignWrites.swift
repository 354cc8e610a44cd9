import Dispatch
import FileSignals
import Foundation
import Signals

/// Notices commits that no one announces: those of other programs, and of processes without a ``DatabaseShare``.
///
/// It watches the database's directory from the first observer on. An event only means that something was written, and
/// comes before the commit can be seen, so it looks several times, some moments later.
final class ForeignWrites: @unchecked Sendable {
  // Sound: what is not guarded belongs to the queue.

  private let directory: URL
  private let names: Set<String>
  private let queue = DispatchQueue(label: "org.signals.database.watch", qos: .userInitiated)
  private let following = Guarded(Following())
  private weak var database: Database?
  /// The state of the file at the last look; `nil` before the first, of a database that only reads.
  private var last: FileState?
  private var pauses = backoff.pauses()
  private var isLookDue = false
  private var isSweepDue = false

  /// The pauses before each look that follows an event; a writer that synchronizes its log may take that long.
  private static let backoff = Backoff.exponential(from: .milliseconds(20), upTo: .seconds(2), factor: 5, limit: 4)
  /// The pause before everything is read again because there may be more than what others have told.
  private static let sweepPause = DispatchTimeInterval.seconds(1)

  /// The state of a file as one connection sees it.
  struct FileState: Equatable {
    let connection: ObjectIdentifier
    /// A number that changes with the commits of other connections.
    let version: SQLiteValue
    /// A text that changes with those of the processes that share the database; NULL if this object does not share it.
    let shared: SQLiteValue
  }

  private struct Following {
    var changes: PathChanges?
    var subscription: SignalSubscription?
    var isOver = false
  }

  init(beside file: URL) {
    directory = file.deletingLastPathComponent()
    names = [file.lastPathComponent, file.lastPathComponent + "-wal"]
  }

  /// Begins to watch, unless it has begun; commits from now on are noticed.
  func start(_ database: Database) {
    following.withLock { following in
      guard following.changes == nil, !following.isOver else { return }
      let changes: PathChanges
      do throws(FileObserverError) {
        changes = try PathChanges(contentsOf: directory, queue: queue)
      } catch {
        // The next observer tries again.
        return
      }
      following.changes = changes
      // A state from before the first read of the observer. The writing connection has noted it when it was opened.
      // Asking a connection now could mean waiting for a transaction, whose thread may be waiting here.
      let first = database.writer.firstState
      queue.async { [weak self, weak database] in
        guard let self else { return }
        self.database = database
        last = first
        _ = changes.follow(names)
        let subscription = changes.sink { [weak self] in self?.note($0) }
        self.following.withLock { if !$0.isOver { $0.subscription = subscription } }
      }
    }
  }

  /// Watches no more.
  func end() {
    let ended = following.withLock { following in
      following.isOver = true
      defer { (following.changes, following.subscription) = (nil, nil) }
      return (following.changes, following.subscription)
    }
    withExtendedLifetime(ended) {}
  }

  private func note(_ change: PathChange) {
    guard change.isStructural || change.written.contains(where: names.contains) else { return }
    pauses.reset()
    lookSoon()
  }

  private func lookSoon() {
    guard !isLookDue, let pause = pauses.next() else { return }
    isLookDue = true
    queue.async(after: pause) { [weak self] in
      self?.isLookDue = false
      self?.look()
      self?.lookSoon()
    }
  }

  private func look() {
    guard let database, let state = database.fileState() else { return }
    defer { last = state }
    guard let last else { return database.tellForeignWrite() }
    if state == last { return }
    if state.connection != last.connection {
      // The file was opened again, which tells what has changed by itself. What another program wrote just before the
      // opening is found when that is over.
      sweepSoon()
    } else if state.version == last.version {
      return
    } else if state.shared == last.shared {
      database.tellForeignWrite()
    } else {
      // Those who share the database tell what they have changed. Somebody else may have written besides.
      sweepSoon()
    }
  }

  private func sweepSoon() {
    guard !isSweepDue else { return }
    isSweepDue = true
    queue.asyncAfter(deadline: .now() + Self.sweepPause) { [weak self] in
      self?.isSweepDue = false
      self?.database?.regions.tellAll()
    }
  }
}

extension Database {
  /// The state of the file; `nil` if it cannot be read now.
  fileprivate func fileState() -> ForeignWrites.FileState? {
    do throws(DatabaseError) {
      if file.access == .readWrite { return try writer.fileState() }
      return try readValue { transaction throws(DatabaseError) in
        let connection = try transaction.connection
        return ForeignWrites.FileState(
          connection: ObjectIdentifier(connection), version: try connection.value("PRAGMA data_version"), shared: .null)
      }
    } catch {
      // A look that fails tells nothing; whoever reads is told why.
      return nil
    }
  }

  fileprivate func tellForeignWrite() {
    writer.tellForeignWrite(observed: regions.observedTables)
    delivery.flush()
  }
}

/// The signal of a database's changes, which has foreign writes noticed from the first subscription on.
struct DatabaseChanges: Signal {
  typealias Element = ChangeSet
  typealias Failure = Never

  let database: Database

  func subscribe<Subscriber: SignalSubscriber<ChangeSet, Never>>(_ subscriber: Subscriber) -> SignalSubscription {
    database.foreignWrites?.start(database)
    return database.delivery.emitter.subscribe(subscriber)
  }
}
