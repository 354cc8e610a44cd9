import Contexts
import Foundation

/// A user whose token is a secret.
struct Account: SessionUser, Equatable, CustomStringConvertible {
  let id: String
  var name: String
  var token: String
  var expiration: Date?
  var issued: Date?

  init(
    id: String = "ada", name: String = "Ada", token: String = "t0", expiration: Date? = nil, issued: Date? = nil
  ) {
    self.id = id
    self.name = name
    self.token = token
    self.expiration = expiration
    self.issued = issued
  }

  private enum CodingKeys: String, CodingKey {
    case id, name, expiration
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    expiration = try container.decodeIfPresent(Date.self, forKey: .expiration)
    token = ""
  }

  var secret: Data? {
    get { token.isEmpty ? nil : Data(token.utf8) }
    set { token = newValue.map { String(decoding: $0, as: UTF8.self) } ?? "" }
  }

  var description: String { "\(id)/\(name)/\(token)/\(expiration.map { "\($0.timeIntervalSince1970)" } ?? "-")" }
}

extension Date {
  /// The date at which tests begin.
  static let beginning = Date(timeIntervalSince1970: 1_000_000)
}
