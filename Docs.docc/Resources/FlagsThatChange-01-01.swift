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

try FileManager.default.removeItem(at: directory)
