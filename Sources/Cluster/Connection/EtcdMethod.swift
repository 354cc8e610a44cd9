/// A method of etcd's gateway, with the types of its request and its answer.
struct EtcdMethod<Request: Encodable & Sendable, Response: Decodable & Sendable>: Sendable {
  let path: String
}

extension EtcdMethod where Request == RangeRequest, Response == RangeResponse {
  static var range: Self { Self(path: "v3/kv/range") }
}

extension EtcdMethod where Request == TransactionRequest, Response == TransactionResponse {
  static var transaction: Self { Self(path: "v3/kv/txn") }
}

extension EtcdMethod where Request == LeaseGrantRequest, Response == LeaseResponse {
  static var grantLease: Self { Self(path: "v3/lease/grant") }
}

extension EtcdMethod where Request == LeaseRequest, Response == StreamLine<LeaseResponse> {
  static var renewLease: Self { Self(path: "v3/lease/keepalive") }
}

extension EtcdMethod where Request == LeaseRequest, Response == EmptyResponse {
  static var endLease: Self { Self(path: "v3/lease/revoke") }
}

extension EtcdMethod where Request == AuthenticateRequest, Response == AuthenticateResponse {
  static var authenticate: Self { Self(path: "v3/auth/authenticate") }
}
