import Foundation
import Signals

/// The locks of single files that this process holds, such as the lock of a log's consumer.
///
/// The locks of files that are read and written are in ``ThreadLocks``.
final class HeldLocks: Sendable {
  static let shared = HeldLocks()

  private let locks = Guarded<[CInt: URL]>([:])

  /// Records that the lock of an open file is held.
  func add(_ descriptor: CInt, _ url: URL) {
    locks.withLock { $0[descriptor] = url }
  }

  /// Records that the lock of an open file is no longer held.
  func remove(_ descriptor: CInt) {
    // The URL is released after the lock.
    locks.replace { $0.removeValue(forKey: descriptor) }
  }

  /// Returns the files in a directory whose locks are held.
  func held(in directory: String) -> [URL] {
    locks.withLock { Array($0.values) }.filter { DirectoryPaths(of: $0).areIn(directory) }
  }
}
