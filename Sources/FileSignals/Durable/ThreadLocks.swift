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
    /// Whether the thread that has the turn took it for a swap; only that thread looks.
    var isForSwap = false
  }

  private let lock = Lock()
  private var entries: [FileIdentity: Entry] = [:]

  /// What came of asking for a turn.
  enum Acquisition {
    case taken
    /// This very thread has it already, for something else.
    case refused
    /// This very thread has it already, for the same swap.
    case joined
    /// Another thread has it, and the caller does not wait.
    case busy
  }

  /// Waits for the file's turn and takes it, unless this very thread has it.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - isForSwap: Whether the contents around the file are about to be swapped, together with which the turn is given
  ///     up.
  ///   - waits: Whether to wait for another thread that has the turn.
  /// - Returns: What came of it.
  func acquire(_ file: FileIdentity, isForSwap: Bool = false, waits: Bool = true) -> Acquisition {
    var owned: Entry?
    var isBusy = false
    let entry = lock.withLock {
      let entry = entries[file, default: Entry()]
      if entry.turn.isHeldByThisThread {
        owned = entry
      } else if entry.users > 0, !waits {
        isBusy = true
      } else {
        entry.users += 1
        entries[file] = entry
      }
      return entry
    }
    if let owned { return isForSwap && owned.isForSwap ? .joined : .refused }
    if isBusy { return .busy }
    entry.turn.lock()
    entry.isForSwap = isForSwap
    return .taken
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
