import Signals

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
