/// A request for a lease.
struct LeaseGrantRequest: Sendable, Encodable {
  /// The time to live in seconds.
  var seconds: Int64

  private enum CodingKeys: String, CodingKey {
    case seconds = "TTL"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(integer: seconds, .seconds)
  }
}

/// A request that names a lease: to renew it or to end it.
struct LeaseRequest: Sendable, Encodable {
  var id: Int64

  private enum CodingKeys: String, CodingKey {
    case id = "ID"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(integer: id, .id)
  }
}

/// A granted or renewed lease.
struct LeaseResponse: Sendable, Decodable {
  var id: Int64

  /// The time to live in seconds; 0 if the lease has expired.
  var seconds: Int64

  private enum CodingKeys: String, CodingKey {
    case id = "ID"
    case seconds = "TTL"
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.integer(.id)
    seconds = try container.integer(.seconds)
  }
}

/// An answer without content that matters.
struct EmptyResponse: Sendable, Decodable {}
