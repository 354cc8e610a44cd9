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
func wait(for state: InspectedLog.State) async {
  for await snapshot in inspector.values {
    if case .log(let log)? = snapshot["log/inbox"]?.details, log.consumers.first?.state == state { return }
  }
}
await wait(for: .caughtUp)
subscription.cancel()
await wait(for: .idle)

var request = InspectorRequest(.removeConsumer, "log/inbox")
request.consumer = "indexer"
print(try await inspector.perform(request, dryRun: true).message)
// Prints "Would remove the consumer indexer of the log inbox."
print(try await inspector.perform(request).message)
// Prints "Removed the consumer indexer of the log inbox."

try FileManager.default.removeItem(at: directory)
