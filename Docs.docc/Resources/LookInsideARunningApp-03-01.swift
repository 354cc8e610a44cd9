import AppGroups
import Foundation
import Inspector
import Signals
import Tweaks

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
let container = try AppGroupsContainer(directory: directory)
let flags = try AppGroupsSuite(name: "flags.json", container: container)
let manager = TweakManager(providers: [SuiteTweakProvider(suite: flags)])
try manager.set(10, feature: "shop", variable: "limit")

let inspector = try Inspector(directory: directory, isWritable: true)
print(try await inspector.perform(.setTweak("tweak/shop/limit", to: "20")).message)
// Prints "Set shop/limit to 20 in Files/flags.json; it was 10."

let limit = TweakKey("shop", "limit", default: 5)
for await value in manager.signal(for: limit).values where value == 20 {
  print("the app has \(value)")  // Prints "the app has 20"
  break
}

try flags.synchronize()
try FileManager.default.removeItem(at: directory)
