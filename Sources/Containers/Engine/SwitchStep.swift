/// A step of a change of a root, at which tests can end the process.
package enum SwitchStep: Sendable, Hashable {
  /// Unsaved state was written for the old environment.
  case flushed
  /// The journal is on the disk.
  case journalled
  /// One entry has left the root, has arrived in it, or was moved back.
  case left, arrived, returned
  /// The moves are on the disk.
  case synchronized
  /// The settings and cookies of the new environment are loaded.
  case loaded
  /// The new state is in place, which is the step that decides.
  case committed
  /// The backup of the state is in place, too.
  case backedUp
  /// The journal is removed.
  case finished
}
