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
