public import Foundation
public import Contexts

/// A user whose token is a secret.
public struct Account: SessionUser {
  /// The identity, which is also the name.
  public let id: String
  /// The date at which the token expires.
  public var expiration: Date?
  /// The token, which is not encoded: the archive must not contain it.
  public var token = ""

  private enum CodingKeys: String, CodingKey { case id, expiration }

  /// Creates a user from the answer of the server.
  init(_ grant: TokenGrant) {
    (id, token) = (grant.user, grant.token)
    expiration = Date(timeIntervalSinceNow: grant.lifetime)
  }

  /// The token, kept in a file that only the user of the system can read.
  public var secret: Data? {
    get { Data(token.utf8) }
    set { token = newValue.map { String(decoding: $0, as: UTF8.self) } ?? "" }
  }
}
