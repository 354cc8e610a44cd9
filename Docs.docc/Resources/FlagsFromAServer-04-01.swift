import Foundation
import SignalsKit

let bootstrap = [Tweak(feature: "shop", variable: "limit", value: 10)]
let limit = TweakKey("shop", "limit", default: 5)
guard let url = URL(string: "http://127.0.0.1:8917/flags.json") else { fatalError("the address is not valid") }
let flags = RemoteTweakProvider(bootstrap: bootstrap, fetch: HTTPTweakFetcher(url: url).fetch)
let manager = TweakManager(providers: [flags])
do {
  try await flags.refresh()
} catch {
  print("no server")  // Prints "no server"
}
print("limit", manager[limit])  // Prints "limit 10"
