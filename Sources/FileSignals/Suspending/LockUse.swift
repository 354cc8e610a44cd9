import Synchronization

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
