import CLibrary
import CSQLite
import Signals

/// A busy handler that waits for the locks of other connections.
///
/// SQLite's own handler sleeps for up to a tenth of a second at a time, and so misses the moments in which a busy file
/// is free. This one retries after some tens of microseconds at first, and every few milliseconds later. It waits for a
/// migration as long as that makes progress.
final class BusyWaiter {
  /// The pauses: short at first, so that no free moment is missed, and longer later, so that a long wait costs little.
  private static let backoff = Backoff.exponential(from: .microseconds(25), upTo: .microseconds(3_200), factor: 1.19)

  private let timeout: Duration
  private let path: String
  private var deadline = ContinuousClock.now

  init(timeout: Duration, path: String) {
    self.timeout = timeout
    self.path = path
  }

  /// Installs the handler on a connection, which must keep this object alive.
  func install(on handle: OpaquePointer) {
    // Sound: the connection keeps this object alive until it is closed.
    sqlite3_busy_handler(
      handle,
      { context, attempt in
        guard let context else { return 0 }
        return Unmanaged<BusyWaiter>.fromOpaque(context).takeUnretainedValue().wait(attempt) ? 1 : 0
      },
      Unmanaged.passUnretained(self).toOpaque()
    )
  }

  private func wait(_ attempt: CInt) -> Bool {
    if attempt == 0 { deadline = .now + timeout }
    guard ContinuousClock.now < deadline || isMigrating else { return false }
    let pause = Self.backoff.pause(after: Int(attempt) + 1) ?? .zero
    usleep(UInt32(pause.inSeconds * 1_000_000))
    return true
  }

  /// A Boolean value that indicates whether the file is being migrated and the migration makes progress.
  private var isMigrating: Bool {
    guard timeout > .zero, let age = MigrationMark.age(database: path) else { return false }
    return age < max(timeout, MigrationMark.patience)
  }
}
