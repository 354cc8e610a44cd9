import CLibrary
import CSQLite
import FileSignals

/// A file next to a database that is touched during a migration, as long as there is progress.
///
/// Other processes that wait for the database then keep waiting, however long the migration takes. If the migrating
/// process is killed or hangs, the file is not touched any more, and the others wait only for their usual timeout.
final class MigrationMark {
  /// The path of the mark, or `nil` for a database in memory, which has no other users.
  private let path: String?
  private var lastBeat: ContinuousClock.Instant?

  init(database: String) {
    path = database == DatabaseLocation.memory.path ? nil : Self.path(database)
  }

  private static func path(_ database: String) -> String { database + "-migration" }

  /// The minimum time for which a migration may show no progress.
  static let patience = Duration.seconds(2)
  private static let interval = Duration.milliseconds(100)

  /// Returns the time since a migration of a database last made progress, or `nil` if no migration is known.
  static func age(database: String) -> Duration? {
    guard let stamp = FileStamp.ifReadable(path: path(database)) else { return nil }
    let age = FileStamp.age(of: .nanoseconds(stamp.modified))
    // The clock has been set back since then. A running migration would have touched the file again.
    return age < .zero - patience ? nil : age
  }

  /// Reports progress from time to time, while a closure runs statements on a connection.
  func keep<Result>(
    for connection: SQLiteConnection, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    beat()
    // Sound: this object outlives the closure, after which it is not called any more.
    sqlite3_progress_handler(
      connection.handle, 1000,
      { context in
        if let context { Unmanaged<MigrationMark>.fromOpaque(context).takeUnretainedValue().beat() }
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
    defer { sqlite3_progress_handler(connection.handle, 0, nil, nil) }
    return try body()
  }

  /// Reports progress.
  ///
  /// If that fails, other processes wait for their usual timeout.
  func beat() {
    guard let path else { return }
    let now = ContinuousClock.now
    if let lastBeat, now - lastBeat < Self.interval { return }
    lastBeat = now
    // Created again if it is missing: a process whose migration ended may have removed it.
    let flags = O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    guard let file = Descriptor(uninterrupted { open(path, flags, 0o600) }) else { return }
    futimens(file.number, nil)
  }

  /// Reports the end of the migration.
  func end() {
    if let path, lastBeat != nil { unlink(path) }
  }
}
