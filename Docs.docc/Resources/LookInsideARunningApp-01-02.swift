import AppGroups
import Foundation
import Inspector
import Signals

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let settings = try AppGroupsFile(name: "settings.json", initialValue: ["theme": "light"], container: container)

let inspector = try Inspector(directory: directory)
@MainActor func followOneChange() async throws {
  var changes = inspector.changes.values.makeAsyncIterator()
  try await settings.update { $0["theme"] = "dark" }
  if let change = await changes.next() { print(change.resource, change.operation, change.summary) }
}
try await followOneChange()  // Prints "file/settings.json update theme: "light" → "dark""

try FileManager.default.removeItem(at: directory)
