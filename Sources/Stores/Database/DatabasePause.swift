import Dispatch
import FileSignals
import Signals

/// The time during which a database has no open file, because the file is being switched or closed.
///
/// The thread that creates it must also end it.
final class DatabasePause: Sendable {
  private let thread = ThreadIdentity.current
  private let gate = DispatchSemaphore(value: 0)

  /// A Boolean value that indicates whether the calling thread switches the files.
  var isOfThisThread: Bool { ThreadIdentity.current == thread }

  /// Ends the pause, so that all waiting threads continue.
  func end() {
    gate.signal()
  }

  /// Waits for the end of the pause.
  func wait(_ path: String) throws(DatabaseError) {
    try refuse(path)
    // Each waiting thread wakes the next one.
    gate.wait()
    gate.signal()
  }

  /// Throws an error on the thread that switches the files, which would wait for itself.
  func refuse(_ path: String) throws(DatabaseError) {
    if isOfThisThread { throw .nestedAccess(path: path, inner: "read or write", outer: "switch") }
  }
}

/// The lock for switching or closing the file of a database.
///
/// Both operations wait for all readers and admit no new ones, so two at a time would deadlock. This lock is acquired
/// before the locks of writers and readers, and a thread that holds one of those never waits for it.
final class DatabasePauses: Sendable {
  private let turn = OwnedLock()
  private let pause = Guarded<DatabasePause?>(nil)

  /// A Boolean value that indicates whether the calling thread is switching the file.
  var isHeldByThisThread: Bool { turn.isHeldByThisThread }

  /// Acquires the lock, and begins a pause, which the same thread must end.
  ///
  /// - Parameter patience: The longest time to wait, or `nil` to wait as long as it takes.
  /// - Returns: The pause, or `nil` if another thread still switches or closes the file.
  func begin(within patience: Duration?) -> DatabasePause? {
    guard turn.lock(within: patience) else { return nil }
    let pause = DatabasePause()
    self.pause.withLock { $0 = pause }
    return pause
  }

  /// The pause that the calling thread has begun.
  var pauseOfThisThread: DatabasePause? { isHeldByThisThread ? pause.withLock { $0 } : nil }

  /// Ends the pause of the calling thread, and releases the lock.
  func end() {
    pause.withLock { $0.take() }?.end()
    turn.unlock()
  }

  /// Runs a closure with the lock held.
  func withTurn(_ body: () -> Void) {
    turn.withLock(body)
  }
}
