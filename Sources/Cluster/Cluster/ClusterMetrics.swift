/// Figures of the connection of a namespace.
public struct ClusterMetrics: Sendable, Hashable {
  /// The number of times that the connection was re-established.
  public var reconnects = 0

  /// The revision up to which all changes have been delivered.
  public var revision: Int64 = 0

  /// The number of revisions that the member knew and that had not been delivered with its last message.
  public var lag: Int64 = 0

  /// The number of bytes that the watch has received.
  public var receivedBytes = 0

  init() {}
}
