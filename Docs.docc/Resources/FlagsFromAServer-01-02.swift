import Foundation
import SignalsKit

// The part of the server. A real one answers over HTTP.
let served = MutableProperty((version: 1, limit: 20))
@Sendable func answer(_ request: TweakRequest) -> TweakAnswer {
  let (version, limit) = served.value
  if request.etag == "\(version)" { return .notModified }
  let body = #"{ "shop": { "limit": { "Title": "Limit", "Value": \#(limit) } } }"#
  return .body(Data(body.utf8), etag: "\(version)", version: version)
}

let bootstrap = [Tweak(feature: "shop", variable: "limit", value: 10)]
let limit = TweakKey("shop", "limit", default: 5)
let flags = RemoteTweakProvider(bootstrap: bootstrap) { answer($0) }
let manager = TweakManager(providers: [flags])
print(await flags.ready(within: .seconds(3)))  // Prints "network"

let watching = manager.signal(for: limit).sink { print("limit", $0) }  // Prints "limit 20"
try await flags.refresh()
served.value = (version: 2, limit: 30)
try await flags.refresh()  // Prints "limit 30"
watching.cancel()
