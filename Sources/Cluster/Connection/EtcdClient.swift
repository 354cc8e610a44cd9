import Foundation
import Signals

/// Calls the members of a cluster: chooses the endpoint, authenticates, and classifies failures.
final class EtcdClient: Sendable {
  let endpoints: [Endpoint]
  let options: ClusterOptions
  let authenticator: Authenticator
  private let transport: any ClusterTransport

  /// The index of the endpoint that answered last.
  private let current = Guarded(0)

  init(
    endpoints: [Endpoint], credentials: ClusterCredentials?, transport: any ClusterTransport, options: ClusterOptions
  ) {
    self.endpoints = endpoints
    self.transport = transport
    self.options = options
    authenticator = Authenticator(credentials)
  }

  // MARK: Endpoints

  /// The endpoint for the next attempt.
  var endpoint: Endpoint { endpoints[current.withLock { $0 }] }

  /// Chooses another endpoint after a failure.
  func rotate(from endpoint: Endpoint) {
    current.withLock { current in
      if endpoints[current] == endpoint { current = (current + 1) % endpoints.count }
    }
  }

  // MARK: One attempt

  /// Calls a method at one endpoint, and renews the token if the member refuses it.
  func attempt<Request, Response>(
    _ method: EtcdMethod<Request, Response>, _ request: Request, at endpoint: Endpoint, for time: Duration
  ) async throws(CallFailure) -> Response {
    let token = try await token(at: endpoint)
    do throws(CallFailure) {
      return try await send(method, request, token: token, to: endpoint, for: time)
    } catch {
      guard case .refused(_, let failure) = error, failure.isAboutToken, authenticator.credentials != nil else {
        throw error
      }
      let newToken = try await self.token(exceptFor: Authenticator.Refused(token: token), at: endpoint)
      return try await send(method, request, token: newToken, to: endpoint, for: time)
    }
  }

  /// Opens a watch at an endpoint.
  func stream(_ request: WatchRequest, at endpoint: Endpoint) async throws(CallFailure)
    -> AnySignal<Data, ClusterTransportError>
  {
    let token = try await token(at: endpoint)
    let body = try encoded(request, for: endpoint)
    return transport.stream(
      ClusterRequest(url: endpoint.url(of: "v3/watch"), headers: headers(token), body: body, timeout: .seconds(0)))
  }

  private func token(
    exceptFor refused: Authenticator.Refused? = nil, at endpoint: Endpoint
  ) async throws(CallFailure) -> String? {
    do throws(CallFailure) {
      return try await authenticator.token(exceptFor: refused) { [self] request throws(CallFailure) in
        try await send(.authenticate, request, token: nil, to: endpoint, for: options.attemptTime)
      }
    } catch {
      // The request itself has not been sent.
      if case .broken(let endpoint, let reason) = error { throw .unsent(endpoint, reason: reason) }
      throw error
    }
  }

  private func headers(_ token: String?) -> [String: String] {
    // The gateway passes the second field on: a member without a leader then ends a watch instead of staying silent.
    var headers = ["Content-Type": "application/json", "Grpc-Metadata-Hasleader": "true"]
    headers["Authorization"] = token
    return headers
  }

  private func encoded(_ request: some Encodable, for endpoint: Endpoint) throws(CallFailure) -> Data {
    do {
      return try JSONEncoder().encode(request)
    } catch {
      throw .unsent(endpoint, reason: "the request cannot be encoded: \(error)")
    }
  }

  private func send<Request, Response>(
    _ method: EtcdMethod<Request, Response>, _ request: Request, token: String?, to endpoint: Endpoint,
    for time: Duration
  ) async throws(CallFailure) -> Response {
    let request = ClusterRequest(
      url: endpoint.url(of: method.path), headers: headers(token), body: try encoded(request, for: endpoint),
      timeout: time)
    let result = await within(time) { [transport] () -> Result<ClusterResponse, ClusterTransportError> in
      do throws(ClusterTransportError) {
        return .success(try await transport.call(request))
      } catch {
        return .failure(error)
      }
    }
    switch result {
    case nil: throw .broken(endpoint, reason: "no answer within \(time)")
    case .failure(let error)?:
      throw error.isUnsent ? .unsent(endpoint, reason: error.reason) : .broken(endpoint, reason: error.reason)
    case .success(let response)?: return try decoded(response, from: endpoint)
    }
  }

  private func decoded<Response: Decodable>(
    _ response: ClusterResponse, from endpoint: Endpoint
  ) throws(CallFailure) -> Response {
    let decoder = JSONDecoder()
    do {
      guard response.status == 200 else {
        let failure = try decoder.decode(EtcdFailure.self, from: response.body)
        throw CallFailure.refused(endpoint, failure)
      }
      return try decoder.decode(Response.self, from: response.body)
    } catch let error as CallFailure {
      throw error
    } catch {
      throw .unexpected(endpoint, status: response.status)
    }
  }
}

extension EtcdClient {
  /// Calls a method that changes nothing, at one endpoint after the other, until one answers or the deadline is over.
  ///
  /// - Parameters:
  ///   - method: The method.
  ///   - request: The request.
  ///   - key: The key or namespace that errors name.
  ///   - end: The instant to give up at; by default the deadline of the options.
  /// - Returns: The answer.
  /// - Throws: An error if no endpoint answers before the deadline, or if one refuses the request.
  func read<Request, Response>(
    _ method: EtcdMethod<Request, Response>, _ request: Request, for key: String,
    before end: ContinuousClock.Instant? = nil
  ) async throws(ClusterError) -> Response {
    let end = end ?? .now + options.deadline
    var pauses = EndpointPauses(options.backoff, endpoints: endpoints.count)
    while true {
      let endpoint = endpoint
      do throws(CallFailure) {
        let time = min(options.attemptTime, ContinuousClock.now.duration(to: end))
        return try await attempt(method, request, at: endpoint, for: time)
      } catch {
        guard error.mayPass else { throw self.error(error, key: key) }
        rotate(from: endpoint)
        let wait = pauses.next()
        guard !Task.isCancelled, ContinuousClock.now + wait < end, await pause(wait) else {
          throw self.error(error, key: key)
        }
      }
    }
  }

  /// Makes a transaction, and repeats it as ``read(_:_:for:before:)`` does.
  ///
  /// - Parameters:
  ///   - request: The transaction, which may be made more than once.
  ///   - key: The key or namespace that errors name.
  ///   - end: The instant to give up at; by default the deadline of the options.
  /// - Returns: The answer, with a result for each step.
  /// - Throws: The errors of a read, or an error if the answer lacks results.
  func transaction(
    _ request: TransactionRequest, for key: String, before end: ContinuousClock.Instant? = nil
  ) async throws(ClusterError) -> TransactionResponse {
    let response: TransactionResponse = try await read(.transaction, request, for: key, before: end)
    guard response.isComplete(for: request) else { throw error(.unexpected(endpoint, status: 200), key: key) }
    return response
  }

  /// Returns the public form of a failure.
  func error(_ failure: CallFailure, key: String) -> ClusterError {
    let user = authenticator.credentials?.user
    switch failure {
    case .unsent, .broken:
      return .unreachable(endpoints: endpoints.map(\.name), reason: failure.reason)
    case .unexpected(let endpoint, let status):
      let reason = "status \(status) with content that is not etcd's"
      return .unexpectedAnswer(endpoint: endpoint.name, reason: reason)
    case .refused(let endpoint, let refusal):
      if refusal.refusesCredentials || refusal.isAboutToken {
        return .unauthenticated(endpoint: endpoint.name, user: user, reason: refusal.message)
      }
      if refusal.code == EtcdFailure.permissionDenied { return .forbidden(key: key, user: user) }
      if failure.mayPass { return .unreachable(endpoints: endpoints.map(\.name), reason: failure.reason) }
      return .refused(endpoint: endpoint.name, code: refusal.code, message: refusal.message)
    }
  }
}

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
