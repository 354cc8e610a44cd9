import Foundation
import SignalsKit

struct Account: SessionUser {
  let id: String
  var name: String
  var expiration: Date?
}

final class Server: AuthControllerDelegate {
  func authenticate() async throws -> Account {
    Account(id: "ada", name: "Ada", expiration: Date(timeIntervalSinceNow: 3600))
  }

  func refreshAuthentication(with user: Account) async throws -> Account {
    Account(id: user.id, name: user.name, expiration: Date(timeIntervalSinceNow: 3600))
  }

  func deauthenticate(_ user: Account) async throws {}
}
