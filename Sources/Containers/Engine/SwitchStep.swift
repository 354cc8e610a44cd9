/// A step of a change of a root, at which tests end the process.
package enum SwitchStep: Sendable, Hashable {
  /// Memory was written down for the environment that goes.
  case flushed
  /// The intent is on the disk.
  case journalled
  /// One entry has left the root, has arrived in it, or was moved back.
  case left, arrived, returned
  /// The moves are on the disk.
  case synchronized
  /// The settings and cookies of the new environment are loaded.
  case loaded
  /// The state says so: the one step that decides.
  case committed
  /// The copy of the state says so, too.
  case backedUp
  /// The journal is gone.
  case finished
}
