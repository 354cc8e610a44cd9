import Foundation
import Signals
import Tweaks

// `ShopTweaks` is in no file that anybody wrote: the plugin TweakAccessors makes it of Shop.tweaks.json, whenever that
// has changed. TweakAccessors.json says what it is called.

let file = Bundle.module.bundleURL.appending(path: "Shop.tweaks.json")
let manager = TweakManager(providers: [EphemeralTweakProvider(), try FileTweakProvider(url: file)])
let shop = ShopTweaks(with: manager)

// Each tweak is a property of the type that it has in the file.
print(shop.limit, shop.usesNewCheckout, shop.default, shop._2ndPrice)  // Prints "10 false Good "day" 5.0"

// And it is observed.
let subscription = shop.$limit.sink { print("limit", $0) }  // Prints "limit 10"
shop.limit += 1  // Prints "limit 11"

// The key of a property resets it, with no name or default to repeat.
try manager.reset(ShopTweaks.Keys.limit)  // Prints "limit 10"

// What the file says is also the value for when no provider has any.
print(ShopTweaks(with: TweakManager(providers: [])).limit)  // Prints "10"
