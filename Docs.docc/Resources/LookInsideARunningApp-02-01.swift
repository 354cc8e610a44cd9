import AppGroups
import Foundation
import Inspector
import Signals

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let inbox = try AppGroupsLog<String>(name: "inbox", container: container)
try inbox.append("first")

let inspector = try Inspector(directory: directory)
func wait(for state: String, lag: Int) async {
  for await snapshot in inspector.values {
    guard let consumer = snapshot["log/inbox"]?.details["consumers"]?[0] else { continue }
    if consumer["state"]?.string == state, consumer["lag"]?.int == lag {
      return print(consumer["name"]?.string ?? "", state, lag)
    }
  }
}

// A consumer handles one event and ends. Two more events follow.
let subscription = try inbox.events(for: "indexer").sink { _ in }
await wait(for: "caught up", lag: 0)  // Prints "indexer caught up 0"
subscription.cancel()
try inbox.append("second")
try inbox.append("third")
await wait(for: "dead", lag: 2)  // Prints "indexer dead 2"

try FileManager.default.removeItem(at: directory)
