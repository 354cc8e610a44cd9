import Foundation
import Signals
import Synchronization

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
