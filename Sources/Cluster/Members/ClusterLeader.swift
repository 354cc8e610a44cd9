import Foundation
public import Signals

/// An election among the processes of all machines: one of the candidates leads at a time.
///
/// The candidate that announced itself first leads. If it resigns, ends, or loses the cluster for
/// ``ClusterOptions/sessionTime``, the next one leads.
///
/// - **Loss.** A leader that cannot renew its session stops leading, by its own clock, before the cluster lets the next
///   one lead.
/// - **Fencing.** A leader that was suspended may act for a moment after another has taken its place. Pass
///   ``ClusterMember/revision`` to the systems that the leader writes to, and let them refuse smaller ones.
public final class ClusterLeader<Value: Codable & Sendable>: Sendable {
  /// The leader.
  ///
  /// It is `nil` if there is no candidate, if the cluster has not answered yet, or if the value of the leader cannot be
  /// decoded.
  public let leader: Property<ClusterMember<Value>?>

  /// The relation of ``leader`` to the cluster.
  public let status: Property<SharedValueStatus<ClusterError>>

  private let core: RangeCore

  /// Follows an election, without waiting for the cluster.
  ///
  /// - Parameters:
  ///   - name: The name of the election; any string is allowed.
  ///   - cluster: The namespace.
  public convenience init(name: String, cluster: EtcdCluster) {
    self.init(name: name, cluster: cluster, kind: "leader")
  }

  init(name: String, cluster: EtcdCluster, kind: String) {
    let prefix = cluster.watch.namespace.members(of: kind, name)
    let core = RangeCore(prefix: prefix, name: name, cluster: cluster)
    self.core = core
    leader = .derived(Property(core.entries, keeping: core)) { [place = core.place] in
      MemberList.first(in: $0, as: Value.self, place: place)
    }
    status = core.status
  }

  /// Makes this process a candidate, until the candidacy is resigned or released.
  ///
  /// - Parameter value: The value that the candidate announces, such as its address.
  /// - Returns: The candidacy. Keep it.
  /// - Throws: ``ClusterError`` if the value cannot be encoded or stored.
  public func campaign(_ value: Value) async throws -> ClusterCandidacy {
    let limit = core.cluster.connection.options.maximumValueSize
    let membership = Membership(in: core, value: try ValueCoding.encode(value, key: core.place, limit: limit))
    try await membership.announce()
    return ClusterCandidacy(membership, in: core)
  }
}

/// The candidacy of this process in an election.
public final class ClusterCandidacy: Sendable {
  /// The fencing token while this process leads; `nil` while it does not.
  ///
  /// Each leader has a larger token than the leaders before.
  public let leadership: Property<Int64?>

  private let membership: Membership

  init(_ membership: Membership, in core: RangeCore) {
    self.membership = membership
    let key = Property(membership.key, keeping: membership)
    leadership = .derived(key, Property(core.entries, keeping: core)) { key, entries in
      guard let key, let first = MemberList.first(in: entries) else { return nil }
      return first.value.key == key ? first.value.createRevision : nil
    }
  }

  /// Ends the candidacy, and with it the leadership.
  ///
  /// If the task is cancelled, or if the cluster does not answer, the removal continues in the background until it has
  /// succeeded or the session is over.
  public func resign() async {
    await membership.withdraw()
  }
}
