import AppGroups
import Foundation
import Inspector

struct Settings: Codable, Sendable {
  var theme = "light"
  var token = "a secret"
}

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let settings = try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: container)
let inbox = try AppGroupsLog<String>(name: "inbox", container: container)
try inbox.append("hello")

let inspector = try Inspector(directory: directory)
for resource in inspector.value.resources where resource.kind != .lock {
  print(resource.id, resource.value?.description ?? "–")
}
// Prints "file/settings.json {"theme": "light", "token": "••••••••"}"
// Prints "log/inbox –"

try FileManager.default.removeItem(at: directory)
