/// A step of the suspension of a directory, or of its end.
package enum SuspensionStep: Sendable {
  /// Locks for longer than one operation are refused.
  case preparing

  /// An object is about to end its long work, or has ended it.
  case endingWork, endedWork

  /// All locks are refused.
  case suspended

  /// An object is about to release its locks, or has released them.
  case releasing, released

  /// No lock of this process is held in the directory.
  case unlocked

  /// Locks are allowed again.
  case opened

  /// An object is about to continue, or has continued.
  case resuming, resumed
}
