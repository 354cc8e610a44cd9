import Foundation
import SignalsKit

// The part of the server. A real one answers over HTTP.
let served = MutableProperty((version: 1, limit: 20))
@Sendable func answer(_ request: TweakRequest) throws -> TweakAnswer {
  let (version, limit) = served.value
  if limit < 0 { throw TweakRequestFailure.status(500) }
  if request.etag == "\(version)" { return .notModified }
  let body = #"{ "shop": { "limit": { "Title": "Limit", "Value": \#(limit) } } }"#
  return .body(Data(body.utf8), etag: "\(version)", version: version)
}

let bootstrap = [Tweak(feature: "shop", variable: "limit", value: 10)]
let limit = TweakKey("shop", "limit", default: 5)
let flags = RemoteTweakProvider(bootstrap: bootstrap) { try answer($0) }
let manager = TweakManager(providers: [flags])
print(await flags.ready(within: .seconds(3)))  // Prints "network"

served.value = (version: 2, limit: -1)
do {
  try await flags.refresh()
} catch {
  print(flags.status.value.state == .error(.status(500)))  // Prints "true"
}
print(manager[limit])  // Prints "20"
