import Foundation
import Signals
import Synchronization

/// Locks that exclude the threads of this process from each other, one for each file in use.
///
/// `flock` could do the same. But a thread that waits for another thread of its process should not need a descriptor,
/// and must not wait for itself.
final class ThreadLocks: Sendable {
  static let shared = ThreadLocks()

  /// The lock of one file.
  final class Turn: Sendable {
    let lock = OwnedLock()
    let descriptors: FileDescriptors
    /// The part of this process in the lock between processes.
    private let use = Atomic(LockUse.none)

    init(_ descriptors: FileDescriptors) {
      self.descriptors = descriptors
    }

    /// Records the part of this process in the lock between processes; see ``DirectoryRules/areSetNow``.
    func note(_ new: LockUse) { use.store(new, ordering: .sequentiallyConsistent) }

    /// Returns the part of this process in the lock between processes of a file, if the file is in a directory.
    func use(in directory: String) -> LockUse {
      let use = use.load(ordering: .sequentiallyConsistent)
      return use != .none && DirectoryPaths(of: descriptors.url).areIn(directory) ? use : .none
    }
  }

  private struct Entry {
    let turn: Turn
    var users = 0
    /// A Boolean value that indicates whether the holder acquired the lock for a switch.
    var isForSwitch = false
  }

  private let entries = Guarded<[FileIdentity: Entry]>([:])

  /// The result of an attempt to acquire a lock.
  enum Acquisition {
    case taken(Turn)
    /// This thread already holds the lock, for another purpose.
    case refused
    /// This thread already holds the lock, for the same switch.
    case joined
    /// Another thread holds the lock, and the caller does not wait.
    case busy
  }

  /// Waits for the lock of a file and acquires it, unless this thread already holds it.
  ///
  /// - Parameters:
  ///   - descriptors: The open files.
  ///   - isForSwitch: A Boolean value that indicates whether the contents around the file are about to be switched. The
  ///     lock is then released with the switch.
  ///   - waits: A Boolean value that determines whether to wait for another thread that holds the lock.
  /// - Returns: The result.
  func acquire(_ descriptors: FileDescriptors, isForSwitch: Bool = false, waits: Bool = true) -> Acquisition {
    let file = descriptors.key
    let (turn, refusal) = entries.withLock { entries -> (Turn, Acquisition?) in
      var entry = entries[file] ?? Entry(turn: Turn(descriptors))
      if entry.turn.lock.isHeldByThisThread {
        return (entry.turn, isForSwitch && entry.isForSwitch ? .joined : .refused)
      }
      if entry.users > 0, !waits { return (entry.turn, .busy) }
      entry.users += 1
      entries[file] = entry
      return (entry.turn, nil)
    }
    if let refusal { return refusal }
    turn.lock.lock()
    if isForSwitch { entries.withLock { $0[file]?.isForSwitch = true } }
    return .taken(turn)
  }

  // MARK: Suspensions

  /// Returns the files in a directory whose locks between processes are held or sought.
  func used(in directory: String) -> [(URL, LockUse)] {
    turns.map { ($0.descriptors.url, $0.use(in: directory)) }.filter { $0.1 != .none }
  }

  /// Returns a Boolean value that indicates whether the calling thread holds a lock in a directory, besides a given one.
  func isHeldByThisThread(in directory: String, except own: Turn? = nil) -> Bool {
    turns.contains { $0 !== own && $0.lock.isHeldByThisThread && $0.use(in: directory) == .held }
  }

  private var turns: [Turn] { entries.withLock { $0.values.map(\.turn) } }

  // MARK: Releasing

  /// Releases the lock of a file.
  ///
  /// The thread that acquired it must call this.
  func release(_ file: FileIdentity) {
    let turn = entries.withLock { entries in
      guard let index = entries.index(forKey: file) else { return nil as Turn? }
      let turn = entries.values[index].turn
      turn.note(.none)
      if entries.values[index].users == 1 {
        entries.remove(at: index)
      } else {
        entries.values[index].users -= 1
        entries.values[index].isForSwitch = false
      }
      return turn
    }
    turn?.lock.unlock()
  }
}

/// The locks of single files that this process holds, such as the lock of a log's consumer.
///
/// The locks of files that are read and written are in ``ThreadLocks``.
final class HeldLocks: Sendable {
  static let shared = HeldLocks()

  private let locks = Guarded<[CInt: (url: URL, use: LockUse)]>([:])

  /// Records that the lock of an open file is held or sought.
  func note(_ use: LockUse, _ descriptor: CInt, _ url: URL) {
    locks.withLock { $0[descriptor] = (url, use) }
  }

  /// Records that the lock of an open file is neither held nor sought any more.
  func remove(_ descriptor: CInt) {
    // The URL is released after the lock.
    locks.replace { $0.removeValue(forKey: descriptor) }
  }

  /// Returns the files in a directory whose locks are held or sought.
  func used(in directory: String) -> [(URL, LockUse)] {
    locks.withLock { Array($0.values) }.filter { DirectoryPaths(of: $0.url).areIn(directory) }
  }
}

/// The part of this process in a lock between processes.
///
/// A lock is sought before it is asked for. A suspension that finds no lock sought or held therefore knows that this
/// process gets none.
enum LockUse: UInt8, AtomicRepresentable {
  /// This process does not use the lock.
  case none

  /// A thread is about to acquire the lock, or waits for another process.
  case sought

  /// A thread holds the lock.
  case held
}
