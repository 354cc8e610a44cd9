//: # Preferences
//:
//: Named values in one file that any number of processes read, change and observe: a replacement for `UserDefaults`.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 07-Preferences`.

import Dispatch
import Foundation
import SignalsKit

//: ## A suite
//:
//: You can store any `Codable` value under any name.

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let suite = try AppGroupsSuite(name: "player.json", container: container)

try suite.set(7, forKey: "volume")
try suite.set(["jazz", "tango"], forKey: "stations")
print(suite.value.keys)  // Prints "["stations", "volume"]"
print(try suite.value(forKey: "volume", as: Int.self) ?? 0)  // Prints "7"

//: The file is JSON. When `set` returns, the value is on disk, survives a power failure, and every process can read it.

try suite.synchronize()  // The file follows on its own after a moment.
print(try String(contentsOf: suite.url, encoding: .utf8), terminator: "")
// Prints "{"
// Prints "  "stations" : ["
// Prints "    "jazz","
// Prints "    "tango""
// Prints "  ],"
// Prints "  "volume" : 7"
// Prints "}"

//: ## A signal for each name
//:
//: It sends only the changes of its own value; `changes` sends the names of changed values.

let volumes = suite.signal(forKey: "volume", as: Int.self).sink { print("volume", $0 ?? 0) }  // Prints "volume 7"
try suite.set(8, forKey: "volume")  // Prints "volume 8"
try suite.set(["jazz"], forKey: "stations")

let names = suite.changes.sink { print("changed:", $0.keys.sorted()) }
try suite.removeValue(forKey: "stations")  // Prints "changed: ["stations"]"
names.cancel()

//: ## Typed values
//:
//: Declare name, type and default once. A `SuiteValue` is a shared value like a file: you can read, observe and change
//: it.

let volume = suite.preference("volume", default: 5)
let isMuted = suite.preference("isMuted", default: false)

try volume.update { $0 += 1 }  // Prints "volume 9"
print(volume.value, isMuted.value)  // Prints "9 false"

//: ## Several values at once
//:
//: An update is one change: a value derived from both never sees one without the other.

volumes.cancel()
let loudness = Property.derived(volume.property, isMuted.property) { $1 ? "silent" : "at \($0)" }
let display = loudness.sink { print($0) }  // Prints "at 9"
try suite.update { contents in
  try contents.set(0, for: volume.key)
  try contents.set(true, for: isMuted.key)
}
// Prints "silent"
display.cancel()

//: ## Other programs
//:
//: Any program may edit the file. If a value has the wrong type, the last good value stays, and the failure is reported:
//: by the value, by the suite, and by the container, which has the failures of everything in it. A failure that nothing
//: observes is written to standard error, in one line. `FailureReport.onUnobserved` turns that off, or redirects it.
//: `synchronize()` brings the file up to date, so that the other program undoes no change.

try suite.synchronize()
let told = DispatchSemaphore(value: 0)
let failures = container.failures.sink { report in
  print(report.source, "has a wrong value")  // Prints "AppGroupsSuite has a wrong value"
  told.signal()
}
try Data(#"{ "volume": "loud", "isMuted": false, "skin": "wood" }"#.utf8).write(to: suite.url, options: .atomic)
told.wait()
print(volume.value, isMuted.value, suite.value.contains("skin"))  // Prints "0 false true"

//: `reset` removes the stored value, so the default applies again.

try volume.reset()
print(volume.value)  // Prints "5"

failures.cancel()
try FileManager.default.removeItem(at: directory)
