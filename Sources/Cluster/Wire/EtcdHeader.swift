/// The part that all answers of etcd have in common.
struct EtcdHeader: Sendable, Hashable, Decodable {
  /// The identity of the cluster.
  var clusterID: UInt64 = 0

  /// The identity of the member that answered.
  var memberID: UInt64 = 0

  /// The revision of the whole store when the member answered.
  var revision: Int64 = 0

  private enum CodingKeys: String, CodingKey {
    case clusterID = "cluster_id"
    case memberID = "member_id"
    case revision
  }

  init(clusterID: UInt64 = 0, memberID: UInt64 = 0, revision: Int64 = 0) {
    (self.clusterID, self.memberID, self.revision) = (clusterID, memberID, revision)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    clusterID = try container.identity(.clusterID)
    memberID = try container.identity(.memberID)
    revision = try container.integer(.revision)
  }
}
