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
func set(_ path: String, to value: InspectedValue) async throws(InspectorError) {
  guard let resource = inspector.value["file/settings.json"] else { return }
  _ = try await inspector.perform(.set(value, at: path, of: resource))
}

try await set("/size", to: 12)
print(settings.value.size ?? 0)  // Prints "12"

do {
  try await set("/theme", to: "blue")
} catch {
  print(error.code, error.cause.contains("at theme"))  // Prints "refused true"
}

publication.cancel()
try FileManager.default.removeItem(at: directory)
