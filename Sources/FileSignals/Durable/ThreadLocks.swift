import Foundation
import Signals
import Synchronization

/// Locks that exclude the threads of this process from each other, one for each file with open descriptors.
///
/// `flock` could do the same. But a thread that waits for another thread of its process should not need a descriptor,
/// and must not wait for itself.
final class ThreadLocks: Sendable {
  static let shared = ThreadLocks()

  /// The lock of one file.
  fileprivate final class Turn: Sendable {
    let lock = OwnedLock()
    /// A Boolean value that indicates whether the holder acquired the lock for a switch.
    let isForSwitch = Atomic(false)
  }

  /// The share of open files in the lock of their file.
  final class Claim: Sendable {
    fileprivate let turn: Turn
    fileprivate let file: FileIdentity
    fileprivate let url: URL
    /// The part of this process in the lock between processes.
    private let use = Atomic(LockUse.none)

    fileprivate init(_ turn: Turn, _ file: FileIdentity, _ url: URL) {
      (self.turn, self.file, self.url) = (turn, file, url)
    }

    /// Records the part of this process in the lock between processes; see ``DirectoryRules/areSetNow``.
    func note(_ new: LockUse) { use.store(new, ordering: .sequentiallyConsistent) }

    /// Returns the part of this process in the lock between processes of a file, if the file is in a directory.
    fileprivate func use(in directory: String) -> LockUse {
      let use = use.load(ordering: .sequentiallyConsistent)
      return use != .none && DirectoryPaths(of: url).areIn(directory) ? use : .none
    }
  }

  private let claims = Guarded<[FileIdentity: [Claim]]>([:])

  /// Returns the share of newly opened files in the lock of their file.
  ///
  /// - Parameters:
  ///   - file: The identity of the file that is locked.
  ///   - url: The file that is locked by it.
  /// - Returns: The share, to be given back with ``giveBack(_:)``.
  func claim(_ file: FileIdentity, of url: URL) -> Claim {
    claims.withLock { claims in
      let claim = Claim(claims[file]?.first?.turn ?? Turn(), file, url)
      claims[file, default: []].append(claim)
      return claim
    }
  }

  /// Forgets the share of files that are about to be closed.
  func giveBack(_ claim: Claim) {
    claims.withLock { claims in
      claims[claim.file]?.removeAll { $0 === claim }
      if claims[claim.file]?.isEmpty == true { claims[claim.file] = nil }
    }
  }

  // MARK: Locking

  /// The result of an attempt to acquire a lock.
  enum Acquisition {
    case taken
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
  ///   - claim: The share of the open files.
  ///   - isForSwitch: A Boolean value that indicates whether the contents around the file are about to be switched. The
  ///     lock is then released with the switch.
  ///   - waits: A Boolean value that determines whether to wait for another thread that holds the lock.
  /// - Returns: The result.
  static func acquire(_ claim: Claim, isForSwitch: Bool = false, waits: Bool = true) -> Acquisition {
    let turn = claim.turn
    if turn.lock.isHeldByThisThread {
      return isForSwitch && turn.isForSwitch.load(ordering: .relaxed) ? .joined : .refused
    }
    if waits { turn.lock.lock() } else if !turn.lock.tryLock() { return .busy }
    if isForSwitch { turn.isForSwitch.store(true, ordering: .relaxed) }
    return .taken
  }

  /// Releases the lock of a file.
  ///
  /// The thread that acquired it must call this.
  static func release(_ claim: Claim) {
    claim.note(.none)
    claim.turn.isForSwitch.store(false, ordering: .relaxed)
    claim.turn.lock.unlock()
  }

  // MARK: Suspensions

  /// Returns the files in a directory whose locks between processes are held or sought.
  func used(in directory: String) -> [(URL, LockUse)] {
    all.map { ($0.url, $0.use(in: directory)) }.filter { $0.1 != .none }
  }

  /// Returns a Boolean value that indicates whether the calling thread holds a lock in a directory, besides a given one.
  func isHeldByThisThread(in directory: String, except own: Claim? = nil) -> Bool {
    all.contains { $0 !== own && $0.turn.lock.isHeldByThisThread && $0.use(in: directory) == .held }
  }

  private var all: [Claim] { claims.withLock { $0.values.flatMap { $0 } } }
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
