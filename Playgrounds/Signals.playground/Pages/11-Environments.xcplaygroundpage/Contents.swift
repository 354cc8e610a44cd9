//: # Environments
//:
//: An app can have several complete sets of its stored data, of which one is active. A switch between them takes a few
//: renames, and live values follow.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 11-Environments`.

import Foundation
import SignalsKit

//: ## Existing files stay in place
//:
//: The app's existing directory becomes the default environment.

let home = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
let letter = home.appending(path: "letter.txt")
try Data("Dear Ada".utf8).write(to: letter)

let app = try AppContainer(home: home)
print(app.active.value.name)  // Prints "Default"
print(try String(contentsOf: letter, encoding: .utf8))  // Prints "Dear Ada"

//: ## Another environment
//:
//: It is empty at first. While it is active, the letter is put away.

let work = try app.create(name: "Work", description: "The account of the company")
try app.activate(work)
print(FileManager.default.fileExists(atPath: letter.path))  // Prints "false"

try app.activate(id: AppContainer.Environment.defaultID)
print(FileManager.default.fileExists(atPath: letter.path))  // Prints "true"

//: ## Live values follow
//:
//: A shared file, suite or cookie jar that is opened in the scope always belongs to the active environment.

let size = try AppGroupsFile(name: "size.json", initialValue: 12, scope: app.scope)
let sizes = size.sink { print("size", $0) }  // Prints "size 12"
try size.write(14)  // Prints "size 14"
try app.activate(work)  // Prints "size 12"
try app.activate(id: AppContainer.Environment.defaultID)  // Prints "size 14"
sizes.cancel()

let jar = try CookieJar(scope: app.scope)
let server = URL(string: "https://example.org/") ?? home
try jar.setCookies(["session=1; Secure; HttpOnly; Max-Age=600"], from: server)
print(jar.header(for: server) ?? "none")  // Prints "session=1"

//: ## Observe the environments
//:
//: The active environment and the list of all are properties, in every process that has opened the directory.

let names = app.environments.map { $0.map(\.name) }.sink { print($0) }  // Prints "["Default", "Work"]"
let active = app.active.map(\.name).removeDuplicates().sink { print("active:", $0) }  // Prints "active: Default"
try app.update(work, name: "Office", description: nil)  // Prints "["Default", "Office"]"

//: ## Refuse a switch

struct NotNow: Error {}

final class Recording: AppContainerDelegate {
  func appContainer(
    _ appContainer: AppContainer, willChangeTo next: AppContainer.Environment, from current: AppContainer.Environment
  ) throws {
    throw NotNow()
  }
}

let recording = Recording()
app.add(recording)
do {
  try app.activate(work)
} catch {
  print(error)
}
// Prints "The switch was refused: NotNow(). Nothing was moved. Try again when the reason no longer applies."
app.remove(recording)

//: ## Export and import
//:
//: All of an archive is verified before the new environment appears.

let archive = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
try app.export(app.active.value, to: archive)
let copy = try app.importEnvironment(from: archive, name: "Copy")  // Prints "["Default", "Office", "Copy"]"

names.cancel()
try app.activate(copy)  // Prints "active: Copy"
print(try String(contentsOf: letter, encoding: .utf8))  // Prints "Dear Ada"
active.cancel()

try FileManager.default.removeItem(at: archive)
try FileManager.default.removeItem(at: home)
