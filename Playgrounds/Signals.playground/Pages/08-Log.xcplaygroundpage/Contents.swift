//: # A log
//:
//: A log carries events between processes and loses none. A shared value keeps only its latest state; a log keeps every
//: event for each consumer until the consumer has handled it.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 08-Log`.

import Dispatch
import Foundation
import SignalsKit

//: ## Append
//:
//: An event is any `Codable` value. Appending one takes a few microseconds. When the call returns, the event is safe,
//: even if this process dies immediately afterwards.

enum Change: Codable, Sendable {
  case added(String)
  case removed(String)
}

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let changes = try AppGroupsLog<Change>(name: "changes", container: container)

let id = try changes.append(.added("tea"))
print("event", id.sequence)  // Prints "event 1"

//: ## Consume
//:
//: A consumer has a name, under which the log stores its position. It receives the events that it has not handled yet,
//: even those from before it started, and then each new event. An event counts as handled when the loop asks for the
//: next one.

try changes.append(.added("bread"))
try changes.append(.removed("tea"))

func fill(from entries: LogValues<Change>) async {
  var basket: Set<String> = []
  for await entry in entries {
    switch entry.event {
    case .added(let item): basket.insert(item)
    case .removed(let item): basket.remove(item)
    }
    print(entry.id.sequence, basket.sorted())
    if entry.id.sequence == 3 { break }
  }
}

await fill(from: try changes.events(for: "widget").values)
// Prints "1 ["tea"]"
// Prints "2 ["bread", "tea"]"
// Prints "3 ["bread"]"

//: ## At-least-once delivery
//:
//: The loop ended before it asked for the next event, so the log does not count the third one as handled. The next
//: consumer of that name, in this process or another, receives it again, with the same identity.

let handled = DispatchSemaphore(value: 0)
let widget = try changes.events(for: "widget")
let listener = widget.sink { entry in
  print("again", entry.id.sequence)
  handled.signal()
}
handled.wait()  // Prints "again 3"
listener.cancel()

//: ## Only new events
//:
//: To receive only events that are appended from now on, use `newEvents`, which stores nothing on disk. It can also
//: leave out the events of this process.

let news = try changes.newEvents()
let reader = news.map(\.event).sink { change in
  print("news:", change)
  handled.signal()
}
try changes.append(.added("milk"))
handled.wait()  // Prints "news: added("milk")"
reader.cancel()

//: ## Failures
//:
//: `failures` reports a damaged file, an event that this version cannot decode, or a consumer that was away for too
//: long. All readable events are still delivered.

let failures = widget.failures.sink { print($0) }
failures.cancel()

//: A consumer's position is saved a moment after an event is handled. Wait for that before you remove the directory.

try await widget.saveProgress()
try FileManager.default.removeItem(at: directory)
