import Foundation

/// A condition of a transaction: the revision of a key's last change; 0 if the key must not exist.
struct Comparison: Sendable, Hashable, Encodable {
  var key: Data
  var modRevision: Int64

  private enum CodingKeys: String, CodingKey {
    case key, target, result
    case modRevision = "mod_revision"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(key, forKey: .key)
    try container.encode("MOD", forKey: .target)
    try container.encode("EQUAL", forKey: .result)
    // Not omitted if it is zero: the gateway needs it to know what to compare.
    try container.encode(String(modRevision), forKey: .modRevision)
  }
}

/// One step of a transaction.
enum Operation: Sendable, Encodable {
  case put(Data, value: Data, lease: Int64 = 0)
  case delete(Data, rangeEnd: Data? = nil)
  case range(RangeRequest)

  private enum CodingKeys: String, CodingKey {
    case put = "request_put"
    case delete = "request_delete_range"
    case range = "request_range"
  }

  private enum Fields: String, CodingKey {
    case key, value, lease
    case rangeEnd = "range_end"
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .put(let key, let value, let lease):
      var fields = container.nestedContainer(keyedBy: Fields.self, forKey: .put)
      try fields.encode(key, forKey: .key)
      try fields.encode(value, forKey: .value)
      try fields.encode(integer: lease, .lease)
    case .delete(let key, let rangeEnd):
      var fields = container.nestedContainer(keyedBy: Fields.self, forKey: .delete)
      try fields.encode(key, forKey: .key)
      try fields.encodeIfPresent(rangeEnd, forKey: .rangeEnd)
    case .range(let request):
      try container.encode(request, forKey: .range)
    }
  }
}

/// A compare-and-swap of any number of keys, all at one revision.
struct TransactionRequest: Sendable, Encodable {
  var compare: [Comparison] = []

  /// The steps if all comparisons hold.
  var success: [Operation] = []

  /// The steps otherwise.
  var failure: [Operation] = []
}

/// The answer to a ``TransactionRequest``.
struct TransactionResponse: Sendable, Decodable {
  var header: EtcdHeader

  /// A Boolean value that indicates whether all comparisons held.
  var succeeded: Bool

  /// The entries that each step read, in order; empty for other steps.
  var results: [[EtcdEntry]]

  private enum CodingKeys: String, CodingKey {
    case header, succeeded, responses
  }

  private struct Result: Decodable {
    var range: RangeResponse?

    private enum CodingKeys: String, CodingKey {
      case range = "response_range"
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    header = try container.decode(EtcdHeader.self, forKey: .header)
    succeeded = try container.flag(.succeeded)
    let responses = try container.decodeIfPresent([Result].self, forKey: .responses) ?? []
    results = responses.map { $0.range?.entries ?? [] }
  }

  /// Returns whether each step of a request has a result.
  func isComplete(for request: TransactionRequest) -> Bool {
    // A transaction without comparisons always succeeds.
    guard succeeded || !request.compare.isEmpty else { return false }
    return results.count == (succeeded ? request.success : request.failure).count
  }
}
