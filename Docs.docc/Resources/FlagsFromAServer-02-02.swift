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
let watching = manager.signal(for: limit).sink { print("limit", $0) }  // Prints "limit 20"

do {
  try await flags.identify(TweakContext(targetingKey: "ben"))  // Prints "limit 10"
} catch {
  print(flags.context.value.targetingKey ?? "nobody")  // Prints "ben"
}
flags.isOffline = false
try await flags.refresh()  // Prints "limit 20"

watching.cancel()
try FileManager.default.removeItem(at: directory)
