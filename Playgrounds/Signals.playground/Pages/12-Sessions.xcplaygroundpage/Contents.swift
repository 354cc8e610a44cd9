//: # Sessions
//:
//: Who the user is, restored at the next start, renewed before it is too late, and what is theirs.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 12-Sessions`.

import Foundation
import SignalsKit

//: ## A user
//:
//: Any `Codable` value with a text as its identity. When its session is over is a moment of the wall clock; what is secret
//: stays out of what is encoded.

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

//: ## A server
//:
//: The delegate speaks with it. Here it hands out numbered tokens that last for an hour.

final class Server: AuthControllerDelegate {
  let count = MutableProperty(0)

  func authenticate() async throws -> Account { account("ada", "Ada") }

  func refreshAuthentication(with user: Account) async throws -> Account {
    if count.value > 3 { throw AuthRejection(reason: "four are enough") }
    return account(user.id, user.name)
  }

  func deauthenticate(_ user: Account) async throws {}

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

//: ## Logging in
//:
//: When `triggerLogin` returns, the user is archived and the session is shown to everybody.

do {
  let context = try StandardAppContext<Account>(root: root, storeVersions: versions)
  try await context.setup(authDelegate: server)
  print(context.authState.value)  // Prints "unauthenticated"
  try await context.triggerLogin()
  print(context.authState.value, context.user.value?.token ?? "")  // Prints "authenticated token 1"
}

//: ## The next start
//:
//: The user is there at once, and is authenticated when the server has renewed the session.

let context = try StandardAppContext<Account>(root: root, storeVersions: versions)
let states = context.authState.sink { print($0) }  // Prints "restoring"
try await context.setup(authDelegate: server)  // Prints "presession"
let user = try await context.validUser()  // Prints "authenticated"
print(user.name, user.token)  // Prints "Ada token 2"

//: Who needs a token asks for a valid user. However many ask, a session that is valid is left alone.

try await withThrowingTaskGroup(of: Account.self) { group in
  for _ in 0..<100 { group.addTask { try await context.validUser() } }
  try await group.waitForAll()
}
print(server.count.value)  // Prints "2"

//: ## What is theirs
//:
//: Each user has databases of their own; a live query follows whoever is the current user.

try context.current.value.store.persistence.write { try $0.put(Note(id: 1, text: "hers")) }
let notes = context.query(Note.ordered(by: "id")).map { $0.map(\.text) }
let hers: [String]? = await notes.firstValue()
print(hers ?? [])  // Prints "["hers"]"
let grace = Account("grace", "Grace", token: "g", expiration: nil)
try await context.startAppContext(with: grace, replacing: true)
let theirs: [String]? = await notes.firstValue()
print(theirs ?? [])  // Prints "[]"
print(context.historyUsers.value.isEmpty)  // Prints "false"

//: ## The end
//:
//: A server that refuses a session for good ends it, and so does a logout, whether the server can be told or not.

try await context.refreshAuthentication()
try await context.refreshAuthentication()
do {
  try await context.refreshAuthentication()  // Prints "unauthenticated"
} catch ContextError.rejected(let failure) {
  print(failure.text)  // Prints "four are enough"
}
print(context.current.value.isStandard)  // Prints "true"
states.cancel()
try FileManager.default.removeItem(at: root)
