/// A process that is present in a cluster, or takes part in an election, with the value that it announces.
public struct ClusterMember<Value: Sendable>: Sendable, Identifiable {
  /// The unique identifier of the announcement.
  public let id: String

  /// The announced value.
  public let value: Value

  /// The revision at which the process announced itself.
  ///
  /// In an election it is the fencing token: each leader has a larger one than the leaders before.
  public let revision: Int64
}

extension ClusterMember: Equatable where Value: Equatable {}

extension ClusterMember: Hashable where Value: Hashable {}
