import Signals

/// The locks that keep the threads of this process apart, one for each file in use.
///
/// `flock` would do that too, but a thread that waits for another one of its own process should neither hold a
/// descriptor for each nor be able to wait for itself.
final class ThreadLocks: @unchecked Sendable {  // Sound: `entries` and how many use them are guarded by `lock`.
  static let shared = ThreadLocks()

  private final class Entry {
    let turn = OwnedLock()
    var users = 0
  }

  private let lock = Lock()
  private var entries: [FileIdentity: Entry] = [:]

  /// Waits for the file's turn and takes it.
  ///
  /// - Returns: Whether it was taken; not if this very thread has it.
  func acquire(_ file: FileIdentity) -> Bool {
    let found: Entry? = lock.withLock {
      let entry = entries[file, default: Entry()]
      if entry.turn.isHeldByThisThread { return nil }
      entry.users += 1
      entries[file] = entry
      return entry
    }
    guard let entry = found else { return false }
    entry.turn.lock()
    return true
  }

  /// Gives the file's turn up; to be called by the thread that took it.
  func release(_ file: FileIdentity) {
    lock.lock()
    let entry = entries[file]
    entry?.users -= 1
    if entry?.users == 0 { entries[file] = nil }
    lock.unlock()
    entry?.turn.unlock()
  }
}
