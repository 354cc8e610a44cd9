import Dispatch
import Signals

/// The time during which a database has no file, because another one is being put in its place.
///
/// The thread that makes it is the one that will end it.
final class DatabasePause: Sendable {
  private let thread = ThreadIdentity.current
  private let gate = DispatchSemaphore(value: 0)

  /// Lets all go on who wait.
  func end() {
    gate.signal()
  }

  /// Waits for the end.
  func wait(_ path: String) throws(DatabaseError) {
    try refuse(path)
    // Each lets the next one pass.
    gate.wait()
    gate.signal()
  }

  /// Throws for the thread that swaps the files, which would wait for itself.
  func refuse(_ path: String) throws(DatabaseError) {
    if ThreadIdentity.current == thread { throw .nestedAccess(path: path, inner: "read or write", outer: "swap") }
  }
}

/// The pause that a database is in, if it is in one.
final class DatabasePauses: @unchecked Sendable {  // Sound: guarded by the lock.
  private let lock = Lock()
  private var pause: DatabasePause?

  func begin(_ pause: DatabasePause) {
    lock.withLock { self.pause = pause }
  }

  func end() -> DatabasePause? {
    lock.withLock {
      defer { pause = nil }
      return pause
    }
  }
}
