//: # Tweaks
//:
//: Feature flags and settings from several sources: typed, observable, and read in nanoseconds.
//:
//: Run it anywhere with `swift run --package-path Playgrounds 13-Tweaks`.

import Foundation
import SignalsKit

//: ## Provider order
//:
//: A manager asks its providers in order. The first one that has a value decides, even if the value is `false`. Here
//: the user's choices take precedence over the values that were delivered with the application.

let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString, directoryHint: .isDirectory)
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
let url = directory.appending(path: "Tweaks.json")
let delivered = #"""
  { "shop": { "limit": { "Title": "Limit", "Group": "Shop", "Value": 10 },
              "express": { "Title": "Express delivery", "Group": "Shop", "Value": true } } }
  """#
try Data(delivered.utf8).write(to: url)

let chosen = EphemeralTweakProvider(name: "Chosen")
let file = try FileTweakProvider(url: url)
let manager = TweakManager(providers: [chosen, file])

let limit = TweakKey("shop", "limit", default: 5)
let express = TweakKey("shop", "express", default: false)
print(manager[limit], manager[express])  // Prints "10 true"
try manager.set(false, for: express)
print(manager[express])  // Prints "false"
print(manager.trace(feature: "shop", variable: "express").winner ?? -1)  // Prints "0"

//: ## Property wrappers
//:
//: A wrapped variable reads and writes a tweak, and its projection `$` is an observable property. It has a default
//: value, and never stops the program.

struct Shop {
  @TweakProperty var limit: Int
  @OptionalTweakProperty var banner: String?

  init(manager: TweakManager) {
    _limit = TweakProperty(wrappedValue: 5, feature: "shop", variable: "limit", tweakManager: manager)
    _banner = OptionalTweakProperty(feature: "shop", variable: "banner", tweakManager: manager)
  }
}

let shop = Shop(manager: manager)
let observing = shop.$limit.sink { print("limit", $0) }  // Prints "limit 10"
shop.limit = 20  // Prints "limit 20"
try manager.reset(limit)  // Prints "limit 10"
print(shop.banner ?? "no banner")  // Prints "no banner"
observing.cancel()

//: ## Declared tweaks only
//:
//: A misspelt name returns the default, and nobody notices. A manager with `declarations:` stops a debug build at each
//: read of a tweak or a feature that the given provider lacks, and names it. A release build reads as always.

let strict = TweakManager(providers: [chosen, file], declarations: file)
print(strict[limit])  // Prints "10"
// strict.value(feature: "shop", variable: "limt", default: 5) would stop here: Tweaks.json does not declare shop:limt.

//: ## Follow a file
//:
//: Any program may change the file. If the content is malformed, the error has its line and column, and no value
//: changes.

try Data(delivered.replacing("10", with: "12").utf8).write(to: url, options: .atomic)
_ = await manager.signal(for: limit).values.first { $0 == 12 }
print(manager[limit])  // Prints "12"

let failures = file.failures.values
try Data("{ \"shop\": {".utf8).write(to: url, options: .atomic)
for await case .invalidFile(_, let line, let column, _) in failures {
  print(line, column)  // Prints "1 12"
  break
}
print(manager[limit])  // Prints "12"

//: ## Values for some users
//:
//: Rules match the known attributes of a user. A percentage of users always consists of the same users.

let context = MutableProperty(TweakContext(targetingKey: "user-42", attributes: ["country": "NL"]))
let targeting = TargetingTweakProvider(
  rules: [TweakRule("shop", "limit", value: 50, if: [TweakCondition("country", .isOneOf, "NL", "BE")])],
  context: context)
manager.insert(targeting, at: 1)
print(manager[limit])  // Prints "50"
context.modify { $0.attributes["country"] = "US" }
print(manager[limit])  // Prints "12"

//: ## A panel
//:
//: A panel has the values that people see and may change. Any user interface can show it.

let panel = TweakPanel(manager: manager)
for row in panel.sections.value[0].rows {
  print(row.title, row.text, row.isOverridden)  // Prints "Express delivery false true"
}
// Prints "Limit 12 false"

try FileManager.default.removeItem(at: directory)
