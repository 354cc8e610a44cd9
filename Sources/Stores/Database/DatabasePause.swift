import Dispatch
import Signals

/// The time during which a database has no file, because another one is being put in its place.
final class DatabasePause: Sendable {
  private let thread = ThreadIdentity.current
  private let gate = DispatchGroup()

  /// Begins; the calling thread is the one that will end it.
  init() {
    gate.enter()
  }

  /// Lets all go on who wait.
  func end() {
    gate.leave()
  }

  /// Waits for the end.
  func wait(_ path: String) throws(DatabaseError) {
    try refuse(path)
    gate.wait()
  }

  /// Throws for the thread that swaps the files, which would wait for itself.
  func refuse(_ path: String) throws(DatabaseError) {
    if ThreadIdentity.current == thread { throw .nestedAccess(path: path, inner: "read or write", outer: "swap") }
  }
}
