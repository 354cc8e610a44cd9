//: # A shared file
//:
//: A value in a file that any number of processes can read, write and observe. It is a signal like any other.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 03-SharedFile`.

import Dispatch
import Foundation
import SignalsKit

//: ## Open it
//:
//: Processes that share a value need a common directory. Usually it is the directory of their app group,
//: `AppGroupsContainer("group.org.example.player")`. This page creates its own, and removes it at the end.

struct Settings: Codable, Sendable {
  var volume = 5
  var isMuted = false
}

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let settings = try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: container)

//: ## Subscribe and write
//:
//: A subscriber receives the value at once and then every change by any process. All operators work.

let display = settings.map(\.volume).removeDuplicates().sink { print("volume", $0) }  // Prints "volume 5"
try settings.write(Settings(volume: 7))  // Prints "volume 7"

//: The file contains plain JSON and is replaced as a whole each time, so no program ever reads half of it.

print(try String(contentsOf: settings.url, encoding: .utf8), terminator: "")
// Prints "{"
// Prints "  "isMuted" : false,"
// Prints "  "volume" : 7"
// Prints "}"

//: ## Update the value
//:
//: `update` reads, changes and writes the value while every other process waits for its turn, so no change is lost.

let volume = try settings.update { settings in
  settings.volume += 1
  return settings.volume
}
// Prints "volume 8"
print("updated to", volume)  // Prints "updated to 8"

//: ## Any program may write
//:
//: You can edit the file by hand, or with a program that does not use Signals. Here `sh` writes it.

let muted = DispatchSemaphore(value: 0)
let listener = settings.sink { if $0.isMuted { muted.signal() } }

let shell = try Process.run(
  URL(filePath: "/bin/sh"),
  arguments: ["-c", #"echo '{ "volume": 1, "isMuted": true }' > "$0""#, settings.url.path]
)
muted.wait()
// Prints "volume 1"
print("muted by another program")  // Prints "muted by another program"

//: ## Who changed it
//:
//: Each version names its process, and the cause that it gave. Another program left none.

print(settings.provenance?.processName ?? "unknown")  // Prints "unknown"

// The thread that delivers the change of `sh` may still be doing so, and then delivers this one, too.
let shown = DispatchSemaphore(value: 0)
let reader = settings.sink { if $0.volume == 3 { shown.signal() } }
try Cause.withValue("menu") { try settings.update { $0.volume = 3 } }  // Prints "volume 3"
shown.wait()
print(settings.provenance?.cause ?? "none")  // Prints "menu"

//: ## When the file is damaged
//:
//: The last good value stays, and `status` reports the problem.

let damaged = DispatchSemaphore(value: 0)
let inspector = settings.status.sink { status in
  if case .stale = status { damaged.signal() }
}

try Data("oops".utf8).write(to: settings.url)
damaged.wait()
print("the volume is still", settings.value.volume)  // Prints "the volume is still 3"

//: ## In a task
//:
//: In asynchronous functions, `write` and `update` are asynchronous too, because they may wait for another process.
//: To receive the changes in a loop, write `for await value in settings.values { … }`.

display.cancel()
try FileManager.default.removeItem(at: directory)
