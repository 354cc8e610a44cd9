import Foundation
import SignalsKit

let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.flags")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
let url = directory.appending(path: "Tweaks.json")

func deliver(_ limit: String) throws {
  let text = #"{ "shop": { "limit": { "Title": "Limit", "Group": "Shop", "Value": \#(limit) } } }"#
  try DurableFile.write(Data(text.utf8), to: url)
}

try deliver("10")
let file = try FileTweakProvider(url: url)
let manager = TweakManager(providers: [file])
let limit = TweakKey("shop", "limit", default: 5)
print(manager[limit])  // Prints "10"

let watching = manager.signal(for: limit).sink { print("limit", $0) }  // Prints "limit 10"
try deliver("12")
_ = await manager.signal(for: limit).values.first { $0 == 12 }  // Prints "limit 12"

let failures = file.failures.values
try deliver("many")
for await case .invalidFile(_, let line, let column, _) in failures {
  print("line \(line), column \(column)")  // Prints "line 1, column 68"
  break
}
print(manager[limit])  // Prints "12"

watching.cancel()
try FileManager.default.removeItem(at: directory)
