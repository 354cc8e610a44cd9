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
  guard case .graph(let graph)? = snapshot.resources(.graph).first?.details else { continue }
  for node in graph.nodes { print(node.name, node.kind, node.value ?? "hidden") }  // Prints "volume property 5 of 10"
  break
}

publication.cancel()
withExtendedLifetime(volume) {}
try FileManager.default.removeItem(at: directory)
