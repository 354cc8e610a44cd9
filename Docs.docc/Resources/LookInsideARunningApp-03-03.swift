import AppGroups
import Foundation
import Inspector
import Signals

enum Theme: String, Codable, Sendable {
  case light, dark
}

struct Settings: Codable, Sendable {
  var theme = Theme.light
  var size: Int?
}

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let settings = try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: container)
let publication = try Inspector.publish(in: container, allowingEdits: true)

let inspector = try Inspector(directory: directory, isWritable: true)
var request = InspectorRequest(.editValue, "file/settings.json")
request.version = inspector.value["file/settings.json"]?.version
(request.path, request.value) = ("/size", 12)
let outcome = try await inspector.perform(request)
print(settings.value.size ?? 0)  // Prints "12"

request.version = outcome.version
(request.path, request.value) = ("/theme", "blue")
do {
  _ = try await inspector.perform(request)
} catch {
  print(error.code, error.cause.contains("at theme"))  // Prints "refused true"
}

publication.cancel()
try FileManager.default.removeItem(at: directory)
