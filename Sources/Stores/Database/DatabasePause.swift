import Dispatch
import Signals

/// The time during which a database has no file, because another one is being put in its place.
///
/// The thread that makes it is the one that will end it.
final class DatabasePause: Sendable {
  private let thread = ThreadIdentity.current
  private let gate = DispatchSemaphore(value: 0)

  /// A Boolean value that indicates whether the calling thread swaps the files.
  var isOfThisThread: Bool { ThreadIdentity.current == thread }

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
    if isOfThisThread { throw .nestedAccess(path: path, inner: "read or write", outer: "swap") }
  }
}

/// The turn for swapping the file of a database, or closing it.
///
/// Both wait for all readers and admit no new ones, so two at a time would deadlock. The turn is taken before the turns
/// of writers and readers, and a thread in one of these never waits for it.
final class DatabasePauses: Sendable {
  private let turn = OwnedLock()
  private let pause = Guarded<DatabasePause?>(nil)

  /// A Boolean value that indicates whether the calling thread is swapping the file.
  var isHeldByThisThread: Bool { turn.isHeldByThisThread }

  /// Waits for the turn, and begins a pause, which the same thread must end.
  func begin() -> DatabasePause {
    turn.lock()
    let pause = DatabasePause()
    self.pause.withLock { $0 = pause }
    return pause
  }

  /// Ends the pause of the calling thread, and its turn.
  func end() {
    pause.withLock { $0.take() }?.end()
    turn.unlock()
  }

  /// Waits for the turn, and runs a closure in it.
  func withTurn(_ body: () -> Void) {
    turn.withLock(body)
  }
}
