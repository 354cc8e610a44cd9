import Foundation
import SignalsKit

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.reader")
let container = try AppGroupsContainer(directory: directory)
let counter = try AppGroupsFile(name: "counter.json", initialValue: 0, container: container)

let count = try counter.update { value in
  value += 1
  return value
}
print(count)  // Prints "1"
