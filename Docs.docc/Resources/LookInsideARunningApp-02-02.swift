import AppGroups
import Foundation
import Inspector
import Signals

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let inbox = try AppGroupsLog<String>(name: "inbox", container: container)
try inbox.append("first")
let subscription = try inbox.events(for: "indexer").sink { _ in }

let inspector = try Inspector(directory: directory, isWritable: true)
func wait(for state: String) async {
  for await snapshot in inspector.values
  where snapshot["log/inbox"]?.details["consumers"]?[0]?["state"]?.string == state {
    return
  }
}
await wait(for: "caught up")
subscription.cancel()
await wait(for: "idle")

let request = InspectorRequest.removeConsumer("indexer", of: "log/inbox")
print(try await inspector.perform(request, dryRun: true).message)
// Prints "Would remove the consumer indexer of the log inbox."
print(try await inspector.perform(request).message)
// Prints "Removed the consumer indexer of the log inbox."

try FileManager.default.removeItem(at: directory)
