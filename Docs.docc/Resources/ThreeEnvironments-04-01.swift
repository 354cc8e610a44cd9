import Foundation
import SignalsKit

let home = FileManager.default.temporaryDirectory.appending(path: "org.example.notes")
let app = try AppContainer(home: home)
let company = try app.create(name: "Company")
let testing = try app.create(name: "Testing", description: "For whoever looks for faults")

let note = try AppGroupsFile(name: "note.json", initialValue: "nothing to do", scope: app.scope)

struct StillUploading: Error {}

final class Uploads: AppContainerDelegate {
  func appContainer(
    _ appContainer: AppContainer, willChangeTo new: AppContainer.Environment, from old: AppContainer.Environment
  ) throws {
    throw StillUploading()
  }
}

let uploads = Uploads()
app.add(uploads)
do {
  try app.activate(company)
} catch AppContainerError.vetoed(let reason) {
  print(reason)  // Prints "StillUploading()"
}
print(app.active.value.name)  // Prints "Default"
