public import Foundation
public import SignalsKit

/// A user whose token is a secret.
public struct Account: SessionUser {
  /// The identity, which is also the name.
  public let id: String
  /// The date at which the token expires.
  public var expiration: Date?
  /// The token, which is not encoded: the archive must not contain it.
  var token = ""

  private enum CodingKeys: String, CodingKey { case id, expiration }

  /// Creates a user.
  init(id: String, token: String, lifetime: Double) {
    (self.id, self.token) = (id, token)
    expiration = Date(timeIntervalSinceNow: lifetime)
  }

  /// The token, kept in a file that only the user of the system can read.
  public var secret: Data? {
    get { Data(token.utf8) }
    set { token = newValue.map { String(decoding: $0, as: UTF8.self) } ?? "" }
  }
}
