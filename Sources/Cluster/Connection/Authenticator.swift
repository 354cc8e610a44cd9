import Signals

/// Obtains the token of a user, once for all calls that need it.
final class Authenticator: Sendable {
  typealias Outcome = Result<String?, CallFailure>

  private struct State {
    /// The token; `nil` if there is none yet or the cluster demands none.
    var token: String?
    var isKnown = false
    var flight: Task<Outcome, Never>?
  }

  /// A token, or a request without one, that a member has refused.
  struct Refused {
    let token: String?
  }

  let credentials: ClusterCredentials?
  private let state = Guarded(State())

  init(_ credentials: ClusterCredentials?) {
    self.credentials = credentials
  }

  /// Returns the token, or requests one.
  ///
  /// - Parameters:
  ///   - refused: The token that a member has refused, which is not returned again.
  ///   - request: A closure that asks a member for a token.
  /// - Returns: The token; `nil` if the cluster demands none.
  /// - Throws: The failure of the request.
  func token(
    exceptFor refused: Refused? = nil,
    _ request: @escaping @Sendable (AuthenticateRequest) async throws(CallFailure) -> AuthenticateResponse
  ) async throws(CallFailure) -> String? {
    guard let credentials else { return nil }
    let flight = state.withLock { state -> Task<Outcome, Never>? in
      if state.isKnown, refused.map({ $0.token != state.token }) ?? true { return nil }
      if let flight = state.flight { return flight }
      state.isKnown = false
      let flight = Task { await self.request(credentials, request) }
      state.flight = flight
      return flight
    }
    guard let flight else { return state.withLock { $0.token } }
    return try await flight.value.get()
  }

  private func request(
    _ credentials: ClusterCredentials,
    _ request: @Sendable (AuthenticateRequest) async throws(CallFailure) -> AuthenticateResponse
  ) async -> Outcome {
    let outcome: Outcome
    do throws(CallFailure) {
      let response = try await request(AuthenticateRequest(name: credentials.user, password: credentials.password))
      outcome = .success(response.token)
    } catch {
      if case .refused(_, let failure) = error, failure.isAuthenticationOff {
        outcome = .success(nil)
      } else {
        outcome = .failure(error)
      }
    }
    state.withLock { state in
      state.flight = nil
      if case .success(let token) = outcome { (state.token, state.isKnown) = (token, true) }
    }
    return outcome
  }
}

/// A request for a token.
struct AuthenticateRequest: Sendable, Encodable {
  var name: String
  var password: String
}

/// A token for later requests.
struct AuthenticateResponse: Sendable, Decodable {
  var token: String
}
