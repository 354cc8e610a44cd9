/// The failure of one attempt at one endpoint.
enum CallFailure: Error, Sendable, Hashable {
  /// The member has certainly not received the request.
  case unsent(Endpoint, reason: String)

  /// The member may have received the request.
  case broken(Endpoint, reason: String)

  /// The member answered with an error.
  case refused(Endpoint, EtcdFailure)

  /// The answer does not come from a member of a cluster.
  case unexpected(Endpoint, status: Int)

  var endpoint: Endpoint {
    switch self {
    case .unsent(let endpoint, _), .broken(let endpoint, _), .refused(let endpoint, _), .unexpected(let endpoint, _):
      endpoint
    }
  }

  /// A Boolean value that indicates whether the request certainly had no effect.
  var isWithoutEffect: Bool {
    switch self {
    case .unsent: true
    case .broken: false
    case .unexpected(_, let status): (300..<500).contains(status)
    case .refused(_, let failure): !failure.isAboutContact || failure.isTemporaryRefusal
    }
  }

  /// A Boolean value that indicates whether another attempt may succeed.
  var mayPass: Bool {
    switch self {
    case .unsent, .broken: true
    // The answer of a proxy whose member is away.
    case .unexpected(_, let status): status >= 500
    case .refused(_, let failure): failure.isTemporaryRefusal || failure.isAboutContact
    }
  }

  /// The reason, as a clause.
  var reason: String {
    switch self {
    case .unsent(let endpoint, let reason), .broken(let endpoint, let reason): "\(endpoint.name): \(reason)"
    case .unexpected(let endpoint, let status): "\(endpoint.name): status \(status) with content that is not etcd's"
    case .refused(let endpoint, let failure): "\(endpoint.name): \(failure.message)"
    }
  }
}
