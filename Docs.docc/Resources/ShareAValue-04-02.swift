import Foundation
import SignalsKit

struct Settings: Codable, Sendable {
  var theme = "light"
  var fontSize = 12
}

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.reader")
let container = try AppGroupsContainer(directory: directory)
let settings = try AppGroupsFile(name: "settings.json", initialValue: Settings(), container: container)

try Data("not what it was".utf8).write(to: settings.url)

for await status in settings.status.values {
  guard let failure = status.failure else { continue }
  print("size is still", settings.value.fontSize)  // Prints "size is still 12"
  FileHandle.standardError.write(Data("\(failure)\n".utf8))
  break
}

try Data(#"{ "theme": "dark", "fontSize": 20 }"#.utf8).write(to: settings.url)

for await value in settings.values where value.fontSize == 20 {
  print("size is", value.fontSize)  // Prints "size is 20"
  break
}
for await status in settings.status.values where status == .current {
  print("in step with the file")  // Prints "in step with the file"
  break
}
