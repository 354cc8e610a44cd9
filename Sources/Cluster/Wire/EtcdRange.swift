import Foundation

/// A request for one key, or for all keys of a range.
struct RangeRequest: Sendable, Encodable {
  var key: Data

  /// The first key after the range; `nil` for one key.
  var rangeEnd: Data?

  /// The revision to read at; 0 for the newest one.
  var revision: Int64 = 0

  /// The largest number of keys to return; 0 for no limit.
  var limit: Int64 = 0

  /// A Boolean value that determines whether only the number of keys is returned.
  var countOnly = false

  private enum CodingKeys: String, CodingKey {
    case key, revision, limit
    case rangeEnd = "range_end"
    case countOnly = "count_only"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(key, forKey: .key)
    try container.encodeIfPresent(rangeEnd, forKey: .rangeEnd)
    try container.encode(integer: revision, .revision)
    try container.encode(integer: limit, .limit)
    try container.encode(flag: countOnly, .countOnly)
  }
}

/// The answer to a ``RangeRequest``.
struct RangeResponse: Sendable, Decodable {
  var header: EtcdHeader
  var entries: [EtcdEntry]

  /// A Boolean value that indicates whether the range has more keys than the limit.
  var hasMore: Bool

  private enum CodingKeys: String, CodingKey {
    case header, kvs, more
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    // The answers inside a transaction have no header of their own.
    header = try container.decodeIfPresent(EtcdHeader.self, forKey: .header) ?? EtcdHeader()
    entries = try container.decodeIfPresent([EtcdEntry].self, forKey: .kvs) ?? []
    hasMore = try container.flag(.more)
  }
}

/// A stored key with its value and revisions.
struct EtcdEntry: Sendable, Hashable, Decodable {
  var key: Data

  /// The revision at which the key was created; 0 in the event of a deletion.
  var createRevision: Int64

  /// The revision of the last change.
  var modRevision: Int64

  var value: Data

  /// The lease that the key is bound to; 0 if there is none.
  var lease: Int64

  private enum CodingKeys: String, CodingKey {
    case key, value, lease
    case createRevision = "create_revision"
    case modRevision = "mod_revision"
  }

  init(key: Data, createRevision: Int64 = 0, modRevision: Int64, value: Data = Data(), lease: Int64 = 0) {
    self.key = key
    self.createRevision = createRevision
    self.modRevision = modRevision
    self.value = value
    self.lease = lease
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    key = try container.decodeIfPresent(Data.self, forKey: .key) ?? Data()
    createRevision = try container.revision(.createRevision)
    modRevision = try container.revision(.modRevision)
    value = try container.decodeIfPresent(Data.self, forKey: .value) ?? Data()
    lease = try container.integer(.lease)
  }
}

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
    revision = try container.revision(.revision)
  }
}
