import Signals

/// The locks that keep the threads of this process apart, one for each file in use.
///
/// `flock` would do that too, but a thread that waits for another one of its own process should neither hold a
/// descriptor for each nor be able to wait for itself.
final class ThreadLocks: Sendable {
  static let shared = ThreadLocks()

  /// The turn of the threads at a file.
  private final class Turn: Sendable {
    let lock = OwnedLock()
  }

  private struct Entry {
    let turn = Turn()
    var users = 0
    /// Whether the thread that has the turn took it for a swap.
    var isForSwap = false
  }

  private let entries = Guarded<[FileIdentity: Entry]>([:])

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
    let (turn, refusal) = entries.withLock { entries -> (Turn, Acquisition?) in
      var entry = entries[file] ?? Entry()
      if entry.turn.lock.isHeldByThisThread {
        return (entry.turn, isForSwap && entry.isForSwap ? .joined : .refused)
      }
      if entry.users > 0, !waits { return (entry.turn, .busy) }
      entry.users += 1
      entries[file] = entry
      return (entry.turn, nil)
    }
    if let refusal { return refusal }
    turn.lock.lock()
    if isForSwap { entries.withLock { $0[file]?.isForSwap = true } }
    return .taken
  }

  /// Gives the file's turn up; to be called by the thread that took it.
  func release(_ file: FileIdentity) {
    let turn = entries.withLock { entries in
      let turn = entries[file]?.turn
      entries[file]?.users -= 1
      entries[file]?.isForSwap = false
      if entries[file]?.users == 0 { entries[file] = nil }
      return turn
    }
    turn?.lock.unlock()
  }
}
