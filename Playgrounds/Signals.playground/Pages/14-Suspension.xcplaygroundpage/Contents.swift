//: # Suspension
//:
//: A process that stands still keeps its locks: others wait for it, and iOS ends it. One call releases them all.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 14-Suspension`.

import Foundation
import SignalsKit

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let count = try AppGroupsFile(name: "count.json", initialValue: 0, container: container)
let database = try Database(.file(directory.appending(path: "list.sqlite")))
try database.write { try $0.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)") }

//: ## Suspend
//:
//: The call reaches every object whose files are in the directory. Writes are refused, and values can still be read.

try container.suspend()
do {
  try count.update { $0 += 1 }
} catch AppGroupsFileError.suspended(_, let operation) {
  print("cannot", operation)  // Prints "cannot write"
}
do {
  try database.write { try $0.execute("INSERT INTO item (text) VALUES ('tea')") }
} catch DatabaseError.suspended(_, let operation) {
  print("cannot", operation)  // Prints "cannot write"
}
print(count.value)  // Prints "0"

//: ## Resume
//:
//: Everything catches up with the other processes.

try container.resume()
try count.update { $0 += 1 }
try database.write { try $0.execute("INSERT INTO item (text) VALUES ('tea')") }
print(count.value, try database.read { try $0.value("SELECT count(*) FROM item") })  // Prints "1 1"

//: ## Limit the wait
//:
//: Other processes may stop without a warning. After the limit, an error names the process that holds the lock.

container.lockTimeout = .seconds(2)
try count.update { $0 += 1 }
print(count.value)  // Prints "2"

try database.close()
try FileManager.default.removeItem(at: directory)
