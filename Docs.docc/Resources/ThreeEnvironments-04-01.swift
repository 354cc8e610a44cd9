import Foundation
import SignalsKit

let home = FileManager.default.temporaryDirectory.appending(path: "org.example.notes")
let app = try AppContainer(home: home)
let company = try app.createNewContainer(name: "Company")
let testing = try app.createNewContainer(name: "Testing", description: "For whoever looks for faults")

let note = try AppGroupsFile(name: "note.json", initialValue: "nothing to do", scope: app.scope)

struct StillUploading: Error {}

final class Uploads: AppContainerDelegate {
  func appContainer(_ appContainer: AppContainer, willChangeTo new: Container, from old: Container) throws {
    throw StillUploading()
  }
}

let uploads = Uploads()
app.add(uploads)
do {
  try app.activate(container: company)
} catch AppContainerError.vetoed(let reason) {
  print(reason)  // Prints "StillUploading()"
}
print(app.activeContainer.name)  // Prints "Default"
