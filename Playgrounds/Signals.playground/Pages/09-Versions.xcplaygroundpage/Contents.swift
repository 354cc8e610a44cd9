//: # Versions, and who is there
//:
//: Files outlive the programs that wrote them, and flags should not outlive the processes that raised them.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 09-Versions`.

import Foundation
import SignalsKit

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)

//: ## The first release
//:
//: Say from the beginning which version a value is of. It costs one line, and stands beside the value in the file.

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
//: The type has changed. The old one stays under another name, with the step that leads from it to the new one.

struct Settings: Codable, Sendable {
  var theme = "light"
}

let second = first.migrating(to: Settings.self) { Settings(theme: $0.isDark ? "dark" : "light") }
let new = try AppGroupsFile(
  name: "settings.json", initialValue: Settings(), container: container, format: .versioned(second))
print("version", second.current, "reads", new.value.theme)  // Prints "version 2 reads dark"

//: Reading has not touched the file. The first change writes the new version.

try new.update { $0.theme = "sepia" }

//: ## An old process that is still running
//:
//: It keeps its last good value, is told why, and will not destroy what it does not understand.

do {
  try old.update { $0.isDark = false }
} catch AppGroupsFileError.newerVersion(_, let found, let supported) {
  print("found", found, "but reads", supported)  // Prints "found 2 but reads 1"
}
print(old.value.isDark, new.value.theme)  // Prints "true sepia"

//: ## Other notations
//:
//: JSON is only the default: there are property lists, text and bytes as they are, and whatever you can encode.

let note = try AppGroupsFile(name: "note.txt", initialValue: "", container: container, format: .text)
try note.write("remember the milk")
print(try String(contentsOf: note.url, encoding: .utf8))  // Prints "remember the milk"

//: ## Who is there
//:
//: "Somebody is recording" must not stay true when the recorder crashes. An announcement is tied to its process: it ends
//: when it is withdrawn, when its token is released, and when the process ends, whatever ends it.

let recording = try AppGroupsPresence<String>(name: "recording", container: container)
print("recording:", recording.value.map(\.value))  // Prints "recording: []"
let token = try recording.announce("microphone")
print("recording:", recording.value.map(\.value))  // Prints "recording: ["microphone"]"
try token.write("camera")
print("recording:", recording.value.map(\.value))  // Prints "recording: ["camera"]"
token.withdraw()
print("somebody records:", recording.isAnyonePresent.value)  // Prints "somebody records: false"

//: It is a signal like any other, and others see the same: `recording.sink { … }`.

try FileManager.default.removeItem(at: directory)
