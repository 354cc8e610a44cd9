import Foundation
import SignalsKit

struct Account: SessionUser {
  let id: String
  var name: String
  var expiration: Date?
}

final class Server: AuthControllerDelegate {
  let isReachable = MutableProperty(true)

  func authenticate() async throws -> Account {
    Account(id: "ada", name: "Ada", expiration: Date(timeIntervalSinceNow: 3600))
  }

  func refreshAuthentication(with user: Account) async throws -> Account {
    guard isReachable.value else { throw URLError(.notConnectedToInternet) }
    return Account(id: user.id, name: user.name, expiration: Date(timeIntervalSinceNow: 3600))
  }

  func deauthenticate(_ user: Account) async throws {
    guard isReachable.value else { throw URLError(.notConnectedToInternet) }
  }
}

let root = FileManager.default.temporaryDirectory.appending(path: "org.example.sessions")
let server = Server()

do {
  let context = try StandardAppContext<Account>(root: root)
  try await context.setup(authDelegate: server)
  try await context.triggerLogin()
  print(context.authState.value, context.user.value?.name ?? "")  // Prints "authenticated Ada"
}

server.isReachable.value = false
let context = try StandardAppContext<Account>(root: root)
try await context.setup(authDelegate: server)
_ = await context.lastError.values.first { $0 != nil }
print(context.authState.value, context.user.value?.name ?? "")  // Prints "presession Ada"

server.isReachable.value = true
_ = await context.authState.values.first { $0 == .authenticated }
print(context.lastError.value == nil)  // Prints "true"

server.isReachable.value = false
try await context.logout()
print(context.authState.value, context.lastError.value != nil)  // Prints "unauthenticated true"

let next = try StandardAppContext<Account>(root: root)
let nobody = try await next.setup(authDelegate: server)
print(nobody == nil)  // Prints "true"

// Nothing may write there any more.
try AppGroupsContainer(directory: root).suspend()
try FileManager.default.removeItem(at: root)
