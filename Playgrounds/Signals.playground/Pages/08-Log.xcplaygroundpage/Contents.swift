//: # A log
//:
//: Events that processes send to one another, of which none is lost. A shared value keeps only its last state; a log keeps
//: every event, for each consumer, until the consumer has handled it.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 08-Log`.

import Dispatch
import Foundation
import SignalsKit

//: ## Append
//:
//: An event is any `Codable` value. Appending it takes a few microseconds, and it is safe when the call returns, even if this
//: process dies right after.

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
//: A consumer has a name, under which its place in the log is kept. It gets what it has not had yet, be it appended while
//: nothing was running, and then each event as it comes. An event counts as handled when the loop asks for the next.

try changes.append(.added("bread"))
try changes.append(.removed("tea"))

func fill(from entries: LogValues<Change>) async {
  var basket: Set<String> = []
  for await entry in entries {
    switch entry.event {
    case .added(let item): basket.insert(item)
    case .removed(let item): basket.remove(item)
    }
    print(entry.sequence, basket.sorted())
    if entry.sequence == 3 { break }
  }
}

await fill(from: try changes.events(for: "widget").values)
// Prints "1 ["tea"]"
// Prints "2 ["bread", "tea"]"
// Prints "3 ["bread"]"

//: ## Again, rather than never
//:
//: The loop ended before it asked for the next event, so the third one was not handled as far as the log knows. Whoever is
//: the consumer next, in this process or another, gets it again: at least once, with the same identity.

let handled = DispatchSemaphore(value: 0)
let widget = try changes.events(for: "widget")
let listener = widget.sink { entry in
  print("again", entry.sequence)
  handled.signal()
}
handled.wait()  // Prints "again 3"
listener.cancel()

//: ## Only what is new
//:
//: Who needs no history listens from now on, and leaves no trace on the disk. Events of this process itself can be left out.

let news = try changes.newEvents()
let reader = news.map(\.event).sink { change in
  print("news:", change)
  handled.signal()
}
try changes.append(.added("milk"))
handled.wait()  // Prints "news: added("milk")"
reader.cancel()

//: ## When something is wrong
//:
//: A damaged file, an event that this version cannot decode, a consumer that was away for too long: `failures` tells, and
//: all that can be read is read.

let failures = widget.failures.sink { print($0) }
failures.cancel()

//: How far a consumer is, is noted a moment after the fact. Before the directory goes, wait for that.

try await widget.saveProgress()
try FileManager.default.removeItem(at: directory)
