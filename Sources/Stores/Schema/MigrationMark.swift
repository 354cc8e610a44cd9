import FileSignals
import Foundation

#if canImport(SQLite3)
  import SQLite3
#else
  import CSQLite
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A file beside a database that is written into while the database is being migrated, as long as there is progress.
///
/// Others who wait for the database meanwhile go on to wait, however long that takes. If the process is killed, or
/// hangs, the file is not written into any more, and they wait no longer than they would have.
final class MigrationMark {
  /// `nil` for a database in memory, which nobody else has.
  private let path: String?
  private var lastBeat: ContinuousClock.Instant?

  init(database: String) {
    path = database == DatabaseLocation.memory.path ? nil : Self.path(database)
  }

  private static func path(_ database: String) -> String { database + "-migration" }

  /// For how long a migration may show no progress, at least.
  static let patience = Duration.seconds(2)
  private static let interval = Duration.milliseconds(100)

  /// How long ago a migration of a database has made progress; `nil` if there is none.
  static func age(database: String) -> Duration? {
    guard let stamp = FileStamp(path: path(database)) else { return nil }
    let age = Duration.nanoseconds(Int64(Date().timeIntervalSince1970 * 1e9) - stamp.modified)
    // The clock has been set back since then: whoever it was would have said so again by now.
    return age < .zero - patience ? nil : age
  }

  /// Says now and then that a connection goes on, while a closure runs statements on it.
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

  /// Says that the migration goes on; should that fail, others wait as long as they would have.
  private func beat() {
    guard let path else { return }
    let now = ContinuousClock.now
    if let lastBeat, now - lastBeat < Self.interval { return }
    lastBeat = now
    // Made anew if it is not there: somebody whose migration has ended may have taken it for his own.
    let flags = O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    guard let file = Descriptor(uninterrupted { open(path, flags, 0o600) }) else { return }
    futimens(file.number, nil)
  }

  /// Says that the migration is over.
  func end() {
    if let path, lastBeat != nil { unlink(path) }
  }
}
