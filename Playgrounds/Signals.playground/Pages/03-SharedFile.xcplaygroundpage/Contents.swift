//: # A shared file
//:
//: A value in a file, which any number of processes read, write and observe. It is a signal like any other.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 03-SharedFile`.

import Dispatch
import Foundation
import SignalsKit

//: ## Open it
//:
//: Processes that share something need a directory in common. Usually it is that of their app group,
//: `AppGroupsContainer("group.org.example.player")`; this page makes one of its own, and removes it at the end.

struct Settings: Codable, Sendable {
  var volume = 5
  var isMuted = false
}

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let settings = try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: container)

//: ## Listen and write
//:
//: Listeners get the value at once and then every change, whichever process made it. All operators work.

let display = settings.map(\.volume).removeDuplicates().sink { print("volume", $0) }  // Prints "volume 5"
try settings.write(Settings(volume: 7))  // Prints "volume 7"

//: What is in the file is plain JSON, replaced as a whole each time: nobody ever sees half of it.

print(try String(contentsOf: settings.url, encoding: .utf8), terminator: "")
// Prints "{"
// Prints "  "isMuted" : false,"
// Prints "  "volume" : 7"
// Prints "}"

//: ## Change what is there
//:
//: `update` reads, changes and writes while every other process waits for its turn: no change is lost.

let volume = try settings.update { settings in
  settings.volume += 1
  return settings.volume
}
// Prints "volume 8"
print("updated to", volume)  // Prints "updated to 8"

//: ## Anybody may write
//:
//: The file may be edited by hand, or by a program that has never heard of Signals. Here `sh` writes it.

let muted = DispatchSemaphore(value: 0)
let listener = settings.sink { if $0.isMuted { muted.signal() } }

let shell = try Process.run(
  URL(filePath: "/bin/sh"),
  arguments: ["-c", #"echo '{ "volume": 1, "isMuted": true }' > "$0""#, settings.url.path]
)
muted.wait()
// Prints "volume 1"
print("muted by another program")  // Prints "muted by another program"

//: ## When the file is damaged
//:
//: The last good value stands, and `status` tells.

let damaged = DispatchSemaphore(value: 0)
let inspector = settings.status.sink { status in
  if case .stale = status { damaged.signal() }
}

try Data("oops".utf8).write(to: settings.url)
damaged.wait()
print("the volume is still", settings.value.volume)  // Prints "the volume is still 1"

//: ## In a task
//:
//: Inside of asynchronous functions `write` and `update` are asynchronous too, because they may wait for another process,
//: and the changes are there for `for await`: `for await value in settings.values { … }`.

display.cancel()
try FileManager.default.removeItem(at: directory)
