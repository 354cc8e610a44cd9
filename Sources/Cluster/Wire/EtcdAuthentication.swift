/// A request for a token.
struct AuthenticateRequest: Sendable, Encodable {
  var name: String
  var password: String
}

/// A token for later requests.
struct AuthenticateResponse: Sendable, Decodable {
  var token: String
}
