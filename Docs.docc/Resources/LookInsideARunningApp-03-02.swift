import AppGroups
import Foundation
import Inspector
import Signals

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let volume = MutableProperty(5).registered(as: "volume") { "\($0) of 10" }
let publication = try Inspector.publish(in: container)

let inspector = try Inspector(directory: directory)
for await snapshot in inspector.values {
  guard let node = snapshot.resources(.graph).first?.details["nodes"]?[0] else { continue }
  for name in ["name", "kind", "value"] { print(node[name]?.string ?? "hidden") }
  // Prints "volume"
  // Prints "property"
  // Prints "5 of 10"
  break
}

publication.cancel()
withExtendedLifetime(volume) {}
try FileManager.default.removeItem(at: directory)
