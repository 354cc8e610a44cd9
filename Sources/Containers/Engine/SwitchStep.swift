/// Where a change of a root is, for tests that end the process there.
package enum SwitchStep: Sendable, Hashable {
  /// Memory was written down for the environment that goes.
  case flushed
  /// The intent is on the disk.
  case journalled
  /// One entry has left the root, has arrived in it, or was moved back.
  case left, arrived, returned
  /// The moves are on the disk.
  case synchronized
  /// Settings and cookies are those of the new environment.
  case loaded
  /// The state says so: the one step that decides.
  case committed
  /// The copy of the state says so, too.
  case backedUp
  /// The journal is gone.
  case finished
}
