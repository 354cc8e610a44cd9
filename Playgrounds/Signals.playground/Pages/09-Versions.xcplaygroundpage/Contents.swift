//: # Versions and presence
//:
//: Files outlive the programs that wrote them. Announcements should not outlive the processes that made them.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 09-Versions`.

import Foundation
import SignalsKit

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)

//: ## The first release
//:
//: Declare the version of a value from the start. It costs one line, and the file stores the version with the value.

struct FirstSettings: Codable, Sendable {
  var isDark = false
}

let first = FileVersions(FirstSettings.self)
let old = try AppGroupsFile(
  name: "settings.json", initialValue: FirstSettings(), container: container, format: .versioned(first))
try old.write(FirstSettings(isDark: true))
print(try String(contentsOf: old.url, encoding: .utf8), terminator: "")
// Prints "{"
// Prints "  "value" : {"
// Prints "    "isDark" : true"
// Prints "  },"
// Prints "  "version" : 1"
// Prints "}"

//: ## The second release
//:
//: The type has changed. Keep the old one under another name, and add the step that migrates it to the new one.

struct Settings: Codable, Sendable {
  var theme = "light"
}

let second = first.migrating(to: Settings.self) { Settings(theme: $0.isDark ? "dark" : "light") }
let new = try AppGroupsFile(
  name: "settings.json", initialValue: Settings(), container: container, format: .versioned(second))
print("version", second.current, "reads", new.value.theme)  // Prints "version 2 reads dark"

//: Reading does not change the file. The first update writes the new version.

try new.update { $0.theme = "sepia" }

//: ## An old process that is still running
//:
//: It keeps its last good value, reports the reason, and does not overwrite content that it cannot read.

do {
  try old.update { $0.isDark = false }
} catch AppGroupsFileError.newerVersion(_, let found, let supported) {
  print("found", found, "but reads", supported)  // Prints "found 2 but reads 1"
}
print(old.value.isDark, new.value.theme)  // Prints "true sepia"

//: ## Other formats
//:
//: JSON is only the default. You can use property lists, plain text, raw bytes, or your own encoding.

let note = try AppGroupsFile(name: "note.txt", initialValue: "", container: container, format: .text)
try note.write("remember the milk")
print(try String(contentsOf: note.url, encoding: .utf8))  // Prints "remember the milk"

//: ## Presence
//:
//: "A recording is in progress" must not stay true when the recorder crashes. An announcement belongs to its process:
//: it ends when it is withdrawn, when its token is released, or when the process ends for any reason.

let recording = try AppGroupsPresence<String>(name: "recording", container: container)
print("recording:", recording.value.map(\.value))  // Prints "recording: []"
let token = try recording.announce("microphone")
print("recording:", recording.value.map(\.value))  // Prints "recording: ["microphone"]"
try token.write("camera")
print("recording:", recording.value.map(\.value))  // Prints "recording: ["camera"]"
token.withdraw()
print("somebody records:", recording.isAnyonePresent.value)  // Prints "somebody records: false"

//: It is a signal like any other, and other processes see the same values: `recording.sink { … }`.

try FileManager.default.removeItem(at: directory)
