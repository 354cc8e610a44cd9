//: # Sessions
//:
//: Log a user in, restore the session at the next start, renew it before it expires, and store the user's data.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 12-Sessions`.

import Foundation
import SignalsKit

//: ## The user type
//:
//: A user is any `Codable` value with a string as its identity. The expiration is a date of the wall clock. Secrets are
//: excluded from the encoded form.

struct Account: SessionUser {
  let id: String
  var name: String
  var expiration: Date?
  var token: String

  private enum CodingKeys: String, CodingKey { case id, name, expiration }

  init(_ id: String, _ name: String, token: String, expiration: Date?) {
    (self.id, self.name, self.token, self.expiration) = (id, name, token, expiration)
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    name = try container.decode(String.self, forKey: .name)
    expiration = try container.decodeIfPresent(Date.self, forKey: .expiration)
    token = ""
  }

  var secret: Data? {
    get { Data(token.utf8) }
    set { token = String(decoding: newValue ?? Data(), as: UTF8.self) }
  }
}

//: ## The server
//:
//: The delegate communicates with the server. Here it returns numbered tokens that are valid for an hour.

final class Server: AuthControllerDelegate {
  let count = MutableProperty(0)

  func authenticate() async throws -> Account { account("ada", "Ada") }

  func refreshAuthentication(with user: Account) async throws -> Account {
    if count.value > 3 { throw AuthRejection(reason: "four are enough") }
    return account(user.id, user.name)
  }

  private func account(_ id: String, _ name: String) -> Account {
    let number = count.modify { count in
      count += 1
      return count
    }
    return Account(id, name, token: "token \(number)", expiration: Date(timeIntervalSinceNow: 3600))
  }
}

struct Note: StoreModel, Equatable {
  static let table = TableSpec("note")
  var id: Int
  var text: String
}

let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let versions = StoreVersions(cacheVersion: 1, persistenceVersion: 1, models: [Note.self])
let server = Server()

//: ## Log in
//:
//: When `triggerLogin` returns, the user is archived, and all observers have received the session.

do {
  let context = try StandardAppContext<Account>(root: root, storeVersions: versions)
  try await context.setup(authDelegate: server)
  print(context.authState.value)  // Prints "unauthenticated"
  try await context.triggerLogin()
  print(context.authState.value, context.user.value?.token ?? "")  // Prints "authenticated token 1"
}

//: ## Start again
//:
//: The user is available at once, and is authenticated when the server has renewed the session.

let context = try StandardAppContext<Account>(root: root, storeVersions: versions)
let states = context.authState.sink { print($0) }  // Prints "restoring"
try await context.setup(authDelegate: server)  // Prints "presession"
let user = try await context.validUser()  // Prints "authenticated"
print(user.name, user.token)  // Prints "Ada token 2"

//: Code that needs a token asks for a valid user. A valid session is not renewed, however many callers ask.

try await withThrowingTaskGroup(of: Account.self) { group in
  for _ in 0..<100 { group.addTask { try await context.validUser() } }
  try await group.waitForAll()
}
print(server.count.value)  // Prints "2"

//: ## The user's data
//:
//: Each user has separate databases, and a live query follows the current user.

try context.current.value.store.persistence.write { try $0.put(Note(id: 1, text: "hers")) }
let notes = context.query(Note.ordered { $0.id }).map { $0.map(\.text) }
let hers: [String]? = await notes.firstValue()
print(hers ?? [])  // Prints "["hers"]"
let grace = Account("grace", "Grace", token: "g", expiration: nil)
try await context.startAppContext(with: grace, replacing: true)
let theirs: [String]? = await notes.firstValue()
print(theirs ?? [])  // Prints "[]"
print(context.historyUsers.value.isEmpty)  // Prints "false"

//: ## The end of a session
//:
//: A session ends when the server rejects it permanently, or when the user logs out, even if the server is unreachable.

try await context.refreshAuthentication()
try await context.refreshAuthentication()
do {
  try await context.refreshAuthentication()  // Prints "unauthenticated"
} catch ContextError.rejected(let failure) {
  print(failure.text)  // Prints "four are enough"
}
print(context.current.value.isStandard)  // Prints "true"
states.cancel()
// Nothing may write there any more.
try AppGroupsContainer(directory: root).suspend()
try FileManager.default.removeItem(at: root)
