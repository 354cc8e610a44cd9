import AppGroups
import Foundation
import Inspector
import Signals

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let inbox = try AppGroupsLog<String>(name: "inbox", container: container)
try inbox.append("first")

let inspector = try Inspector(directory: directory)
func wait(for state: InspectedLog.State, lag: Int) async {
  for await snapshot in inspector.values {
    guard case .log(let log)? = snapshot["log/inbox"]?.details, let consumer = log.consumers.first else { continue }
    if consumer.state == state, consumer.lag == lag { return print(consumer.name, state.rawValue, lag) }
  }
}

// A consumer handles one event and ends. Two more events follow.
let subscription = try inbox.events(for: "indexer").sink { _ in }
await wait(for: .caughtUp, lag: 0)  // Prints "indexer caught up 0"
subscription.cancel()
try inbox.append("second")
try inbox.append("third")
await wait(for: .dead, lag: 2)  // Prints "indexer dead 2"

try FileManager.default.removeItem(at: directory)
