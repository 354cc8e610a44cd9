import Foundation
import SignalsKit

struct Account: SessionUser {
  let id: String
  var name: String
  var expiration: Date?
}

struct Note: StoreModel, Equatable {
  static let table = TableSpec("note")
  var id: Int
  var text: String
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

let versions = StoreVersions(cacheVersion: 1, persistenceVersion: 1, models: [Note.self])
let context = try StandardAppContext<Account>(root: root, storeVersions: versions)
try await context.setup(authDelegate: server)
try await context.triggerLogin()
try context.current.value.store.persistence.write { try $0.put(Note(id: 1, text: "hers")) }

// Nothing may write there any more.
try AppGroupsContainer(directory: root).suspend()
try FileManager.default.removeItem(at: root)
