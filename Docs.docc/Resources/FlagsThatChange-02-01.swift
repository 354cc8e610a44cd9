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
let container = try AppGroupsContainer(directory: directory)
let overrides = try AppGroupsSuite(name: "overrides", container: container)
let manager = TweakManager(providers: [SuiteTweakProvider(suite: overrides), file])
let limit = TweakKey("shop", "limit", default: 5)

let watching = manager.signal(for: limit).sink { print("limit", $0) }  // Prints "limit 10"
try manager.set(20, for: limit)  // Prints "limit 20"

watching.cancel()
try overrides.synchronize()
try FileManager.default.removeItem(at: directory)
