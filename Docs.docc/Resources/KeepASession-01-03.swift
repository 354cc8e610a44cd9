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

let root = FileManager.default.temporaryDirectory.appending(path: "org.example.sessions")
let server = Server()

do {
  let context = try StandardAppContext<Account>(root: root)
  try await context.setup(authDelegate: server)
  try await context.triggerLogin()
  print(context.authState.value, context.user.value?.name ?? "")  // Prints "authenticated Ada"
}

// Nothing may write there any more.
try AppGroupsContainer(directory: root).suspend()
try FileManager.default.removeItem(at: root)
