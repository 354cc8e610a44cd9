/// The time and place of the first read of a ``LiveQuery``.
public enum LiveQueryScheduling: Hashable, Sendable {
  /// The subscribing thread reads the current value, and receives it before the subscription is returned.
  case immediate

  /// The query's own queue reads and delivers the current value, so the subscribing thread never reads.
  ///
  /// Choose this for reads that take long, or for a main thread that must not wait for a disk. If the database follows a
  /// ``/AppGroups/Scope``, the thread that switches its contents still reads once.
  case async
}
