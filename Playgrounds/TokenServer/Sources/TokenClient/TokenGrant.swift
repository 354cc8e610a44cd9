/// The answer of the server to a login and to the renewal of a token.
public struct TokenGrant: Codable, Sendable {
  /// The user who is logged in.
  public let user: String
  /// The token to send with the next request.
  public let token: String
  /// The number of seconds for which the token is valid.
  public let lifetime: Double

  /// Creates an answer.
  ///
  /// - Parameters:
  ///   - user: The user who is logged in.
  ///   - token: The token to send with the next request.
  ///   - lifetime: The number of seconds for which the token is valid.
  public init(user: String, token: String, lifetime: Double) {
    (self.user, self.token, self.lifetime) = (user, token, lifetime)
  }
}
