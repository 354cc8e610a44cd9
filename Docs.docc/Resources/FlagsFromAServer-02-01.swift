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
let directory = FileManager.default.temporaryDirectory.appending(path: "org.example.remote-flags")
let cache = TweakCache(container: try AppGroupsContainer(directory: directory), environment: "production")
func makeFlags(for user: String?, isOffline: Bool = false) -> RemoteTweakProvider {
  RemoteTweakProvider(
    bootstrap: bootstrap, context: TweakContext(targetingKey: user), isOffline: isOffline, cache: cache
  ) { answer($0) }
}

try await makeFlags(for: "anna").refresh()

// The next launch, without a network:
let flags = makeFlags(for: "anna", isOffline: true)
let manager = TweakManager(providers: [flags])
let details = manager.details(for: limit)
print(details.value, details.reason.rawValue)  // Prints "20 CACHED"

try FileManager.default.removeItem(at: directory)
